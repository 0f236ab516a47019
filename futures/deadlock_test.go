package futures_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// Actors that get from each other in a circle, of any length, also through forwarded futures: at least one is told at once, and
// so all others go on.
func TestCircleOfGetsIsReported(t *testing.T) {
	for n := 2; n <= 12; n += 5 {
		for _, forward := range []bool{false, true} {
			told := make([]error, n)
			ended := 0
			require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
				ctx := *cctx
				all := make([]*clerk, n)
				for i := range all {
					all[i] = spawn(ctx)
				}
				ready := futures.NewPromise[int](ctx, nil) // so that each is busy before it asks the next
				var ends []futures.Future[int]
				for i, a := range all {
					ends = append(ends, ask(ctx, a, func(cctx **rt.Ctx) (int, error) {
						_, _ = ready.Future().Get(cctx)
						f := ask(*cctx, all[(i+1)%n], echo(1))
						if forward {
							p := futures.NewPromise[int](*cctx, nil)
							p.Forward(*cctx, f)
							f = p.Future()
						}
						_, told[i] = f.Get(cctx)
						return 0, nil
					}))
				}
				_ = ready.Fulfil(ctx, 0)
				for _, f := range ends {
					_, _ = f.Get(cctx)
					ended++
				}
			}))
			assert.Equal(t, n, ended)
			found := 0
			for _, err := range told {
				if err == nil {
					continue
				}
				found++
				var deadlock *futures.DeadlockError
				require.ErrorAs(t, err, &deadlock)
				assert.Len(t, deadlock.Through, n-1)
				assert.Equal(t, "test.clerk", deadlock.Through[0].Actor)
				assert.Contains(t, err.Error(), "test.clerk.Ask gets ")
				if !forward {
					assert.Equal(t, "the future of test.clerk.Ask", deadlock.Through[n-2].Future)
				} else {
					assert.Equal(t, "a future that no actor is named for, forwarded to the future of test.clerk.Ask", deadlock.Future)
				}
				assert.Equal(t, min(n-1, 10), strings.Count(err.Error(), ", while test.clerk gets "))
				if n > 11 {
					assert.ErrorContains(t, err, ", and so on through 1 more: a circle")
				}
			}
			assert.Positive(t, found, "%d, %v", n, forward)
		}
	}
}

// In all orders of two and three that close a circle: somebody is told, nobody waits for ever, and only gets without a limit
// count.
func TestSeedsOfCircles(t *testing.T) {
	for n := 2; n <= 3; n++ {
		seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
			told, ended := 0, 0
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				ctx := *cctx
				all := make([]*clerk, n)
				for i := range all {
					all[i] = spawn(ctx)
				}
				for i, a := range all {
					a.do(ctx, func(cctx **rt.Ctx) {
						_, err := ask(*cctx, all[(i+1)%n], echo(1)).Get(cctx)
						if _, deadlock := errors.AsType[*futures.DeadlockError](err); deadlock {
							told++
						} else {
							assert.NoError(t, err)
						}
						ended++
					})
				}
			}))
			assert.Equal(t, n, ended)
			assert.LessOrEqual(t, told, n)
		})
	}
}

// Where one of the circle awaits, or waits up to a limit, there is none: everybody goes on, under every seed.
func TestSeedsWithoutCircles(t *testing.T) {
	for name, way := range map[string]func(cctx **rt.Ctx, f futures.Future[int]) (int, error){
		"await": func(cctx **rt.Ctx, f futures.Future[int]) (int, error) { return f.Await(cctx) },
		"limit": func(cctx **rt.Ctx, f futures.Future[int]) (int, error) { return f.GetWithin(cctx, time.Second) },
	} {
		seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
			ended := 0
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				ctx := *cctx
				a, b, c := spawn(ctx), spawn(ctx), spawn(ctx)
				get := func(cctx **rt.Ctx, f futures.Future[int]) (int, error) { return f.Get(cctx) }
				for _, x := range []struct {
					from, to *clerk
					way      func(cctx **rt.Ctx, f futures.Future[int]) (int, error)
				}{{a, b, get}, {b, c, get}, {c, a, way}} {
					x.from.do(ctx, func(cctx **rt.Ctx) {
						_, err := x.way(cctx, ask(*cctx, x.to, echo(1)))
						if _, late := errors.AsType[*futures.DeadlineError](err); !late {
							assert.NoError(t, err, name)
						}
						ended++
					})
				}
			}))
			assert.Equal(t, 3, ended)
		})
	}
}

// An actor that is passed on the way answers, and then stops for the one who looks: so the path comes back though there is no
// circle, and nobody may be told of one.
func TestSlowProgressIsNotReported(t *testing.T) {
	pauses(t)
	meet := func(t testing.TB, cctx **rt.Ctx) {
		ctx := *cctx
		a, b, c := spawn(ctx), spawn(ctx), spawn(ctx)
		last := futures.NewPromise[int](ctx, nil)
		first := ask(ctx, a, func(cctx **rt.Ctx) (int, error) {
			return ask(*cctx, b, func(cctx **rt.Ctx) (int, error) {
				f := ask(*cctx, c, echo(1))
				c.do(*cctx, func(cctx **rt.Ctx) { // behind that answer
					v, err := ask(*cctx, a, echo(2)).Get(cctx)
					assert.NoError(t, last.Settle(*cctx, v, err))
				})
				return f.Get(cctx)
			}).Get(cctx)
		})
		v, err := first.Await(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
		v, err = last.Future().Await(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 2, v)
	}
	seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
		require.NoError(t, r.Run(func(cctx **rt.Ctx) { meet(t, cctx) }))
	})
	require.NoError(t, run(t, rt.Config{Workers: 3}, func(cctx **rt.Ctx) {
		for range hammer.Rounds(1000, 200_000) {
			if meet(t, cctx); t.Failed() {
				return
			}
		}
	}))
}

// An actor that has got what it waited for, or an error instead, blocks on nothing.
func TestNoteIsTakenBack(t *testing.T) {
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		self := (*cctx).Self()
		_, err := ask(*cctx, spawn(*cctx), echo(1)).Get(cctx)
		assert.NoError(t, err)
		assert.Nil(t, self.BlocksOn())
		_, err = futures.NewPromise[int](*cctx, self).Future().Get(cctx)
		assert.Error(t, err)
		assert.Nil(t, self.BlocksOn())
	}))
}
