package rt_test

import (
	"context"
	"io"
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

// asideWait is a wait whose Commit calls f and then refuses to wait.
type asideWait struct{ f func() }

func (asideWait) Describe() string           { return "nothing" }
func (w asideWait) Commit(_ *rt.Waiter) bool { w.f(); return false }

// insides are the places in which the runtime calls what a user wrote on a worker. Each has f called there once.
var insides = map[string]func(ctx *rt.Ctx, f func()){
	"behaviour": func(ctx *rt.Ctx, f func()) {
		spawn(ctx).do(ctx, func(**rt.Ctx) { f() })
	},
	"deferred function": func(ctx *rt.Ctx, f func()) {
		spawn(ctx).do(ctx, func(**rt.Ctx) { defer f() })
	},
	"deep recursion": func(ctx *rt.Ctx, f func()) {
		var deep func(n int)
		deep = func(n int) {
			if n == 0 {
				f()
				return
			}
			deep(n - 1)
		}
		spawn(ctx).do(ctx, func(**rt.Ctx) { deep(100_000) })
	},
	"after a wait": func(ctx *rt.Ctx, f func()) {
		spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
			rt.Suspend(cctx)
			f()
		})
	},
	"OnPanic": func(ctx *rt.Ctx, f func()) {
		spawn(ctx).do(ctx, func(**rt.Ctx) { panic(f) })
	},
	"Commit": func(ctx *rt.Ctx, f func()) {
		spawn(ctx).do(ctx, func(cctx **rt.Ctx) { rt.Await(cctx, asideWait{f}) })
	},
}

func callValue(e *rt.PanicError) { e.Value.(func())() }

// Close from inside begins and returns; the behaviour ends, what waits is unwound, and then a Close from outside returns.
func TestCloseFromInside(t *testing.T) {
	for name, place := range insides {
		for _, n := range workerCounts {
			r := runtimeOf(t, rt.Config{Workers: n, OnPanic: callValue})
			var g gate
			var after, unwound atomic.Int64
			require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
				spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
					defer unwound.Add(1)
					defer r.Close() // on a strand that is unwound
					rt.Block(cctx, &g)
				})
			}))
			for !g.waited() {
				runtime.Gosched()
			}
			go r.Do(background, func(cctx **rt.Ctx) {
				place(*cctx, func() {
					assert.NoError(t, r.Close())
					assert.NoError(t, r.Close())
					assert.ErrorIs(t, r.Err(), rt.ErrClosed)
					after.Add(1)
				})
			})
			within(t, func() {
				<-r.Done()
				require.NoError(t, r.Close())
			})
			assert.EqualValues(t, 1, after.Load(), "%s: the behaviour has ended", name)
			assert.EqualValues(t, 1, unwound.Load(), name)
		}
	}
}

// A behaviour that waits after it has called Close is unwound.
func TestWaitAfterCloseFromInside(t *testing.T) {
	for _, n := range workerCounts {
		r := runtimeOf(t, rt.Config{Workers: n})
		unwound := false
		within(t, func() {
			assert.ErrorIs(t, r.Run(func(cctx **rt.Ctx) {
				defer func() { unwound = true }()
				r.Close()
				rt.Block(cctx, new(gate))
				assert.Fail(t, "goes on")
			}), rt.ErrClosed)
			r.Close()
		})
		assert.True(t, unwound)
	}
}

// What would wait inside for the end of behaviours says so, also in a behaviour of another runtime.
func TestRunAndShutdownFromInside(t *testing.T) {
	for name, place := range insides {
		r := runtimeOf(t, rt.Config{Workers: 2, OnPanic: callValue})
		other := runtimeOf(t, rt.Config{Workers: 1})
		called := false
		within(t, func() {
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				place(*cctx, func() {
					called = true
					assert.ErrorIs(t, r.Run(nothingToDo), rt.ErrInside, name)
					assert.ErrorIs(t, r.Shutdown(background), rt.ErrInside, name)
					assert.ErrorIs(t, other.Run(nothingToDo), rt.ErrInside, name)
				})
			}))
		})
		assert.True(t, called, name)
		assert.NoError(t, r.Err(), name)
	}
	r := runtimeOf(t, rt.Config{Workers: 1})
	other := runtimeOf(t, rt.Config{Workers: 1})
	within(t, func() {
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			assert.NoError(t, rt.Blocking(cctx, func() { assert.NoError(t, other.Run(nothingToDo)) }))
		}))
	})
}

// Do from inside is run by another worker, or by a spare one; where there can be none it says so.
func TestDoFromInside(t *testing.T) {
	for _, n := range []int{1, 2} {
		r := runtimeOf(t, rt.Config{Workers: n})
		ran := 0
		within(t, func() {
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				assert.NoError(t, r.Do(background, func(**rt.Ctx) {
					assert.NoError(t, r.Do(background, func(**rt.Ctx) { ran++ }))
				}))
			}))
		})
		assert.Equal(t, 1, ran)
		alone := runtimeOf(t, rt.Config{Workers: n, Spares: -1})
		within(t, func() {
			require.NoError(t, alone.Run(func(cctx **rt.Ctx) {
				assert.ErrorIs(t, alone.Do(background, func(**rt.Ctx) { ran++ }), rt.ErrInside)
				assert.NoError(t, r.Do(background, func(**rt.Ctx) { ran++ }), "of another runtime")
			}))
		})
		assert.Equal(t, 2, ran)
	}
}

// Close meets behaviours that wait in a Do: for what was not called, or for what waits itself.
func TestCloseMeetsDoFromInside(t *testing.T) {
	for name, f := range map[string]func(cctx **rt.Ctx){
		"not called yet": nil,
		"waits":          func(cctx **rt.Ctx) { rt.Block(cctx, new(gate)) },
	} {
		for range hammer.Rounds(5, 500) {
			r := runtimeOf(t, rt.Config{Workers: 2})
			inside := make(chan struct{})
			var left atomic.Bool
			go r.Do(background, func(cctx **rt.Ctx) {
				if f == nil {
					close(inside)
				}
				r.Do(background, func(cctx **rt.Ctx) {
					if f != nil {
						close(inside)
						f(cctx)
					}
				})
				left.Store(true)
			})
			<-inside
			within(t, func() { r.Close() })
			assert.True(t, left.Load(), name)
		}
	}
}

// Close from outside at any time: at once, twice, during Run, Do and Shutdown, from a call that Blocking makes, from a source's
// goroutine, and in a behaviour of another runtime.
func TestCloseAtAnyTime(t *testing.T) {
	rounds := hammer.Rounds(20, 2_000)
	var again func(cctx **rt.Ctx)
	again = func(cctx **rt.Ctx) { spawn(*cctx).do(*cctx, again) }
	for name, use := range map[string]func(r *rt.Runtime, both *sync.WaitGroup){
		"at once": func(*rt.Runtime, *sync.WaitGroup) {},
		"Run": func(r *rt.Runtime, both *sync.WaitGroup) {
			both.Go(func() { assert.ErrorIs(t, r.Run(again), rt.ErrClosed) })
		},
		"Do": func(r *rt.Runtime, both *sync.WaitGroup) {
			both.Go(func() {
				for r.Do(background, again) == nil {
				}
			})
		},
		"Shutdown": func(r *rt.Runtime, both *sync.WaitGroup) {
			hold := r.Hold()
			both.Go(func() {
				assert.ErrorIs(t, r.Shutdown(background), rt.ErrClosed)
				hold.Release()
			})
		},
		"Blocking": func(r *rt.Runtime, both *sync.WaitGroup) {
			both.Go(func() {
				r.Run(func(cctx **rt.Ctx) {
					rt.Blocking(cctx, func() { assert.NoError(t, r.Close()) })
				})
			})
		},
		"a reader": func(r *rt.Runtime, both *sync.WaitGroup) {
			both.Go(func() {
				r.Run(func(cctx **rt.Ctx) {
					read := readerFunc(func([]byte) (int, error) {
						assert.NoError(t, r.Close())
						return 0, io.EOF
					})
					rt.ReadFrom(*cctx, read, 1, func(**rt.Ctx, *rt.Reader, []byte, error) {})
				})
			})
		},
		"another runtime": func(r *rt.Runtime, both *sync.WaitGroup) {
			both.Go(func() {
				other, err := rt.New(rt.Config{Workers: 1})
				require.NoError(t, err)
				other.Run(func(cctx **rt.Ctx) { assert.NoError(t, r.Close()) })
				other.Close()
			})
		},
	} {
		within(t, func() {
			for round := range rounds {
				r, err := rt.New(rt.Config{Workers: 1 + round%3})
				require.NoError(t, err)
				var both sync.WaitGroup
				use(r, &both)
				for range round % 7 * 5 {
					runtime.Gosched()
				}
				for range 2 {
					both.Go(func() { assert.NoError(t, r.Close(), name) })
				}
				both.Wait()
				assert.ErrorIs(t, r.Run(nothingToDo), rt.ErrClosed)
			}
		})
	}
}

// Close waits for a behaviour that is stuck, and Stuck says for which.
func TestCloseWaitsForWhatIsStuck(t *testing.T) {
	for _, n := range []int{1, 2} {
		for _, how := range []string{"Close", "Shutdown"} {
			over := make(chan struct{})
			told := make(chan rt.StuckBehaviour, 1)
			r := runtimeOf(t, rt.Config{Workers: n, OnStuck: func(s rt.StuckBehaviour) { told <- s }})
			returned := false
			r.Inject(func(**rt.Ctx) {
				<-over
				returned = true
			})
			<-told
			closed := make(chan struct{})
			go func() {
				defer close(closed)
				if how == "Close" {
					r.Close()
					return
				}
				stdctx, cancel := context.WithTimeout(background, time.Millisecond)
				defer cancel()
				assert.ErrorIs(t, r.Shutdown(stdctx), context.DeadlineExceeded)
			}()
			<-r.Done()
			time.Sleep(2 * time.Millisecond)
			assert.Len(t, r.Stuck(), 1)
			select {
			case <-closed:
				assert.Fail(t, "closed while a behaviour runs")
			default:
			}
			close(over)
			within(t, func() { <-closed })
			assert.True(t, returned)
			assert.Empty(t, r.Stuck())
		}
	}
}

// Who is told that a behaviour is stuck may close the runtime, once the behaviour can end.
func TestCloseFromOnStuck(t *testing.T) {
	over := make(chan struct{})
	closed := make(chan struct{})
	this := make(chan *rt.Runtime, 1)
	r := runtimeOf(t, rt.Config{Workers: 1, OnStuck: func(rt.StuckBehaviour) {
		close(over)
		(<-this).Close()
		close(closed)
	}})
	this <- r
	r.Inject(func(**rt.Ctx) { <-over })
	within(t, func() { <-closed })
}

// A behaviour waits for a goroutine whose Do has not begun when the runtime is closed: Do gives up, and all ends.
func TestCloseBesideABehaviourThatWaitsForADo(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 1, Spares: -1})
	inDo := make(chan error)
	began := make(chan struct{})
	r.Inject(func(**rt.Ctx) {
		close(began)
		go func() { inDo <- r.Do(background, func(**rt.Ctx) { assert.Fail(t, "the only worker is not free") }) }()
		assert.ErrorIs(t, <-inDo, rt.ErrClosed)
	})
	<-began
	for !r.AnyInjected() {
		time.Sleep(time.Millisecond)
	}
	within(t, func() { r.Close() })
}
