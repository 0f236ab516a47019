package rt_test

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

func newSource(t *testing.T, r *rt.Runtime) (s *rt.Source) {
	t.Helper()
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		var err error
		s, err = rt.NewSource(*cctx, "test")
		assert.NoError(t, err)
	}))
	return s
}

// handled waits until all that was posted to s before has begun.
func handled(t *testing.T, s *rt.Source) {
	t.Helper()
	done := make(chan struct{})
	require.NoError(t, s.Post(func(**rt.Ctx) { close(done) }))
	within(t, func() { <-done })
}

// Several goroutines post; the events of each run in its order, one at a time, and then the run ends.
func TestPostsRunInOrder(t *testing.T) {
	const posters = 4
	posts := hammer.Rounds(2_000, 200_000)
	for _, n := range workerCounts {
		var next [posters]int
		running := 0 // the race detector sees two at a time, if nothing else does
		err := run(t, rt.Config{Workers: n}, func(cctx **rt.Ctx) {
			s, err := rt.NewSource(*cctx, "numbers")
			require.NoError(t, err)
			var all sync.WaitGroup
			for p := range posters {
				all.Go(func() {
					for k := range posts {
						if err := s.Post(func(cctx **rt.Ctx) {
							running++
							if next[p] != k || running != 1 {
								t.Errorf("event %d of %d comes, want %d; %d running", k, p, next[p], running)
							}
							next[p]++
							running--
						}); err != nil {
							t.Error(err)
						}
					}
				})
			}
			go func() {
				all.Wait()
				s.Post(func(**rt.Ctx) { s.Close() })
			}()
		})
		require.NoError(t, err)
		for p := range next {
			assert.Equal(t, posts, next[p])
		}
	}
}

// Each event that was accepted either runs or is dropped by Close, which says so; after Close at most the one runs
// that had begun.
func TestCloseDropsWhatHasNotBegun(t *testing.T) {
	rounds := hammer.Rounds(200, 10_000)
	defer hammer.Watch(t, hammer.Limit)()
	for _, n := range []int{1, 2, 4} {
		r := runtimeOf(t, rt.Config{Workers: n})
		var total uint64
		for round := range rounds {
			s := newSource(t, r)
			var accepted, ran atomic.Int64
			var posters sync.WaitGroup
			for range 2 {
				posters.Go(func() {
					for k := 0; ; k++ {
						if k%16 == 15 {
							runtime.Gosched() // the closer must get its turn
						}
						switch err := s.Post(func(**rt.Ctx) { ran.Add(1) }); err {
						case nil:
							accepted.Add(1)
						case rt.ErrSourceClosed:
							return
						default:
							t.Error(err)
							return
						}
					}
				})
			}
			for range round % 20 {
				runtime.Gosched()
			}
			dropped := s.Close()
			after := ran.Load()
			require.Zero(t, s.Close())
			posters.Wait()
			require.NoError(t, r.Run(nothingToDo)) // all is handled then
			if got := ran.Load(); got > after+1 || got+int64(dropped) != accepted.Load() {
				require.Failf(t, "events crossed Close", "%d accepted, %d dropped; %d ran, %d of them after Close",
					accepted.Load(), dropped, got, got-after)
			}
			total += uint64(dropped)
		}
		stats := r.Stats()
		assert.Equal(t, total, stats.EventsDropped)
		assert.Zero(t, stats.Sources)
	}
}

// With all workers asleep, closing the last source ends the run.
func TestSourceHoldsTheRunOpen(t *testing.T) {
	runs := hammer.Rounds(500, 50_000)
	defer hammer.Watch(t, hammer.Limit)()
	for _, n := range workerCounts {
		r := runtimeOf(t, rt.Config{Workers: n})
		for k := range runs {
			sources := make(chan *rt.Source, 2)
			end := make(chan error, 1)
			go func() {
				end <- r.Run(func(cctx **rt.Ctx) {
					for range 2 {
						s, _ := rt.NewSource(*cctx, "test")
						sources <- s
					}
				})
			}()
			(<-sources).Close()
			last := <-sources
			if k%10 == 0 {
				asleep(t, r)
			}
			select {
			case err := <-end:
				require.FailNow(t, "the run has ended with a source open", "%v", err)
			default:
			}
			ran := false
			require.NoError(t, last.Post(func(**rt.Ctx) { ran = true }))
			if k%2 == 0 {
				handled(t, last)
				require.True(t, ran)
			}
			last.Close()
			require.NoError(t, <-end)
		}
	}
}

// What cannot be registered says why, and leaves nothing open.
func TestRegistrationThatFails(t *testing.T) {
	event := func(**rt.Ctx) {}
	tick := func(**rt.Ctx, *rt.Timer) {}
	block := func(**rt.Ctx, *rt.Reader, []byte, error) {}
	written := func(**rt.Ctx, []byte, error) {}
	caught := func(**rt.Ctx, *rt.Signals, os.Signal) {}
	for _, c := range []struct {
		says     string // "" if only a runtime refuses that is stopped or, where it does not go by the clock, systematic
		clock    bool
		register func(ctx *rt.Ctx) error
	}{
		{"", false, func(ctx *rt.Ctx) error { _, err := rt.NewSource(ctx, "x"); return err }},
		{"", true, func(ctx *rt.Ctx) error { _, err := rt.After(ctx, 0, event); return err }},
		{"function to run is nil", true, func(ctx *rt.Ctx) error { _, err := rt.After(ctx, 0, nil); return err }},
		{"", true, func(ctx *rt.Ctx) error { _, err := rt.Every(ctx, time.Hour, tick); return err }},
		{"function to run is nil", true, func(ctx *rt.Ctx) error { _, err := rt.Every(ctx, 1, nil); return err }},
		{"period is 0s, want more", true, func(ctx *rt.Ctx) error { _, err := rt.Every(ctx, 0, tick); return err }},
		{"period is -1s, want more", true, func(ctx *rt.Ctx) error { _, err := rt.Every(ctx, -time.Second, tick); return err }},
		{"", false, func(ctx *rt.Ctx) error { _, err := rt.Notify(ctx, caught, os.Interrupt); return err }},
		{"function to run is nil", false, func(ctx *rt.Ctx) error { _, err := rt.Notify(ctx, nil, os.Interrupt); return err }},
		{"no signals", false, func(ctx *rt.Ctx) error { _, err := rt.Notify(ctx, caught); return err }},
		{"nil signal", false, func(ctx *rt.Ctx) error { _, err := rt.Notify(ctx, caught, os.Interrupt, nil); return err }},
		{"", false, func(ctx *rt.Ctx) error { _, err := rt.ReadFrom(ctx, strings.NewReader("x"), 1, block); return err }},
		{"function to run is nil", false, func(ctx *rt.Ctx) error { _, err := rt.ReadFrom(ctx, os.Stdin, 1, nil); return err }},
		{"reader is nil", false, func(ctx *rt.Ctx) error { _, err := rt.ReadFrom(ctx, nil, 1, block); return err }},
		{"block is 0", false, func(ctx *rt.Ctx) error { _, err := rt.ReadFrom(ctx, os.Stdin, 0, block); return err }},
		{"", false, func(ctx *rt.Ctx) error { _, err := rt.WriteTo(ctx, io.Discard, 1, written); return err }},
		{"function to run is nil", false, func(ctx *rt.Ctx) error { _, err := rt.WriteTo(ctx, io.Discard, 1, nil); return err }},
		{"writer is nil", false, func(ctx *rt.Ctx) error { _, err := rt.WriteTo(ctx, nil, 1, written); return err }},
		{"0 bytes, want more", false, func(ctx *rt.Ctx) error { _, err := rt.WriteTo(ctx, io.Discard, 0, written); return err }},
	} {
		r := runtimeOf(t, rt.Config{Workers: 1})
		if c.says != "" {
			require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
				assert.ErrorContains(t, c.register(*cctx), c.says)
			}))
			assert.Zero(t, r.Stats().Sources, c.says)
			within(t, func() { require.NoError(t, r.Run(nothingToDo)) })
			continue
		}
		systematic := runtimeOf(t, rt.Config{Seed: 3})
		require.NoError(t, systematic.Do(background, func(cctx **rt.Ctx) {
			if c.clock {
				assert.NoError(t, c.register(*cctx))
				return
			}
			assert.Equal(t, rt.ErrSystematic, c.register(*cctx))
			assert.Zero(t, systematic.Stats().Sources)
		}))
		var late error
		began := make(chan struct{})
		go r.Do(background, func(cctx **rt.Ctx) {
			defer func() { late = c.register(*cctx) }() // while the runtime closes
			defer close(began)
			rt.Block(cctx, new(gate))
		})
		settleBlocked(t, r)
		r.Close()
		<-began
		assert.ErrorIs(t, late, rt.ErrClosed)
		assert.Zero(t, r.Stats().Sources)
	}
}

// settleBlocked waits until a behaviour waits and all workers sleep.
func settleBlocked(t *testing.T, r *rt.Runtime) {
	t.Helper()
	within(t, func() {
		for r.Stats().Parks == 0 {
			runtime.Gosched()
		}
	})
	asleep(t, r)
}

func TestOpenSources(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	assert.Empty(t, r.OpenSources())
	var end []func() int
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		every, err := rt.Every(*cctx, time.Hour, func(**rt.Ctx, *rt.Timer) {})
		assert.NoError(t, err)
		for _, name := range []string{"a", "b", "c"} {
			s, err := rt.NewSource(*cctx, name)
			assert.NoError(t, err)
			end = append(end, s.Close)
		}
		end = append(end, every.Close)
	}))
	names := []string{"rt.Source.a", "rt.Source.b", "rt.Source.c", "rt.Every.event"}
	for _, k := range []int{1, 0, 3, 2} { // from the middle, and from both ends of the list
		assert.ElementsMatch(t, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" }), r.OpenSources())
		end[k]()
		names[k] = ""
	}
	assert.Empty(t, r.OpenSources())
}

// Posts to what has stopped say why it has.
func TestPostAfterTheEnd(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	s := newSource(t, r)
	assert.ErrorContains(t, s.Post(nil), "nil")
	s.Close()
	assert.Equal(t, rt.ErrSourceClosed, s.Post(nothingToDo))
	r.Close()
	assert.Equal(t, rt.ErrClosed, s.Post(nothingToDo))

	r = runtimeOf(t, rt.Config{})
	s = newSource(t, r)
	require.NoError(t, s.Post(func(**rt.Ctx) { panic("boom") }))
	within(t, func() { <-r.Done() })
	p, ok := errors.AsType[*rt.PanicError](s.Post(nothingToDo))
	require.True(t, ok)
	assert.Equal(t, "rt: panic in rt.Source.test: boom", p.Error())
	r.Close()
}

// A panic in an event of any source is one in a one-way behaviour: the run ends with it, or goes on where OnPanic takes
// it, and so does the source.
func TestPanicInAnEvent(t *testing.T) {
	for name, open := range map[string]func(ctx *rt.Ctx, f func(cctx **rt.Ctx, last bool)) error{
		"rt.Source.test": func(ctx *rt.Ctx, f func(cctx **rt.Ctx, last bool)) error {
			s, err := rt.NewSource(ctx, "test")
			go func() {
				for k := range 3 {
					s.Post(func(cctx **rt.Ctx) {
						if k == 2 {
							s.Close()
						}
						f(cctx, k == 2)
					})
				}
			}()
			return err
		},
		"rt.After.event": func(ctx *rt.Ctx, f func(cctx **rt.Ctx, last bool)) error {
			for k := range 3 {
				rt.After(ctx, time.Duration(k)*time.Millisecond, func(cctx **rt.Ctx) { f(cctx, k == 2) })
			}
			return nil
		},
		"rt.Every.event": func(ctx *rt.Ctx, f func(cctx **rt.Ctx, last bool)) (err error) {
			k := 0
			_, err = rt.Every(ctx, 100*time.Microsecond, func(cctx **rt.Ctx, s *rt.Timer) {
				k++
				if k == 3 {
					s.Close()
				}
				f(cctx, k == 3)
			})
			return err
		},
		"rt.ReadFrom.block": func(ctx *rt.Ctx, f func(cctx **rt.Ctx, last bool)) error {
			_, err := rt.ReadFrom(ctx, strings.NewReader("ab"), 1, func(cctx **rt.Ctx, _ *rt.Reader, _ []byte, err error) { f(cctx, err != nil) })
			return err
		},
		"rt.WriteTo.written": func(ctx *rt.Ctx, f func(cctx **rt.Ctx, last bool)) error {
			k := 0
			w, err := rt.WriteTo(ctx, io.Discard, 100, func(cctx **rt.Ctx, _ []byte, err error) {
				k++
				f(cctx, k == 3)
			})
			for range 3 {
				err = errors.Join(err, w.Write([]byte("x")))
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t, rt.Config{Workers: 1}, func(cctx **rt.Ctx) {
				require.NoError(t, open(*cctx, func(cctx **rt.Ctx, last bool) { panic("boom") }))
			})
			assert.EqualError(t, err, "rt: panic in "+name+": boom")

			var panics []string
			events := 0
			err = run(t, rt.Config{Workers: 1, OnPanic: func(p *rt.PanicError) { panics = append(panics, p.Error()) }}, func(cctx **rt.Ctx) {
				require.NoError(t, open(*cctx, func(cctx **rt.Ctx, last bool) {
					events++
					if !last {
						panic("boom")
					}
				}))
			})
			require.NoError(t, err)
			assert.Equal(t, 3, events)
			assert.Equal(t, []string{"rt: panic in " + name + ": boom", "rt: panic in " + name + ": boom"}, panics)
		})
	}
}

// An event that awaits lets the next one begin; one that blocks does not.
func TestEventThatWaits(t *testing.T) {
	for name, wait := range map[string]func(cctx **rt.Ctx, w rt.Wait) error{"block": rt.Block, "await": rt.Await} {
		var order []string
		require.NoError(t, run(t, rt.Config{Workers: 2}, func(cctx **rt.Ctx) {
			s, err := rt.NewSource(*cctx, "test")
			require.NoError(t, err)
			g := new(gate)
			s.Post(func(cctx **rt.Ctx) {
				assert.NoError(t, wait(cctx, g))
				order = append(order, "first")
				if name == "await" {
					s.Close()
				}
			})
			s.Post(func(cctx **rt.Ctx) {
				order = append(order, "second")
				g.unlock(*cctx)
				if name == "block" {
					s.Close()
				}
			})
			if name == "block" {
				rt.After(*cctx, time.Millisecond, func(cctx **rt.Ctx) { g.unlock(*cctx) })
			}
		}))
		assert.Equal(t, map[string][]string{"block": {"first", "second"}, "await": {"second", "first"}}[name], order)
	}
}

// An actor that only a live event names is not collected, and one that only a closed source named is.
func TestActorWithALiveEventIsKept(t *testing.T) {
	h := newByHand(t, 1)
	r, clock := h.r, h.clock
	var ticks atomic.Int64
	collected := make(chan struct{})
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		a := spawn(*cctx)
		runtime.AddCleanup(a, func(done chan struct{}) { close(done) }, collected)
		_, err := rt.Every(*cctx, time.Second, func(cctx **rt.Ctx, tick *rt.Timer) {
			a.do(*cctx, func(cctx **rt.Ctx) {
				assert.Same(t, &a.Actor, (*cctx).Self())
				if ticks.Add(1) == 5 {
					assert.Zero(t, tick.Close())
				}
			})
		})
		assert.NoError(t, err)
	}))
	for k := range 5 {
		runtime.GC()
		select {
		case <-collected:
			require.FailNow(t, "the actor was collected with its timer running")
		default:
		}
		clock.Advance(time.Second, false)
		within(t, func() {
			for ticks.Load() <= int64(k) {
				runtime.Gosched()
			}
		})
	}
	within(t, func() {
		for {
			require.NoError(t, r.Do(background, nothingToDo)) // whatever the worker still named, it names something else
			runtime.GC()
			select {
			case <-collected:
				return
			default:
			}
		}
	})
}

// A runtime with thousands of live sources is closed: nothing runs after that, and no goroutine is left.
func TestCloseWithLiveSources(t *testing.T) {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt) // starts a goroutine of package signal, for ever
	signal.Stop(ch)
	before := runtime.NumGoroutine()
	for _, n := range workerCounts {
		r, err := rt.New(rt.Config{Workers: n})
		require.NoError(t, err)
		var events atomic.Int64
		event := func(**rt.Ctx) { events.Add(1) }
		var sources []*rt.Source
		var pipes []*io.PipeWriter
		require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
			ctx := *cctx
			for k := range 1_000 {
				_, err := rt.Every(ctx, time.Duration(100+k)*time.Microsecond, func(**rt.Ctx, *rt.Timer) { events.Add(1) })
				require.NoError(t, err)
				rt.After(ctx, time.Duration(k)*time.Millisecond, event)
				s, err := rt.NewSource(ctx, "test")
				require.NoError(t, err)
				sources = append(sources, s)
				from, to := io.Pipe()
				pipes = append(pipes, to)
				_, err = rt.ReadFrom(ctx, from, 10, func(**rt.Ctx, *rt.Reader, []byte, error) { events.Add(1) })
				require.NoError(t, err)
			}
			rt.Notify(ctx, func(**rt.Ctx, *rt.Signals, os.Signal) { events.Add(1) }, os.Interrupt)
		}))
		assert.Greater(t, r.Stats().Sources, 3_000)
		stop := make(chan struct{})
		var posters sync.WaitGroup
		for _, p := range pipes {
			posters.Go(func() { p.Write([]byte("x")) })
		}
		posters.Go(func() {
			for {
				for _, s := range sources {
					if err := s.Post(event); err != nil {
						assert.Equal(t, rt.ErrClosed, err)
						close(stop)
						return
					}
				}
			}
		})
		within(t, func() {
			for events.Load() < 3_000 {
				runtime.Gosched()
			}
		})
		r.Close()
		last := events.Load()
		within(t, func() { <-stop })
		for _, p := range pipes {
			p.Close() // ends the Read that may be under way
		}
		assert.Zero(t, r.Stats().Sources)
		posters.Wait()
		time.Sleep(2 * time.Millisecond)
		assert.Equal(t, last, events.Load(), "an event has run after Close")
	}
	defer hammer.Watch(t, hammer.Limit)() // goroutines are left behind
	for runtime.NumGoroutine() > before {
		time.Sleep(time.Millisecond)
	}
}

// Events whose receiver has a limit: the source is held back, and what was posted waits in it, all of it and in order.
func TestEventsToAnOverloadedActor(t *testing.T) {
	for _, n := range workerCounts {
		const events = 2_000
		handled, most := 0, int64(0)
		var sent, done atomic.Int64
		require.NoError(t, run(t, rt.Config{Workers: n, MailboxLimit: 10}, func(cctx **rt.Ctx) {
			slow := spawn(*cctx)
			s, err := rt.NewSource(*cctx, "fast")
			require.NoError(t, err)
			for k := range events {
				require.NoError(t, s.Post(func(cctx **rt.Ctx) {
					sent.Add(1)
					slow.do(*cctx, func(cctx **rt.Ctx) {
						if handled != k {
							t.Errorf("message %d comes, want %d", k, handled)
						}
						handled++
						if k%100 == 0 {
							assert.NoError(t, rt.Suspend(cctx))
						}
						most = max(most, sent.Load()-done.Add(1))
					})
				}))
			}
			require.NoError(t, s.Post(func(**rt.Ctx) { s.Close() }))
		}))
		assert.Equal(t, events, handled)
		if n == 1 { // with more, the source may be through before the receiver's worker has begun
			assert.Less(t, most, int64(events/4), "the source was not held back")
		}
	}
}
