package futures_test

import (
	"errors"
	"fmt"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// several makes n promises and their futures.
func several(ctx *rt.Ctx, n int) (ps []futures.Promise[int], fs []futures.Future[int]) {
	for range n {
		p := futures.NewPromise[int](ctx, nil)
		ps, fs = append(ps, p), append(fs, p.Future())
	}
	return ps, fs
}

// What each combinator answers, for every order in which three futures are answered with a value or an error, before or after
// it is made.
func TestCombinators(t *testing.T) {
	orders := [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	wrong := []error{errors.New("a"), errors.New("b"), errors.New("c")}
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		for _, order := range orders {
			for fail := range 8 {
				for early := range 4 { // how many are answered before
					name := fmt.Sprint(order, fail, early)
					fails := func(i int) bool { return fail>>i&1 == 1 }
					ps, fs := several(*cctx, 3)
					answer := func(i int) {
						var err error
						if fails(i) {
							err = wrong[i]
						}
						assert.NoError(t, ps[i].Settle(*cctx, 10+i, err))
					}
					for _, i := range order[:early] {
						answer(i)
					}
					ctx := *cctx
					all, settled := futures.All(ctx, fs...), futures.Settled(ctx, fs...)
					race, which, success := futures.Race(ctx, fs...), futures.Any(ctx, fs...), futures.FirstSuccess(ctx, fs...)
					for _, i := range order[early:] {
						answer(i)
					}

					// Those that were answered before are found in the order of the arguments, and so in no order of time.
					seen := order
					if early > 1 {
						seen = [3]int{}
						n := 0
						for i := range 3 {
							for _, x := range order[:early] {
								if x == i {
									seen[n] = i
									n++
								}
							}
						}
						copy(seen[n:], order[early:])
					}
					var failed []int
					firstValue := -1
					for _, i := range seen {
						if fails(i) {
							failed = append(failed, i)
						} else if firstValue < 0 {
							firstValue = i
						}
					}
					values, err := all.Get(cctx)
					if len(failed) == 0 {
						assert.NoError(t, err, name)
						assert.Equal(t, []int{10, 11, 12}, values, name)
					} else {
						assert.Equal(t, wrong[failed[0]], err, name)
					}
					n, err := settled.Get(cctx)
					assert.NoError(t, err, name)
					assert.Equal(t, len(failed), n, name)
					v, err := race.Get(cctx)
					if fails(seen[0]) {
						assert.Equal(t, wrong[seen[0]], err, name)
					} else {
						assert.Equal(t, 10+seen[0], v, name)
					}
					i, err := which.Get(cctx)
					assert.NoError(t, err, name)
					assert.Equal(t, seen[0], i, name)
					v, err = success.Get(cctx)
					if firstValue < 0 {
						var allFailed *futures.AllFailedError
						if assert.ErrorAs(t, err, &allFailed, name) {
							assert.Equal(t, wrong, allFailed.Errors)
							assert.ErrorIs(t, err, wrong[2])
							assert.ErrorContains(t, err, "all of 3 futures have failed, the first with: a")
						}
					} else {
						assert.NoError(t, err, name)
						assert.Equal(t, 10+firstValue, v, name)
					}
				}
			}
		}
	}))
}

func TestCombinatorsOfNothing(t *testing.T) {
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		values, err := futures.All[int](*cctx).Get(cctx)
		assert.NoError(t, err)
		assert.Empty(t, values)
		n, err := futures.Settled[int](*cctx).Get(cctx)
		assert.NoError(t, err)
		assert.Zero(t, n)
		assert.PanicsWithValue(t, "futures: Race of no futures", func() { futures.Race[int](*cctx) })
		assert.PanicsWithValue(t, "futures: Any of no futures", func() { futures.Any[int](*cctx) })
		assert.PanicsWithValue(t, "futures: FirstSuccess of no futures", func() { futures.FirstSuccess[int](*cctx) })
		assert.Panics(t, func() { futures.All[*cons](*cctx) })
	}))
}

// Whoever derives a future may cancel it, which ends the waits for it and no others.
func TestCancel(t *testing.T) {
	derive := map[string]func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int]{
		"Follow":       func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int] { return f.Follow(ctx) },
		"Race":         func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int] { return futures.Race(ctx, f, f) },
		"FirstSuccess": func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int] { return futures.FirstSuccess(ctx, f) },
		"Any":          func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int] { return futures.Any(ctx, f) },
		"Settled":      func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int] { return futures.Settled(ctx, f) },
		"Chain": func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int] {
			return futures.Chain(ctx, f, forbidden(t))
		},
		"ChainDetached": func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int] {
			return futures.ChainDetached(ctx, f, forbidden(t))
		},
		"ChainWith": func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int] {
			return futures.ChainWith(ctx, f, newCons(ctx, nil, 1), func(**rt.Ctx, int, *cons) (int, error) {
				assert.Fail(t, "called although it was cancelled")
				return 0, nil
			})
		},
		"Forward": func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int] {
			p := futures.NewPromise[int](ctx, nil)
			p.Forward(ctx, f)
			return p.Future()
		},
	}
	for name, derive := range derive {
		for _, way := range readings {
			require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
				p := futures.NewPromise[int](*cctx, nil)
				f := derive(*cctx, p.Future())
				waiting := ask(*cctx, spawn(*cctx), func(cctx **rt.Ctx) (int, error) { return way.read(cctx, f) })
				other := ask(*cctx, spawn(*cctx), func(cctx **rt.Ctx) (int, error) { return way.read(cctx, p.Future()) })
				assert.NoError(t, futures.Suspend(cctx))
				assert.True(t, f.Cancel(*cctx), name)
				assert.False(t, f.Cancel(*cctx), name)
				_, err := waiting.Get(cctx)
				assert.ErrorIs(t, err, futures.ErrCanceled, name)
				assert.NoError(t, p.Fulfil(*cctx, 5))
				v, err := other.Get(cctx)
				assert.NoError(t, err)
				assert.Equal(t, 5, v)
				_, err = f.Get(cctx)
				assert.ErrorIs(t, err, futures.ErrCanceled, name)
			}))
		}
	}
}

func forbidden(t *testing.T) func(**rt.Ctx, int) (int, error) {
	return func(**rt.Ctx, int) (int, error) {
		assert.Fail(t, "called although it was cancelled")
		return 0, nil
	}
}

// A behaviour that has begun learns that nobody wants its answer any more; one that has not begun does not run.
func TestWanted(t *testing.T) {
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		a := spawn(*cctx)
		assert.True(t, futures.Wanted(*cctx))
		begun, goOn := futures.NewPromise[int](*cctx, nil), futures.NewPromise[int](*cctx, nil)
		seen := make(map[string]bool)
		f := ask(*cctx, a, func(cctx **rt.Ctx) (int, error) {
			seen["before"] = futures.Wanted(*cctx)
			_ = begun.Fulfil(*cctx, 1)
			_, _ = goOn.Future().Get(cctx)
			seen["after"] = futures.Wanted(*cctx)
			return 1, nil
		})
		behind := ask(*cctx, a, func(**rt.Ctx) (int, error) { seen["behind"] = true; return 1, nil })
		_, _ = begun.Future().Get(cctx)
		assert.True(t, f.Cancel(*cctx))
		assert.True(t, behind.Cancel(*cctx))
		_ = goOn.Fulfil(*cctx, 1)
		last := ask(*cctx, a, func(cctx **rt.Ctx) (bool, error) { return futures.Wanted(*cctx), nil })
		v, err := last.Get(cctx)
		assert.NoError(t, err)
		assert.True(t, v)
		assert.Equal(t, map[string]bool{"before": true, "after": false}, seen)
	}))
}

// Wanted where the behaviour's reply is none: what Do runs.
func TestWantedInDo(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) { assert.True(t, futures.Wanted(*cctx)) }))
}

// A row of a million futures, each forwarded to the next or derived from it, is answered in little stack, from whichever end
// it was made.
func TestLongRows(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	links := hammer.Rounds(100_000, 1_000_000)
	if hammer.Race {
		links /= 10
	}
	rows := map[string]func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int]{
		"Forward": func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int] {
			p := futures.NewPromise[int](ctx, nil)
			p.Forward(ctx, f)
			return p.Future()
		},
		"Follow":  func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int] { return f.Follow(ctx) },
		"Settled": func(ctx *rt.Ctx, f futures.Future[int]) futures.Future[int] { return futures.Settled(ctx, f) },
	}
	for name, link := range rows {
		require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
			p := futures.NewPromise[int](*cctx, nil)
			last := p.Future()
			for range links {
				last = link(*cctx, last)
			}
			assert.NoError(t, p.Fulfil(*cctx, 0))
			v, err, there := last.TryGet(*cctx) // all of it is done by the one who answers
			assert.True(t, there, name)
			assert.NoError(t, err)
			assert.Zero(t, v)
		}))
	}
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) { // forwarded from the end
		ps, fs := several(*cctx, links)
		for i := range links - 1 {
			ps[i].Forward(*cctx, fs[i+1])
		}
		assert.NoError(t, ps[links-1].Fulfil(*cctx, 9))
		v, err := fs[0].Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 9, v)
	}))
}

// Forwarding in all orders of making, answering and waiting, also of heap objects.
func TestSeedsOfForward(t *testing.T) {
	seeds(t, strict, func(t testing.TB, r *rt.Runtime) {
		heard := 0
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			ctx := *cctx
			first, second := futures.NewPromise[*cons](ctx, nil), futures.NewPromise[*cons](ctx, nil)
			third := futures.Race(ctx, second.Future())
			spawn(ctx).do(ctx, func(cctx **rt.Ctx) { assert.NoError(t, first.Fulfil(*cctx, numbers(*cctx, 4, 3))) })
			spawn(ctx).do(ctx, func(cctx **rt.Ctx) { second.Forward(*cctx, first.Future()) })
			for i := range 4 {
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
					f := second.Future()
					if i%2 == 1 {
						f = third
					}
					read := f.Get
					if i/2 == 1 {
						read = f.Await
					}
					list, err := read(cctx)
					assert.NoError(t, err)
					assert.True(t, isNumbers(list, 4, 3))
					heard++
				})
			}
		}))
		assert.Equal(t, 4, heard)
	})
}

// Cancel races with the answer, and with the time-outs of those who wait: whoever waits hears one of them, and all who hear an
// answer hear the same.
func TestSeedsOfCancel(t *testing.T) {
	won := map[bool]int{}
	seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
		heard, ran := 0, 0
		canceled := false
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			ctx := *cctx
			f := ask(ctx, spawn(ctx), func(**rt.Ctx) (int, error) { ran++; return 7, nil })
			spawn(ctx).do(ctx, func(cctx **rt.Ctx) { canceled = f.Cancel(*cctx) })
			var all []error
			for i, way := range readings {
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
					g := f
					if i == 1 {
						g = f.Follow(*cctx)
					}
					v, err := way.read(cctx, g)
					if err == nil {
						assert.Equal(t, 7, v)
					} else {
						assert.ErrorIs(t, err, futures.ErrCanceled)
					}
					all = append(all, err)
					if heard++; heard == len(readings) {
						for _, err := range all {
							assert.Equal(t, all[0], err)
						}
					}
				})
			}
		}))
		assert.Equal(t, len(readings), heard)
		if !canceled {
			assert.Equal(t, 1, ran)
		}
		won[canceled]++
	})
	assert.Positive(t, won[true])
	assert.Positive(t, won[false])
}

// All, Race and FirstSuccess while their futures are answered by others, in all orders.
func TestSeedsOfCombinators(t *testing.T) {
	seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
		heard := 0
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			ctx := *cctx
			ps, fs := several(ctx, 3)
			order := []int{}
			for i, p := range ps {
				spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
					order = append(order, i)
					if i == 1 {
						assert.NoError(t, p.Fail(*cctx, errNo))
						return
					}
					assert.NoError(t, p.Fulfil(*cctx, i))
				})
			}
			spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
				all := futures.All(*cctx, fs...)
				_, err := all.Await(cctx)
				assert.Equal(t, errNo, err)
				heard++
			})
			spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
				first := futures.FirstSuccess(*cctx, fs...)
				v, err := first.Get(cctx)
				assert.NoError(t, err)
				assert.NotEqual(t, 1, v)
				heard++
			})
			spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
				race, settled := futures.Race(*cctx, fs...), futures.Settled(*cctx, fs...)
				n, err := settled.Await(cctx)
				assert.NoError(t, err)
				assert.Equal(t, 1, n)
				_, _, there := race.TryGet(*cctx)
				assert.True(t, there)
				both, err := futures.All(*cctx, fs[0], fs[2]).Get(cctx)
				assert.NoError(t, err)
				assert.Equal(t, []int{0, 2}, both)
				heard++
			})
		}))
		assert.Equal(t, 3, heard)
	})
}

// Futures that are answered on all workers at once: All has every value, and each contest one winner.
func TestAllUnderWay(t *testing.T) {
	pauses(t)
	rounds := hammer.Rounds(200, 20_000)
	require.NoError(t, run(t, rt.Config{Workers: 4}, func(cctx **rt.Ctx) {
		clerks := make([]*clerk, 8)
		for i := range clerks {
			clerks[i] = spawn(*cctx)
		}
		for round := range rounds {
			var fs []futures.Future[int]
			for i, a := range clerks {
				fs = append(fs, ask(*cctx, a, echo(i+round+1)))
			}
			all, race := futures.All(*cctx, fs...), futures.Race(*cctx, fs...)
			values, err := all.Await(cctx)
			assert.NoError(t, err)
			for i, v := range values {
				assert.Equal(t, i+round+1, v)
			}
			v, err := race.Get(cctx)
			assert.NoError(t, err)
			assert.Contains(t, values, v)
			if t.Failed() {
				return
			}
		}
	}))
}
