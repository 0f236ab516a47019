package futures_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

var errNo = errors.New("no")

// reading is one way to wait inside an actor.
type reading struct {
	name string
	read func(cctx **rt.Ctx, f futures.Future[int]) (int, error)
}

var readings = []reading{
	{"Get", func(cctx **rt.Ctx, f futures.Future[int]) (int, error) { return f.Get(cctx) }},
	{"Await", func(cctx **rt.Ctx, f futures.Future[int]) (int, error) { return f.Await(cctx) }},
	{"Suspend and TryGet", func(cctx **rt.Ctx, f futures.Future[int]) (int, error) {
		for {
			if v, err, there := f.TryGet(*cctx); there {
				return v, err
			}
			if err := futures.Suspend(cctx); err != nil {
				return 0, err
			}
		}
	}},
}

func TestReadValueOrError(t *testing.T) {
	for _, way := range readings {
		t.Run(way.name, func(t *testing.T) {
			var got []int
			var failures []error
			require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
				a := spawn(*cctx)
				for i := range 100 {
					f := ask(*cctx, a, func(**rt.Ctx) (int, error) {
						if i%10 == 9 {
							return 7, errNo
						}
						return i, nil
					})
					v, err := way.read(cctx, f)
					if err != nil {
						assert.Zero(t, v)
						failures = append(failures, err)
					} else {
						got = append(got, v)
						again, err := f.Get(cctx) // a future may be read as often as wanted
						assert.NoError(t, err)
						assert.Equal(t, v, again)
					}
				}
			}))
			assert.Len(t, got, 90)
			assert.Equal(t, 98, got[89])
			require.Len(t, failures, 10)
			for _, err := range failures {
				assert.ErrorIs(t, err, errNo)
			}
		})
	}
}

func TestGetStopsTheActorAndAwaitDoesNot(t *testing.T) {
	for _, way := range readings[:2] {
		var log []string
		require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
			ctx := *cctx
			a := spawn(ctx)
			p := futures.NewPromise[int](ctx, nil)
			parked := futures.NewPromise[int](ctx, nil)
			a.do(ctx, func(cctx **rt.Ctx) {
				_ = parked.Fulfil(*cctx, 0)
				_, err := way.read(cctx, p.Future())
				assert.NoError(t, err)
				log = append(log, "goes on")
			})
			a.do(ctx, func(**rt.Ctx) { log = append(log, "other") })
			_, err := parked.Future().Get(cctx)
			assert.NoError(t, err)
			for range 50 { // time in which the other message could run, and for an await does
				assert.NoError(t, futures.Suspend(cctx))
			}
			if way.name == "Await" {
				done := ask(*cctx, a, echo(0)) // comes after "other"
				_, err = done.Get(cctx)
				assert.NoError(t, err)
			}
			assert.NoError(t, p.Fulfil(*cctx, 1))
		}))
		want := []string{"goes on", "other"}
		if way.name == "Await" {
			want = []string{"other", "goes on"}
		}
		assert.Equal(t, want, log, way.name)
	}
}

func TestAllWaitersWake(t *testing.T) {
	for _, c := range []struct {
		way     reading
		waiters int
	}{{readings[0], 40}, {readings[1], 10_000}, {readings[0], 2000}} {
		var woken atomic.Int64
		require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
			ctx := *cctx
			p := futures.NewPromise[int](ctx, nil)
			var asleep []futures.Future[int]
			for range c.waiters {
				a := spawn(ctx)
				a.do(ctx, func(cctx **rt.Ctx) {
					v, err := c.way.read(cctx, p.Future())
					assert.NoError(t, err)
					woken.Add(int64(v))
				})
				if c.way.name == "Await" {
					asleep = append(asleep, ask(ctx, a, echo(0)))
				}
			}
			for _, f := range asleep {
				_, err := f.Get(cctx)
				assert.NoError(t, err)
			}
			for range 20 {
				assert.NoError(t, futures.Suspend(cctx))
			}
			assert.NoError(t, p.Fulfil(*cctx, 3))
		}))
		assert.EqualValues(t, 3*c.waiters, woken.Load(), c.way.name)
	}
}

// A strand is told and waits for the next answer at once, while the one who told it goes on with the others.
func TestWaitersThatWaitAgain(t *testing.T) {
	pauses(t)
	const waiters = 12
	answers := hammer.Rounds(300, 100_000)
	for _, way := range readings[:2] {
		var sum atomic.Int64
		require.NoError(t, run(t, rt.Config{Workers: 3}, func(cctx **rt.Ctx) {
			promises := make([]futures.Promise[int], answers)
			for i := range promises {
				promises[i] = futures.NewPromise[int](*cctx, nil)
			}
			for range waiters {
				spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
					for _, p := range promises {
						v, err := way.read(cctx, p.Future())
						assert.NoError(t, err)
						sum.Add(int64(v))
					}
				})
			}
			for _, p := range promises {
				assert.NoError(t, futures.Suspend(cctx))
				assert.NoError(t, p.Fulfil(*cctx, 1))
			}
		}), way.name)
		assert.EqualValues(t, waiters*answers, sum.Load(), way.name)
	}
}

// The actor that would have to answer is the one that would stop.
func TestGetOfOwnFutureIsReported(t *testing.T) {
	var direct, closure, chained error
	var awaited int
	err := run(t, rt.Config{}, func(cctx **rt.Ctx) {
		ctx := *cctx
		a := spawn(ctx)
		a.do(ctx, func(cctx **rt.Ctx) {
			own := ask(*cctx, a, echo(5))
			_, direct = own.Get(cctx)
			derived := futures.Chain(*cctx, own, func(cctx **rt.Ctx, v int) (int, error) {
				_, closure = ask(*cctx, a, echo(6)).Get(cctx)
				return v, nil
			})
			_, chained = derived.Get(cctx) // its function is a message of this actor as well
			awaited, _ = derived.Await(cctx)
		})
	})
	require.NoError(t, err)
	assert.Equal(t, 5, awaited)
	var deadlock *futures.DeadlockError
	require.ErrorAs(t, direct, &deadlock)
	assert.Equal(t, futures.DeadlockError{Actor: "test.clerk", Behaviour: "Do", Future: "the future of test.clerk.Ask"}, *deadlock)
	assert.ErrorContains(t, direct, "test.clerk.Do gets the future of test.clerk.Ask")
	require.ErrorAs(t, closure, &deadlock)
	assert.Equal(t, "chain", deadlock.Behaviour)
	require.ErrorAs(t, chained, &deadlock)
	assert.Equal(t, "the future of test.clerk.chain", deadlock.Future)
}

// A get of one's own future is fine when the answer is there.
func TestGetOfOwnFulfilledFuture(t *testing.T) {
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		p := futures.NewPromise[string](*cctx, (*cctx).Self())
		assert.NoError(t, p.Fulfil(*cctx, "mine"))
		v, err := p.Future().Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, "mine", v)
	}))
}

func TestWaitsThatCannotEndAreNamed(t *testing.T) {
	for _, c := range []struct {
		owner bool
		b     *rt.Behaviour
		want  string
	}{
		{false, nil, "a future that no actor is named for"},
		{true, nil, "a future of test.clerk"},
		{true, &clerkAsk, "the future of test.clerk.Ask"},
	} {
		err := run(t, rt.Config{}, func(cctx **rt.Ctx) {
			ctx := *cctx
			a := spawn(ctx)
			a.do(ctx, func(cctx **rt.Ctx) {
				var owner *rt.Actor
				if c.owner {
					owner = &spawn(*cctx).Actor
				}
				p := futures.NewPromiseFor[int](*cctx, owner, c.b)
				_, _ = p.Future().Get(cctx) // the promise is dropped
			})
		})
		var blocked *rt.BlockedError
		require.ErrorAs(t, err, &blocked)
		assert.Equal(t, []rt.BlockedWait{{Actor: "test.clerk", Behaviour: "Do", For: c.want, Get: true}}, blocked.Waits)
	}
}

func TestPanicFailsTheFuture(t *testing.T) {
	for _, way := range readings {
		var got error
		require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
			a := spawn(*cctx)
			_, got = way.read(cctx, ask(*cctx, a, func(**rt.Ctx) (int, error) { panic(errNo) }))
			v, err := way.read(cctx, ask(*cctx, a, echo(2))) // the actor goes on
			assert.NoError(t, err)
			assert.Equal(t, 2, v)
		}))
		var broken *rt.PanicError
		require.ErrorAs(t, got, &broken, way.name)
		assert.Equal(t, "test.clerk", broken.Actor)
		assert.Equal(t, "Ask", broken.Behaviour)
		assert.ErrorIs(t, got, errNo)
		assert.Contains(t, string(broken.Stack), "TestPanicFailsTheFuture")
	}
}

// A behaviour that panics after it was parked fails its future as well.
func TestPanicAfterAWait(t *testing.T) {
	for _, way := range readings {
		var got error
		require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
			a, b := spawn(*cctx), spawn(*cctx)
			f := ask(*cctx, a, func(cctx **rt.Ctx) (int, error) {
				_, _ = way.read(cctx, ask(*cctx, b, echo(1)))
				panic("late")
			})
			_, got = f.Get(cctx)
		}))
		assert.ErrorContains(t, got, "panic in test.clerk.Ask: late", way.name)
	}
}

func TestSecondAnswerIsRefused(t *testing.T) {
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		ctx := *cctx
		p := futures.NewPromise[int](ctx, nil)
		assert.NoError(t, p.Settle(ctx, 1, nil))
		for _, err := range []error{
			p.Fulfil(ctx, 2), p.Fail(ctx, errNo), p.Settle(ctx, 3, nil), p.Settle(ctx, 4, errNo),
		} {
			assert.ErrorIs(t, err, futures.ErrAlreadyFulfilled)
		}
		futures.FailReply(ctx, p.Pointer(), errNo)
		v, err := p.Future().Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 1, v)

		ctx = *cctx
		q := futures.NewPromise[int](ctx, nil)
		assert.NoError(t, q.Fail(ctx, errNo))
		assert.ErrorIs(t, q.Fulfil(ctx, 2), futures.ErrAlreadyFulfilled)
		_, err = q.Future().Get(cctx)
		assert.ErrorIs(t, err, errNo)
	}))
}

// Of several who answer at once exactly one wins, and all readers see what that one said.
func TestRacingAnswers(t *testing.T) {
	pauses(t)
	const fulfillers = 4
	rounds := hammer.Rounds(3000, 100_000)
	require.NoError(t, run(t, rt.Config{Workers: 4}, func(cctx **rt.Ctx) {
		var clerks [fulfillers]*clerk
		for i := range clerks {
			clerks[i] = spawn(*cctx)
		}
		for range rounds {
			p := futures.NewPromise[[2]int](*cctx, nil)
			var won [fulfillers]futures.Future[bool]
			for i, a := range clerks {
				won[i] = ask(*cctx, a, func(cctx **rt.Ctx) (bool, error) {
					err := p.Fulfil(*cctx, [2]int{i, i})
					v, _ := p.Future().Get(cctx)
					assert.Equal(t, v[0], v[1])
					return err == nil && v[0] == i, nil
				})
			}
			v, err := p.Future().Await(cctx)
			assert.NoError(t, err)
			for i, f := range won {
				mine, err := f.Get(cctx)
				assert.NoError(t, err)
				assert.Equal(t, v[0] == i, mine)
			}
			if t.Failed() {
				return
			}
		}
	}))
}

// A future that somebody keeps holds its answer, and neither the actor that gave it nor what it was chained on.
func TestKeptFutureKeepsOnlyItsAnswer(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 1}) // more share actors through queues that name them for a while
	var kept []futures.Future[int]
	var actors, answers atomic.Int64
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		for range 20 {
			a := spawn(*cctx)
			runtime.AddCleanup(a, func(int) { actors.Add(1) }, 0)
			answer := new([64]int)
			runtime.AddCleanup(answer, func(int) { answers.Add(1) }, 0)
			asked := ask(*cctx, a, echo(1))
			source := ask(*cctx, a, echo(answer))
			first := func(_ **rt.Ctx, v *[64]int) (int, error) { return v[0], nil }
			kept = append(kept, asked, futures.Chain(*cctx, source, first), futures.ChainDetached(*cctx, source, first))
		}
	}))
	assert.Eventually(t, func() bool {
		runtime.GC()
		return actors.Load() >= 19 && answers.Load() >= 19 // the stack may name the last ones
	}, 20*time.Second, time.Millisecond, "actors or the sources of chains stay")
	for _, f := range kept {
		_, err := f.Wait(background)
		assert.NoError(t, err)
	}
}

func TestMisuse(t *testing.T) {
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		var p futures.Promise[int]
		f := futures.NewPromise[int](*cctx, nil).Future()
		for want, misuse := range map[string]func(cctx **rt.Ctx){
			"futures: the zero Promise: it was never made": func(cctx **rt.Ctx) { _ = p.Fulfil(*cctx, 1) },
			"futures: the zero Future: it was never made":  func(cctx **rt.Ctx) { _, _ = p.Future().Get(cctx) },
			"futures: Fail without an error":               func(cctx **rt.Ctx) { _ = futures.NewPromise[int](*cctx, nil).Fail(*cctx, nil) },
			"futures: Chain of a nil function":             func(cctx **rt.Ctx) { futures.Chain[int, int](*cctx, f, nil) },
			"futures: ChainWith of a nil function":         func(cctx **rt.Ctx) { futures.ChainWith[int, int](*cctx, f, (*cons)(nil), nil) },
			"futures: ChainDetached of a nil function":     func(cctx **rt.Ctx) { futures.ChainDetached[int, int](*cctx, f, nil) },
		} {
			assert.PanicsWithValue(t, want, func() { misuse(cctx) })
		}
	}))
}

// A future that got into another runtime panics in the one who uses it there, and disturbs nobody at home.
func TestFutureOfAnotherRuntimePanicsInTheUser(t *testing.T) {
	home, abroad := runtimeOf(t, rt.Config{}), runtimeOf(t, rt.Config{})
	for name, use := range map[string]func(cctx **rt.Ctx, p futures.Promise[int]){
		"Get":           func(cctx **rt.Ctx, p futures.Promise[int]) { p.Future().Get(cctx) },
		"Await":         func(cctx **rt.Ctx, p futures.Promise[int]) { p.Future().Await(cctx) },
		"Fulfil":        func(cctx **rt.Ctx, p futures.Promise[int]) { p.Fulfil(*cctx, 1) },
		"Fail":          func(cctx **rt.Ctx, p futures.Promise[int]) { p.Fail(*cctx, errNo) },
		"ChainDetached": func(cctx **rt.Ctx, p futures.Promise[int]) { futures.ChainDetached(*cctx, p.Future(), pass) },
		"Chain":         func(cctx **rt.Ctx, p futures.Promise[int]) { futures.Chain(*cctx, p.Future(), pass) },
	} {
		var p futures.Promise[int]
		require.NoError(t, home.Do(t.Context(), func(cctx **rt.Ctx) { p = futures.NewPromise[int](*cctx, nil) }))
		err := abroad.Do(t.Context(), func(cctx **rt.Ctx) { use(cctx, p) })
		assert.ErrorContains(t, err, "belongs to another runtime", name)
		require.NoError(t, home.Run(func(cctx **rt.Ctx) {
			waiter := spawn(*cctx)
			got := ask(*cctx, waiter, func(cctx **rt.Ctx) (int, error) { return p.Future().Get(cctx) })
			assert.NoError(t, futures.Suspend(cctx))
			assert.NoError(t, p.Fulfil(*cctx, 5))
			v, err := got.Get(cctx)
			assert.NoError(t, err)
			assert.Equal(t, 5, v, name)
		}))
	}
}

func pass(_ **rt.Ctx, v int) (int, error) { return v, nil }
