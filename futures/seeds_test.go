package futures_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
	"github.com/encorert/encorert/rt/rttest"
)

// seeds runs a scenario under a thousand seeds, by two and by three workers. In invariant builds workers change also at
// the steps of a future's protocol.
func seeds(t *testing.T, cfg rt.Config, scenario func(t testing.TB, r *rt.Runtime)) {
	t.Helper()
	defer hammer.Watch(t, hammer.Limit)()
	n := hammer.Rounds(500, 100_000)
	if hammer.Race {
		n /= 20
	}
	for cfg.Workers = 2; cfg.Workers <= 3; cfg.Workers++ {
		rttest.Seeds(t, n, cfg, scenario)
	}
}

// Two race to answer while others begin to wait in all ways: one wins, and everybody hears what he has said, once.
func TestSeedsOfFulfil(t *testing.T) {
	boom := errors.New("boom")
	rttest.Modes(t, rt.Config{}, func(t *testing.T, cfg rt.Config) {
		seeds(t, cfg, func(t testing.TB, r *rt.Runtime) {
			const waiters = 7
			won := 0
			var want error
			var heard []error
			hear := func(v int, err error) {
				if err == nil {
					assert.Equal(t, 7, v)
				} else {
					assert.Zero(t, v)
				}
				heard = append(heard, err)
			}
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				ctx := *cctx
				p := futures.NewPromise[int](ctx, nil)
				f := p.Future()
				note := func(err error, meant error) {
					if err == nil {
						won++
						want = meant
					} else {
						assert.ErrorIs(t, err, futures.ErrAlreadyFulfilled)
					}
				}
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) { note(p.Fulfil(*cctx, 7), nil) })
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) { note(p.Fail(*cctx, boom), boom) })
				for _, way := range readings {
					spawn(ctx).do(ctx, func(cctx **rt.Ctx) { hear(way.read(cctx, f)) })
				}
				for _, chain := range []func(*rt.Ctx, futures.Future[int], func(**rt.Ctx, int) (int, error)) futures.Future[int]{
					futures.Chain[int, int], futures.ChainDetached[int, int],
				} {
					spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
						called := 0
						g := chain(*cctx, f, func(_ **rt.Ctx, v int) (int, error) {
							called++
							return v, nil
						})
						hear(g.Await(cctx))
						assert.LessOrEqual(t, called, 1)
						hear(g.Get(cctx))
					})
				}
			}))
			assert.Equal(t, 1, won)
			assert.Len(t, heard, waiters)
			for _, err := range heard {
				assert.Equal(t, want, err)
			}
		})
	})
}

// What an actor has sent before it answers comes before what is sent by those who know the answer, in whatever way they
// have learnt it.
func TestSeedsOfCausality(t *testing.T) {
	seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
		heard := map[int]bool{}
		later := 0
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			ctx := *cctx
			target, other := spawn(ctx), spawn(ctx)
			target.do(ctx, func(**rt.Ctx) {}) // so that it has a home, from which others are far
			p := futures.NewPromise[int](ctx, nil)
			tell := func(ctx *rt.Ctx) {
				target.do(ctx, func(**rt.Ctx) {
					assert.True(t, heard[0], "an effect came before its cause")
					later++
				})
			}
			spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
				other.do(*cctx, func(**rt.Ctx) {})
				target.do(*cctx, func(**rt.Ctx) { heard[0] = true })
				assert.NoError(t, p.Fulfil(*cctx, 1))
				for range 5 {
					invariant.Point("test") // it has not ended yet
				}
			})
			for _, way := range readings {
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
					_, err := way.read(cctx, p.Future())
					assert.NoError(t, err)
					tell(*cctx)
				})
			}
			for _, chain := range []func(*rt.Ctx, futures.Future[int], func(**rt.Ctx, int) (int, error)) futures.Future[int]{
				futures.Chain[int, int], futures.ChainDetached[int, int],
			} {
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
					chain(*cctx, p.Future(), func(cctx **rt.Ctx, _ int) (int, error) {
						tell(*cctx)
						return 0, nil
					})
				})
			}
		}))
		assert.Equal(t, 5, later)
	})
}

// Functions that one actor chains on one future start in the order of the calls, whenever the answer comes.
func TestSeedsOfChains(t *testing.T) {
	seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
		var order []int
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			ctx := *cctx
			p := futures.NewPromise[int](ctx, nil)
			spawn(ctx).do(ctx, func(cctx **rt.Ctx) { assert.NoError(t, p.Fulfil(*cctx, 1)) })
			spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
				var last futures.Future[int]
				for i := range 4 {
					last = futures.Chain(*cctx, p.Future(), func(**rt.Ctx, int) (int, error) {
						order = append(order, i)
						return i, nil
					})
					if i%2 == 1 {
						assert.NoError(t, futures.Suspend(cctx))
					}
				}
				v, err := last.Await(cctx)
				assert.NoError(t, err)
				assert.Equal(t, 3, v)
			})
		}))
		assert.Equal(t, []int{0, 1, 2, 3}, order)
	})
}

// A chain of chains, each link by another actor, some added before and some after the answer.
func TestSeedsOfLongChains(t *testing.T) {
	seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
		got := 0
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			f := ask(*cctx, spawn(*cctx), echo(0))
			for i := range 6 {
				f = must(ask(*cctx, spawn(*cctx), func(cctx **rt.Ctx) (futures.Future[int], error) {
					add := func(_ **rt.Ctx, v int) (int, error) { return v + 1, nil }
					if i%2 == 0 {
						return futures.Chain(*cctx, f, add), nil
					}
					return futures.ChainDetached(*cctx, f, add), nil
				}).Get(cctx))
			}
			got = must(f.Await(cctx))
		}))
		assert.Equal(t, 6, got)
	})
}

// Heap objects go through futures whole, whoever reads them when.
func TestSeedsOfObjects(t *testing.T) {
	seeds(t, strict, func(t testing.TB, r *rt.Runtime) {
		read := 0
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			ctx := *cctx
			p := futures.NewPromise[*cons](ctx, nil)
			for i := range 2 {
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
					if err := p.Fulfil(*cctx, numbers(*cctx, 5, int64(i))); err != nil {
						assert.ErrorIs(t, err, futures.ErrAlreadyFulfilled)
					}
				})
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
					list, err := p.Future().Get(cctx)
					assert.NoError(t, err)
					assert.True(t, isNumbers(list, 5, list.value))
					read++
				})
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
					futures.Chain(*cctx, p.Future(), func(_ **rt.Ctx, list *cons) (int, error) {
						assert.True(t, isNumbers(list, 5, list.value))
						read++
						return 0, nil
					})
				})
			}
		}))
		assert.Equal(t, 4, read)
	})
}

// A behaviour that panics at any moment fails its future, and only that.
func TestSeedsOfPanics(t *testing.T) {
	seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
		var failed []bool
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			a := spawn(*cctx)
			var all []futures.Future[int]
			for i := range 4 {
				all = append(all, ask(*cctx, a, func(cctx **rt.Ctx) (int, error) {
					if i >= 2 {
						_ = futures.Suspend(cctx)
					}
					if i%2 == 1 {
						panic("no")
					}
					return i, nil
				}))
			}
			for i, f := range all {
				v, err := f.Await(cctx)
				_, ok := errors.AsType[*rt.PanicError](err)
				failed = append(failed, ok)
				if !ok {
					assert.Equal(t, i, v)
				}
			}
		}))
		assert.Equal(t, []bool{false, true, false, true}, failed)
	})
}

// Who waits when the runtime is closed is told so, whatever he waits for; the promise may be fulfilled in the course of it.
func TestSeedsOfClosing(t *testing.T) {
	seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
		var ended []int
		err := r.Run(func(cctx **rt.Ctx) {
			ctx := *cctx
			never, late := futures.NewPromise[int](ctx, nil), futures.NewPromise[int](ctx, nil)
			for i := range 4 {
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
					defer func() {
						ended = append(ended, i)
						_ = late.Fulfil(*cctx, i)
					}()
					p := never
					if i%2 == 1 {
						p = late
					}
					_, _ = readings[i/2].read(cctx, p.Future())
					assert.Fail(t, "it goes on")
				})
			}
		})
		_, ok := errors.AsType[*rt.BlockedError](err)
		assert.True(t, ok, "%v", err)
		assert.NoError(t, r.Close())
		slices.Sort(ended)
		assert.Equal(t, []int{0, 1, 2, 3}, ended)
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
