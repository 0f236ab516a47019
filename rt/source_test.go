package rt_test

import (
	"runtime"
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

// Several sources are posted to at once, by a goroutine for each.
func TestSourcesSideBySide(t *testing.T) {
	const sources = 4
	for _, n := range workerCounts {
		r := runtimeOf(t, rt.Config{Workers: n})
		var all [sources]*rt.Source
		var handled [sources]int
		for i := range all {
			all[i] = newSource(t, r)
		}
		rounds := hammer.Rounds(2_000, 200_000)
		hammer.Run(t, sources, rounds, func(g, _ int) {
			began := make(chan struct{})
			if err := all[g].Post(func(**rt.Ctx) {
				close(began)
				handled[g]++
				for range 5 {
					runtime.Gosched() // the next post finds the actor running
				}
			}); err != nil {
				t.Error(err)
			}
			<-began
		})
		for _, s := range all {
			require.NoError(t, s.Post(func(**rt.Ctx) { s.Close() }))
		}
		require.NoError(t, r.Run(nothingToDo))
		for i := range handled {
			assert.Equal(t, rounds, handled[i])
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

// What a behaviour has sent before it opens a source, or posts after a Flush, is not overtaken by the events.
func TestEventsDoNotOvertakeWhatWasSent(t *testing.T) {
	for name, event := range map[string]func(ctx *rt.Ctx, s *rt.Source, f func(cctx **rt.Ctx)){
		"After": func(ctx *rt.Ctx, _ *rt.Source, f func(cctx **rt.Ctx)) { rt.After(ctx, 0, f) },
		"Post": func(ctx *rt.Ctx, s *rt.Source, f func(cctx **rt.Ctx)) {
			rt.Flush(ctx)
			assert.NoError(t, s.Post(f))
		},
	} {
		for range 20 {
			var order []string
			require.NoError(t, run(t, rt.Config{Workers: 3}, func(cctx **rt.Ctx) {
				s, err := rt.NewSource(*cctx, "test")
				require.NoError(t, err)
				busy, proceed, sent := make(chan struct{}), make(chan struct{}), make(chan struct{})
				a := spawn(*cctx)
				a.do(*cctx, nothingToDo)
				assert.NoError(t, rt.Suspend(cctx))
				spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) { // on one worker
					a.do(*cctx, func(**rt.Ctx) {
						close(busy)
						<-proceed
					})
				})
				assert.NoError(t, rt.Blocking(cctx, func() { <-busy }))
				a.do(*cctx, func(**rt.Ctx) { order = append(order, "sent") }) // on another
				event(*cctx, s, func(cctx **rt.Ctx) {                         // on the third
					a.do(*cctx, func(**rt.Ctx) { order = append(order, name) })
					s.Close()
					close(sent)
				})
				<-sent
				rt.After(*cctx, 0, func(**rt.Ctx) { close(proceed) })
			}))
			require.Equal(t, []string{"sent", name}, order)
		}
	}
}
