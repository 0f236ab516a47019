package futures_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// Every get, await and suspend goes on with the context of the worker that it goes on on.
func TestEveryWaitMigrates(t *testing.T) {
	const clerks, rounds = 8, 100
	workers := max(2, runtime.GOMAXPROCS(0))
	r := runtimeOf(t, rt.Config{Workers: workers, AlwaysMigrate: true})
	defer hammer.Watch(t, hammer.Limit)()
	var waits, moved atomic.Int64
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		server := spawn(ctx)
		for range clerks {
			spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
				for i := range rounds {
					// A wait that has parked the strand has moved it. One that found the answer has done neither, so
					// what is counted here is only compared with what the runtime counts.
					before := *cctx
					assert.NoError(t, futures.Suspend(cctx)) // always parks, so always moves
					assert.NotSame(t, before, *cctx)
					for _, way := range readings {
						before, cell := *cctx, cctx
						v, err := way.read(cctx, ask(*cctx, server, echo(i)))
						assert.NoError(t, err)
						assert.Equal(t, i, v)
						assert.True(t, cell == cctx, "the cell is the strand's")
						(*cctx).CheckLeaf()
						waits.Add(1)
						if *cctx != before {
							moved.Add(1)
						}
					}
				}
			})
		}
	}))
	s := r.Stats()
	assert.EqualValues(t, 3*clerks*rounds, waits.Load())
	assert.GreaterOrEqual(t, s.Migrations, uint64(clerks*rounds))
	assert.Equal(t, s.Resumes, s.Migrations)
	assert.Equal(t, s.Parks, s.Resumes)
	assert.Positive(t, moved.Load())
}

// Close ends behaviours that wait: their deferred functions run, and what these wait for is refused.
func TestCloseDuringWaits(t *testing.T) {
	for _, way := range readings {
		r := runtimeOf(t, rt.Config{})
		var deferred, returned atomic.Int64
		const waiters = 30
		p := promised[int](t, r)
		require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
			ctx := *cctx
			var asleep []futures.Future[int]
			for range waiters {
				started := futures.NewPromise[int](ctx, nil)
				asleep = append(asleep, started.Future())
				a := spawn(ctx)
				ask(ctx, a, func(cctx **rt.Ctx) (int, error) {
					defer func() {
						deferred.Add(1)
						_, err := p.Future().Get(cctx)
						assert.ErrorIs(t, err, rt.ErrClosed)
						_, err = p.Future().Await(cctx)
						assert.ErrorIs(t, err, rt.ErrClosed)
						assert.ErrorIs(t, futures.Suspend(cctx), rt.ErrClosed)
						// What is sent and answered now goes nowhere, and harms nobody.
						futures.Chain(*cctx, ask(*cctx, a, echo(1)), func(**rt.Ctx, int) (int, error) { return 0, nil })
					}()
					_ = started.Fulfil(*cctx, 1)
					_, _ = way.read(cctx, p.Future())
					returned.Add(1)
					return 0, nil
				})
			}
			for _, f := range asleep {
				_, _ = f.Get(cctx)
			}
			_ = futures.Suspend(cctx)
		}))
		stop := hammer.Watch(t, hammer.Limit)
		require.NoError(t, r.Close())
		stop()
		assert.EqualValues(t, waiters, deferred.Load(), way.name)
		assert.Zero(t, returned.Load(), way.name)
	}
}

// One deferred function answers what others still wait for while the runtime unwinds them.
func TestAnswerDuringUnwinding(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	p, q := promised[int](t, r), promised[int](t, r)
	var seen atomic.Int64
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		for i := range 6 {
			spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
				defer func() {
					_ = q.Fulfil(*cctx, i)
					if _, err := q.Future().Get(cctx); err == nil { // it is there
						seen.Add(1)
					}
				}()
				_, _ = readings[i%2].read(cctx, []futures.Promise[int]{p, q}[i/2%2].Future())
			})
		}
		for range 100 {
			_ = futures.Suspend(cctx)
		}
	}))
	require.NoError(t, r.Close())
	assert.EqualValues(t, 6, seen.Load())
}
