package rt_test

import (
	"context"
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

// A Shutdown that waits in vain says for what.
func TestShutdownNamesOpenSources(t *testing.T) {
	stdctx, cancel := context.WithCancel(background)
	cancel()
	for sources, says := range map[int]string{
		0:  "rt: Shutdown: context canceled",
		2:  "rt: Shutdown: context canceled; still open: 2 rt.Every.event, 2 rt.Source.a, 2 rt.Source.b",
		12: "rt.Source.h, 12 rt.Source.i, and 3 other names",
	} {
		r := runtimeOf(t, rt.Config{Workers: 1})
		require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
			for range sources {
				for k := range sources {
					_, err := rt.NewSource(*cctx, string(rune('a'+k)))
					assert.NoError(t, err)
				}
				_, err := rt.Every(*cctx, time.Hour, func(**rt.Ctx, *rt.Timer) {})
				assert.NoError(t, err)
			}
			if sources == 0 {
				(*cctx).Runtime().Hold()
			}
		}))
		err := r.Shutdown(stdctx)
		assert.ErrorIs(t, err, context.Canceled)
		assert.Contains(t, err.Error(), says)
	}
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
