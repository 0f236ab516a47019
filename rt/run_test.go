package rt_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

var workerCounts = []int{1, 2, 4, 16}

func TestEveryMessageIsHandledInOrder(t *testing.T) {
	const actors, messages = 50, 400
	for _, n := range workerCounts {
		var got [actors][]int
		require.NoError(t, run(t, rt.Config{Workers: n, Batch: 7}, func(cctx **rt.Ctx) {
			ctx := *cctx
			all := make([]*scripted, actors)
			for i := range all {
				all[i] = spawn(ctx)
			}
			for m := range messages {
				for i, a := range all {
					a.do(ctx, func(**rt.Ctx) { got[i] = append(got[i], m) })
				}
			}
		}))
		for i := range got {
			require.Len(t, got[i], messages)
			for m, x := range got[i] {
				require.Equal(t, m, x, "%d workers: actor %d", n, i)
			}
		}
	}
}

// What a sender knew to be sent arrives before what it sends: main sends x to a, then tells b, which tells a.
func TestDeliveryIsCausal(t *testing.T) {
	for _, n := range workerCounts {
		require.NoError(t, run(t, rt.Config{Workers: n}, func(cctx **rt.Ctx) {
			ctx := *cctx
			for range 500 {
				a, b, c := spawn(ctx), spawn(ctx), spawn(ctx)
				var seen []string // owned by a
				a.do(ctx, func(**rt.Ctx) { seen = append(seen, "first") })
				b.do(ctx, func(cctx **rt.Ctx) {
					c.do(*cctx, func(cctx **rt.Ctx) {
						a.do(*cctx, func(**rt.Ctx) {
							seen = append(seen, "second")
							assert.Equal(t, []string{"first", "second"}, seen)
						})
					})
				})
			}
		}))
	}
}

func TestOneBehaviourOfAnActorAtATime(t *testing.T) {
	for _, n := range workerCounts {
		var inside atomic.Int32
		total := 0
		require.NoError(t, run(t, rt.Config{Workers: n}, func(cctx **rt.Ctx) {
			ctx := *cctx
			target := spawn(ctx)
			for range 20 {
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
					for range 200 {
						target.do(*cctx, func(**rt.Ctx) {
							assert.EqualValues(t, 1, inside.Add(1))
							total++
							inside.Add(-1)
						})
					}
				})
			}
		}))
		require.Equal(t, 4000, total)
	}
}

func TestRunMayBeRepeated(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	n := 0
	for range 100 {
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			spawn(*cctx).do(*cctx, func(**rt.Ctx) { n++ })
		}))
	}
	assert.Equal(t, 100, n)
}

func TestRunReportsWhoWaits(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2})
	var g, h gate
	err := r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		spawn(ctx).do(ctx, func(cctx **rt.Ctx) { rt.Block(cctx, &g) })
		spawn(ctx).do(ctx, func(cctx **rt.Ctx) { rt.Await(cctx, &h) })
	})
	blocked, ok := errors.AsType[*rt.BlockedError](err)
	require.True(t, ok, "%v", err)
	assert.ElementsMatch(t, []rt.BlockedWait{
		{Actor: "test.scripted", Behaviour: "Call", For: "a gate", Get: true},
		{Actor: "test.scripted", Behaviour: "Call", For: "a gate", Get: false},
	}, blocked.Waits)
	assert.ErrorContains(t, err, "test.scripted.Call blocks on a gate")
	assert.ErrorContains(t, err, "test.scripted.Call awaits a gate")

	// The runtime is not spoilt: open the gates, and the next run ends well.
	require.NoError(t, r.Run(func(cctx **rt.Ctx) { g.unlock(*cctx); h.unlock(*cctx) }))
}

func TestDo(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2})
	n := 0
	require.NoError(t, r.Do(background, func(**rt.Ctx) { n++ }))
	assert.Equal(t, 1, n)

	err := r.Do(background, func(**rt.Ctx) { panic("no") })
	p, ok := errors.AsType[*rt.PanicError](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, "no", p.Value)
	assert.Contains(t, string(p.Stack), "TestDo", "the stack is the behaviour's own")

	stdctx, cancel := context.WithCancel(background)
	cancel()
	assert.ErrorIs(t, r.Do(stdctx, func(**rt.Ctx) { n++ }), context.Canceled)
	assert.Equal(t, 1, n, "it was not called")

	stdctx, cancel = context.WithTimeout(background, 10*time.Millisecond)
	defer cancel()
	var g gate
	assert.ErrorIs(t, r.Do(stdctx, func(cctx **rt.Ctx) { rt.Block(cctx, &g) }), context.DeadlineExceeded)

	r.Close()
	assert.ErrorIs(t, r.Do(background, func(**rt.Ctx) {}), rt.ErrClosed)
	assert.ErrorIs(t, r.Run(func(**rt.Ctx) {}), rt.ErrClosed)
	assert.Error(t, r.Run(nil))
}

func TestShutdownDrains(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2})
	const messages = 10_000
	handled := 0
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		a := spawn(*cctx)
		for range messages {
			a.do(*cctx, func(**rt.Ctx) { handled++ })
		}
	}))
	within(t, func() { require.NoError(t, r.Shutdown(background)) })
	assert.Equal(t, messages, handled)
	assert.ErrorIs(t, r.Shutdown(background), rt.ErrClosed)

	r = runtimeOf(t, rt.Config{Workers: 2})
	var again func(cctx **rt.Ctx)
	again = func(cctx **rt.Ctx) { spawn(*cctx).do(*cctx, again) }
	require.NoError(t, r.Do(background, again)) // never comes to rest
	stdctx, cancel := context.WithTimeout(background, 20*time.Millisecond)
	defer cancel()
	within(t, func() { assert.ErrorIs(t, r.Shutdown(stdctx), context.DeadlineExceeded) })

	r = runtimeOf(t, rt.Config{Workers: 2})
	var g gate
	go r.Do(background, func(cctx **rt.Ctx) { rt.Block(cctx, &g) })
	for r.Stats().Parks == 0 {
		time.Sleep(time.Millisecond)
	}
	within(t, func() { assert.ErrorContains(t, r.Shutdown(background), "rt.Do.do blocks on a gate") })
}

func TestHoldKeepsTheRunOpen(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	hold := r.Hold()
	ended := make(chan error, 1)
	go func() { ended <- r.Run(func(**rt.Ctx) {}) }()
	require.NoError(t, r.Do(background, func(**rt.Ctx) {}))
	select {
	case <-ended:
		require.FailNow(t, "the run ended though it was held open")
	case <-time.After(20 * time.Millisecond):
	}
	hold.Release()
	hold.Release() // does nothing
	within(t, func() { require.NoError(t, <-ended) })
}

func TestPanicEndsTheRun(t *testing.T) {
	boom := errors.New("boom")
	for _, n := range workerCounts {
		err := run(t, rt.Config{Workers: n}, func(cctx **rt.Ctx) {
			spawn(*cctx).do(*cctx, func(**rt.Ctx) { panic(boom) })
		})
		p, ok := errors.AsType[*rt.PanicError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, "test.scripted", p.Actor)
		assert.Equal(t, "Call", p.Behaviour)
		assert.ErrorIs(t, err, boom)
		assert.Contains(t, string(p.Stack), "TestPanicEndsTheRun")
	}
}

func TestOnPanicLetsTheRunGoOn(t *testing.T) {
	var panics atomic.Int32
	after := 0
	require.NoError(t, run(t, rt.Config{OnPanic: func(*rt.PanicError) { panics.Add(1) }}, func(cctx **rt.Ctx) {
		a := spawn(*cctx)
		for range 10 {
			a.do(*cctx, func(**rt.Ctx) { panic("again") })
			a.do(*cctx, func(**rt.Ctx) { after++ })
		}
	}))
	assert.EqualValues(t, 10, panics.Load())
	assert.Equal(t, 10, after, "the actor goes on with its next message")
}

// A behaviour that leaves by Goexit takes a strand and a worker's goroutine with it; neither actor nor worker is lost.
func TestGoexitLosesNothing(t *testing.T) {
	for _, n := range []int{1, 2} {
		var exits atomic.Int32
		after := 0
		require.NoError(t, run(t, rt.Config{Workers: n, OnPanic: func(e *rt.PanicError) {
			assert.ErrorIs(t, e, rt.ErrGoexit)
			exits.Add(1)
		}}, func(cctx **rt.Ctx) {
			a := spawn(*cctx)
			for range 20 {
				a.do(*cctx, func(**rt.Ctx) { runtime.Goexit() })
				a.do(*cctx, func(**rt.Ctx) { after++ })
			}
		}))
		assert.EqualValues(t, 20, exits.Load())
		assert.Equal(t, 20, after)
	}
}

// Goexit has more ways than one: a deferred function may panic on the way out, and OnPanic may be where a test gives up.
func TestGoexitOnTheWayOutLosesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		behaviour func()
		onPanic   func(*rt.PanicError)
	}{
		"a deferred function panics": {func() { defer func() { panic("on the way out") }(); runtime.Goexit() }, func(*rt.PanicError) {}},
		"OnPanic leaves":             {func() { panic("to OnPanic") }, func(*rt.PanicError) { runtime.Goexit() }},
	} {
		for _, n := range []int{1, 2} {
			after := 0
			require.NoError(t, run(t, rt.Config{Workers: n, OnPanic: c.onPanic}, func(cctx **rt.Ctx) {
				a := spawn(*cctx)
				for range 20 {
					a.do(*cctx, func(**rt.Ctx) { c.behaviour() })
					a.do(*cctx, func(**rt.Ctx) { after++ })
				}
			}), name)
			assert.Equal(t, 20, after, name)
		}
	}
}

// What Do was given has ended, or will never go on, when Do returns because the runtime stops.
func TestDoEndsWithTheRuntime(t *testing.T) {
	for range 20 {
		r := runtimeOf(t, rt.Config{Workers: 2})
		started, returned := make(chan struct{}), false
		done := make(chan error, 1)
		go func() {
			done <- r.Do(background, func(**rt.Ctx) {
				close(started)
				time.Sleep(time.Millisecond)
				returned = true // a race with the look below if Do does not wait
			})
		}()
		<-started
		go r.Close()
		within(t, func() { require.NoError(t, <-done) })
		assert.True(t, returned)
	}
	r := runtimeOf(t, rt.Config{Workers: 2})
	var g gate
	done := make(chan error, 1)
	go func() { done <- r.Do(background, func(cctx **rt.Ctx) { rt.Block(cctx, &g) }) }()
	go r.Do(background, func(cctx **rt.Ctx) {
		spawn(*cctx).do(*cctx, func(**rt.Ctx) { panic("ends the run") })
	})
	within(t, func() { require.Error(t, <-done) })
}

// A burst of waits leaves no more strands behind than the pools keep.
func TestStrandsOfABurstEnd(t *testing.T) {
	const waits = 5_000
	r := runtimeOf(t, rt.Config{Workers: 1, Spares: -1})
	var g gate
	before := runtime.NumGoroutine()
	within(t, func() {
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			for range waits {
				spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) { assert.NoError(t, rt.Await(cctx, &g)) })
			}
			assert.NoError(t, rt.Suspend(cctx))
			g.unlock(*cctx)
		}))
	})
	assert.EqualValues(t, waits+1, r.Stats().Resumes)
	assert.Less(t, runtime.NumGoroutine()-before, waits/2)
}

func TestBlockClosesTheMailboxAndAwaitDoesNot(t *testing.T) {
	for _, n := range workerCounts {
		var log []string
		say := func(s string) func(**rt.Ctx) { return func(**rt.Ctx) { log = append(log, s) } }
		wait := func(how func(**rt.Ctx, rt.Wait) error) []string {
			log = nil
			var g gate
			require.NoError(t, run(t, rt.Config{Workers: n}, func(cctx **rt.Ctx) {
				ctx := *cctx
				a := spawn(ctx)
				a.do(ctx, func(cctx **rt.Ctx) {
					log = append(log, "before")
					assert.NoError(t, how(cctx, &g))
					log = append(log, "after")
				})
				a.do(ctx, say("other"))
				// Opens the gate only when the actor has had every chance to run the other message.
				opener := spawn(ctx)
				var again func(cctx **rt.Ctx)
				rounds := 0
				again = func(cctx **rt.Ctx) {
					if rounds++; rounds < 200 {
						opener.do(*cctx, again)
						return
					}
					g.unlock(*cctx)
				}
				opener.do(ctx, again)
			}))
			return log
		}
		assert.Equal(t, []string{"before", "after", "other"}, wait(rt.Block))
		got := wait(rt.Await)
		assert.ElementsMatch(t, []string{"before", "after", "other"}, got)
		if n == 1 {
			assert.Equal(t, []string{"before", "other", "after"}, got)
		}
	}
}

func TestSuspendLetsWaitingMessagesRun(t *testing.T) {
	for _, n := range workerCounts {
		var log []string
		require.NoError(t, run(t, rt.Config{Workers: n}, func(cctx **rt.Ctx) {
			a := spawn(*cctx)
			a.do(*cctx, func(cctx **rt.Ctx) {
				for _, s := range []string{"x", "y"} {
					a.do(*cctx, func(**rt.Ctx) { log = append(log, s) })
				}
				assert.NoError(t, rt.Suspend(cctx))
				log = append(log, "resumed")
			})
		}))
		assert.Equal(t, []string{"x", "y", "resumed"}, log)
	}
}

func TestAlwaysMigrateMovesEveryResume(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2, AlwaysMigrate: true})
	within(t, func() {
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			for range 50 {
				a := spawn(*cctx)
				a.do(*cctx, func(cctx **rt.Ctx) {
					for range 20 {
						before := (*cctx).Worker()
						assert.NoError(t, rt.Suspend(cctx))
						assert.NotEqual(t, before, (*cctx).Worker())
						assert.Same(t, &a.Actor, (*cctx).Self())
					}
				})
			}
		}))
	})
	s := r.Stats()
	assert.EqualValues(t, 1000, s.Resumes)
	assert.Equal(t, s.Resumes, s.Migrations)
}

func TestDeepRecursionAfterAWait(t *testing.T) {
	var deep func(n int) int
	deep = func(n int) int {
		if n == 0 {
			return 0
		}
		return 1 + deep(n-1)
	}
	require.NoError(t, run(t, rt.Config{Workers: 2}, func(cctx **rt.Ctx) {
		assert.NoError(t, rt.Suspend(cctx))
		assert.Equal(t, 100_000, deep(100_000))
	}))
}

func TestCloseUnwindsParkedBehaviours(t *testing.T) {
	for _, n := range workerCounts {
		r := runtimeOf(t, rt.Config{Workers: n})
		var g gate
		var deferred, again int // only one strand unwinds at a time
		err := r.Run(func(cctx **rt.Ctx) {
			for i := range 20 {
				a := spawn(*cctx)
				a.do(*cctx, func(cctx **rt.Ctx) {
					defer func() {
						assert.Nil(t, recover(), "unwinding is not a panic")
						deferred++
						a.do(*cctx, func(**rt.Ctx) { assert.Fail(t, "sends go nowhere") })
						if assert.ErrorIs(t, rt.Block(cctx, &g), rt.ErrClosed) {
							again++
						}
					}()
					if i%2 == 0 {
						rt.Block(cctx, &g)
					} else {
						rt.Await(cctx, &g)
					}
					assert.Fail(t, "goes on after Close")
				})
			}
		})
		require.Error(t, err)
		within(t, func() { require.NoError(t, r.Close()) })
		assert.Equal(t, 20, deferred)
		assert.Equal(t, 20, again)
		require.NoError(t, r.Close())
	}
}

func TestSendToTheZeroHandlePanicsClearly(t *testing.T) {
	err := run(t, rt.Config{}, func(cctx **rt.Ctx) { rt.Send(*cctx, nil, rt.Message{B: &countUp}) })
	assert.ErrorContains(t, err, "zero handle")
}

func TestSendToAnActorOfAnotherRuntimePanicsClearly(t *testing.T) {
	other := runtimeOf(t, rt.Config{})
	var a *scripted
	require.NoError(t, other.Run(func(cctx **rt.Ctx) { a = spawn(*cctx) }))
	for _, to := range []*scripted{a, new(scripted)} {
		err := run(t, rt.Config{}, func(cctx **rt.Ctx) { to.do(*cctx, func(**rt.Ctx) {}) })
		assert.ErrorContains(t, err, "rt: send to")
	}
}

func TestStaleContextIsRejected(t *testing.T) {
	if !invariant.Enabled {
		t.Log("only invariant builds check contexts")
		return
	}
	err := run(t, rt.Config{Workers: 2, AlwaysMigrate: true}, func(cctx **rt.Ctx) {
		ctx := *cctx
		a := spawn(ctx)
		assert.NoError(t, rt.Suspend(cctx))
		a.do(ctx, func(**rt.Ctx) {}) //ctxcheck:ignore the fault that is to be found
	})
	assert.ErrorContains(t, err, "stale context")
}

// Mallocs counts the whole process, so this test runs alone, and allows for what the test framework does.
func TestMessagesAllocateNothing(t *testing.T) {
	const most = 1_000
	messages := 1_000_000
	if invariant.Enabled {
		messages /= 10 // every leaf checks its context
	}
	t.Setenv(rt.ModesVariable, "")
	for _, n := range []int{1, 2} {
		r := runtimeOf(t, rt.Config{Workers: n})
		ring := func(rounds int) {
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				ctx := *cctx
				const k = 50
				for range k {
					a := new(hopper)
					rt.Spawn(ctx, &a.Actor, &hopperType)
					hoppers = append(hoppers, a)
				}
				for i := range k {
					rt.Send(ctx, &hoppers[i].Actor, rt.Message{B: &hop, W0: uint64(rounds / k)})
				}
			}))
			hoppers = nil
		}
		ring(messages) // warms the pools
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ring(messages)
		runtime.ReadMemStats(&after)
		assert.Less(t, after.Mallocs-before.Mallocs, uint64(most), "%d workers", n)
	}
}

// hopper sends on to a random other one until the count is used up.
type hopper struct{ rt.Actor }

var (
	hoppers    []*hopper
	hopperType = rt.ActorType{Name: "test.hopper"}
	hop        = rt.Behaviour{Name: "Hop"}
)

func init() {
	hop.Run = func(cctx **rt.Ctx, _ *rt.Actor, m *rt.Message) {
		ctx := *cctx
		if left := m.W0; left > 0 {
			to := hoppers[ctx.Rand()%uint64(len(hoppers))]
			rt.Send(ctx, &to.Actor, rt.Message{B: &hop, W0: left - 1, P0: unsafe.Pointer(to)})
		}
	}
}
