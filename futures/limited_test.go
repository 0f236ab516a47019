package futures_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
	"github.com/encorert/encorert/rt/rttest"
)

// limit is one way to wait up to some time.
type limit struct {
	name string
	wait func(cctx **rt.Ctx, f futures.Future[int], d time.Duration) (int, error)
}

var limits = []limit{
	{"GetWithin", func(cctx **rt.Ctx, f futures.Future[int], d time.Duration) (int, error) { return f.GetWithin(cctx, d) }},
	{"AwaitWithin", func(cctx **rt.Ctx, f futures.Future[int], d time.Duration) (int, error) {
		return f.AwaitWithin(cctx, d)
	}},
	{"GetUntil", func(cctx **rt.Ctx, f futures.Future[int], d time.Duration) (int, error) {
		return f.GetUntil(cctx, (*cctx).Runtime().Now().Add(d))
	}},
	{"AwaitUntil", func(cctx **rt.Ctx, f futures.Future[int], d time.Duration) (int, error) {
		return f.AwaitUntil(cctx, (*cctx).Runtime().Now().Add(d))
	}},
}

// In logical time the wait takes exactly as long as it may, and the run stays open for it.
func TestDeadlinePasses(t *testing.T) {
	for _, way := range limits {
		for _, d := range []time.Duration{time.Hour, 0, -time.Second} {
			rttest.Seeds(t, 30, rt.Config{Workers: 2}, func(t testing.TB, r *rt.Runtime) {
				var took time.Duration
				var got error
				require.NoError(t, r.Run(func(cctx **rt.Ctx) {
					a := spawn(*cctx)
					p := futures.NewPromiseFor[int](*cctx, &a.Actor, &clerkAsk)
					spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
						began := r.Now()
						_, got = way.wait(cctx, p.Future(), d)
						took = r.Now().Sub(began)
						_, _, there := p.Future().TryGet(*cctx)
						assert.False(t, there)
					})
				}))
				var late *futures.DeadlineError
				require.ErrorAs(t, got, &late)
				assert.Equal(t, "test.clerk", late.Actor)
				assert.Equal(t, "Do", late.Behaviour)
				assert.Equal(t, "the future of test.clerk.Ask", late.Future)
				assert.ErrorIs(t, got, os.ErrDeadlineExceeded)
				assert.ErrorIs(t, got, context.DeadlineExceeded)
				assert.NotErrorIs(t, got, context.Canceled)
				assert.True(t, late.Timeout())
				if d > 0 {
					assert.GreaterOrEqual(t, took, d-time.Millisecond)
					assert.Less(t, took, d+time.Minute)
				} else {
					assert.Less(t, took, time.Minute)
				}
			})
		}
	}
}

// An answer in time ends the wait, and the clock is left alone: the run does not last as long as the limit.
func TestAnswerInTime(t *testing.T) {
	for _, way := range limits {
		rttest.Seeds(t, 30, rt.Config{Workers: 2}, func(t testing.TB, r *rt.Runtime) {
			began := r.Now()
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				v, err := way.wait(cctx, ask(*cctx, spawn(*cctx), echo(5)), time.Hour)
				assert.NoError(t, err)
				assert.Equal(t, 5, v)
			}))
			assert.Less(t, r.Now().Sub(began), time.Minute)
		})
	}
}

// The answer races with the time-out, as others wait for it in all ways: each hears one outcome, and all who hear an answer
// hear the same.
func TestSeedsOfDeadlines(t *testing.T) {
	outcomes := map[bool]int{}
	seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
		heard := 0
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			ctx := *cctx
			p := futures.NewPromise[int](ctx, nil)
			for _, way := range limits {
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
					v, err := way.wait(cctx, p.Future(), 100*time.Microsecond)
					heard++
					outcomes[err == nil]++
					if err != nil {
						assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
						assert.Zero(t, v)
						v, err = p.Future().Await(cctx)
					}
					assert.NoError(t, err)
					assert.Equal(t, 7, v)
				})
			}
			for _, way := range readings[:2] { // who tries again and again lets no time pass
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
					v, err := way.read(cctx, p.Future())
					heard++
					assert.NoError(t, err)
					assert.Equal(t, 7, v)
				})
			}
			_, err := rt.After(ctx, time.Duration(50+ctx.Rand()%100)*time.Microsecond, func(cctx **rt.Ctx) { assert.NoError(t, p.Fulfil(*cctx, 7)) })
			assert.NoError(t, err)
		}))
		assert.Equal(t, len(limits)+2, heard)
	})
	assert.Positive(t, outcomes[true], "no seed had the answer first")
	assert.Positive(t, outcomes[false], "no seed had the time-out first")
}

// The same race on processors, against Go's clock.
func TestAnswerRacesDeadline(t *testing.T) {
	pauses(t)
	rounds := hammer.Rounds(300, 100_000)
	var answered, late atomic.Int64
	require.NoError(t, run(t, rt.Config{Workers: 3}, func(cctx **rt.Ctx) {
		clerks := []*clerk{spawn(*cctx), spawn(*cctx), spawn(*cctx), spawn(*cctx)}
		for round := range rounds {
			p := futures.NewPromise[int](*cctx, nil)
			var all []futures.Future[int]
			for i, a := range clerks {
				all = append(all, ask(*cctx, a, func(cctx **rt.Ctx) (int, error) {
					v, err := limits[i].wait(cctx, p.Future(), time.Duration(1+round%8)*20*time.Microsecond)
					if err == nil {
						answered.Add(1)
						return v, nil
					}
					assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
					late.Add(1)
					return p.Future().Await(cctx)
				}))
			}
			if round%2 == 0 {
				time.Sleep(time.Duration(round%8) * 20 * time.Microsecond)
			}
			assert.NoError(t, p.Fulfil(*cctx, round))
			for _, f := range all {
				v, err := f.Get(cctx)
				assert.NoError(t, err)
				assert.Equal(t, round, v)
			}
			if t.Failed() {
				return
			}
		}
	}))
	assert.EqualValues(t, len(limits)*rounds, answered.Load()+late.Load())
}

// Waiting for the same future again and again with a short time leaves nothing behind: neither in memory nor as a hold on the
// run.
func TestLimitsLeaveNothingBehind(t *testing.T) {
	tries := 2000
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapObjects
	}
	var before, after uint64
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		p := futures.NewPromise[int](*cctx, nil)
		for i := range tries + 100 {
			if i == 100 {
				before = live()
			}
			if _, err := limits[i%len(limits)].wait(cctx, p.Future(), time.Microsecond); err == nil {
				assert.Fail(t, "there is no answer")
			}
			follower := p.Future().Follow(*cctx)
			follower.Cancel(*cctx)
			done := futures.NewPromise[int](*cctx, nil)
			first := futures.Race(*cctx, p.Future(), done.Future())
			assert.NoError(t, done.Fulfil(*cctx, i))
			v, err := first.Get(cctx)
			assert.NoError(t, err)
			assert.Equal(t, i, v)
		}
		after = live()
		_ = p.Fulfil(*cctx, 1)
	}))
	assert.Less(t, after, before+500)
}

// Close ends waits with a limit as it ends others, and their alarms.
func TestCloseDuringLimitedWaits(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	p := promised[int](t, r)
	var ended atomic.Int64
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		var asleep []futures.Future[int]
		for i, way := range limits {
			parked := futures.NewPromise[int](*cctx, nil)
			asleep = append(asleep, parked.Future())
			spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
				defer ended.Add(1)
				defer func() {
					// It returns only where the strand unwinds already; else this wait is unwound as well.
					_, err := way.wait(cctx, p.Future(), time.Hour)
					assert.ErrorIs(t, err, rt.ErrClosed)
				}()
				_ = parked.Fulfil(*cctx, i)
				_, _ = way.wait(cctx, p.Future(), time.Duration(1+i%2*1000)*time.Millisecond)
				if i%2 == 1 {
					assert.Fail(t, "it goes on")
				}
			})
		}
		for _, f := range asleep {
			_, _ = f.Get(cctx)
		}
	}))
	require.NoError(t, r.Close())
	assert.EqualValues(t, len(limits), ended.Load())
}

// A future that only the same actor can fulfil is reported at once, and not when the time is over.
func TestLimitedGetOfOwnFuture(t *testing.T) {
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		p := futures.NewPromise[int](*cctx, (*cctx).Self())
		_, err := p.Future().GetWithin(cctx, time.Hour)
		_, ok := errors.AsType[*futures.DeadlockError](err)
		assert.True(t, ok, "%v", err)
	}))
}
