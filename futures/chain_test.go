package futures_test

import (
	"errors"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// chaining is one of the two ways to chain without a heap object.
type chaining struct {
	name  string
	chain func(ctx *rt.Ctx, f futures.Future[int], fn func(cctx **rt.Ctx, v int) (int, error)) futures.Future[int]
}

var chainings = []chaining{
	{"Chain", futures.Chain[int, int]},
	{"ChainDetached", futures.ChainDetached[int, int]},
}

func TestChain(t *testing.T) {
	fn := func(_ **rt.Ctx, v int) (int, error) {
		if v == 13 {
			return 0, errNo
		}
		return v + 1, nil
	}
	for _, way := range chainings {
		for _, early := range []bool{false, true} { // is it answered before the function is chained?
			require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
				p := futures.NewPromise[int](*cctx, nil)
				if early {
					assert.NoError(t, p.Fulfil(*cctx, 1))
				}
				last := p.Future()
				for range 5 {
					last = way.chain(*cctx, last, fn)
				}
				bad := way.chain(*cctx, way.chain(*cctx, last, func(_ **rt.Ctx, _ int) (int, error) { return 13, nil }), fn)
				skipped := way.chain(*cctx, bad, func(**rt.Ctx, int) (int, error) {
					assert.Fail(t, "called although what it was chained on has failed")
					return 0, nil
				})
				if !early {
					assert.NoError(t, p.Fulfil(*cctx, 1))
				}
				v, err := last.Await(cctx)
				assert.NoError(t, err)
				assert.Equal(t, 6, v)
				_, err = bad.Await(cctx)
				assert.Equal(t, errNo, err)
				_, err = skipped.Await(cctx)
				assert.Equal(t, errNo, err)
			}))
		}
	}
}

// A chained function is a behaviour of the actor that chained it: it may use its state, get and await.
func TestChainRunsOnTheChainingActor(t *testing.T) {
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		ctx := *cctx
		a, b := spawn(ctx), spawn(ctx)
		got := ask(ctx, a, func(cctx **rt.Ctx) (int, error) {
			ctx := *cctx
			inside := true // nothing else of this actor runs until this behaviour ends or waits
			f := ask(ctx, b, echo(20))
			derived := futures.Chain(ctx, f, func(cctx **rt.Ctx, v int) (int, error) {
				assert.False(t, inside)
				assert.Same(t, &a.Actor, (*cctx).Self())
				more, err := ask(*cctx, b, echo(1)).Get(cctx)
				assert.NoError(t, err)
				last, err := ask(*cctx, a, echo(300)).Await(cctx)
				return v + more + last, err
			})
			for range 100 {
				_, err := ask(*cctx, b, echo(0)).Get(cctx)
				assert.NoError(t, err)
			}
			inside = false
			return derived.Await(cctx)
		})
		v, err := got.Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 321, v)
	}))
}

func TestChainDetachedRunsAfterTheFulfillingBehaviour(t *testing.T) {
	require.NoError(t, run(t, rt.Config{Workers: 1}, func(cctx **rt.Ctx) {
		ctx := *cctx
		p := futures.NewPromise[int](ctx, nil)
		var ended atomic.Bool
		self := ctx.Self()
		derived := futures.ChainDetached(ctx, p.Future(), func(cctx **rt.Ctx, v int) (int, error) {
			assert.True(t, ended.Load())
			assert.NotSame(t, self, (*cctx).Self())
			return v, nil
		})
		spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
			assert.NoError(t, p.Fulfil(*cctx, 1))
			ended.Store(true)
		})
		_, err := derived.Get(cctx)
		assert.NoError(t, err)
	}))
}

// pair lets two behaviours meet at every step of a loop. On one processor, or when one of them has not been found by a
// worker yet, they go on without each other after a while.
type pair [2]struct {
	at atomic.Int64
	_  [56]byte
}

func (p *pair) meet(me, step int) {
	p[me].at.Store(int64(step + 1))
	for spins := 1; p[1-me].at.Load() <= int64(step) && spins < 4_000; spins++ {
		if spins%100 == 0 {
			runtime.Gosched()
		}
	}
}

// Chaining races with fulfilling: each function is called exactly once.
func TestChainRacesFulfil(t *testing.T) {
	pauses(t)
	const together = 1000
	rounds := hammer.Rounds(25, 1000) // 1,000,000 races in the long form
	for range rounds {
		var calls [together]atomic.Int32
		require.NoError(t, run(t, rt.Config{Workers: 3}, func(cctx **rt.Ctx) {
			ctx := *cctx
			promises := make([]futures.Promise[int], together)
			for i := range promises {
				promises[i] = futures.NewPromise[int](ctx, nil)
			}
			var both pair
			spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
				for i, p := range promises {
					fn := func(_ **rt.Ctx, v int) (int, error) {
						assert.Equal(t, i, v)
						calls[i].Add(1)
						return 0, nil
					}
					both.meet(0, i)
					futures.Chain(*cctx, p.Future(), fn)
				}
			})
			spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
				for i, p := range promises {
					both.meet(1, i)
					for range i % 64 { // the other has to make its node first
						_ = both[0].at.Load()
					}
					assert.NoError(t, p.Fulfil(*cctx, i))
				}
			})
		}))
		for i := range calls {
			require.EqualValues(t, 1, calls[i].Load(), "the function of promise %d", i)
		}
	}
}

func TestPanicInOneOfThreeFunctions(t *testing.T) {
	for _, way := range chainings {
		require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
			p := futures.NewPromise[int](*cctx, nil)
			var derived [3]futures.Future[int]
			for i := range derived {
				derived[i] = way.chain(*cctx, p.Future(), func(_ **rt.Ctx, v int) (int, error) {
					if i == 1 {
						panic("in the second")
					}
					return v * (i + 1), nil
				})
			}
			assert.NoError(t, p.Fulfil(*cctx, 10))
			for i, f := range derived {
				v, err := f.Await(cctx)
				if i != 1 {
					assert.NoError(t, err)
					assert.Equal(t, 10*(i+1), v)
					continue
				}
				broken, ok := errors.AsType[*rt.PanicError](err)
				require.True(t, ok)
				assert.Equal(t, "in the second", broken.Value)
				assert.Equal(t, "chain", broken.Behaviour)
			}
		}), way.name)
	}
}

// smallStack makes a stack of more than 1 MB fatal until it is undone.
func smallStack() (restore func()) {
	before := debug.SetMaxStack(1 << 20)
	return func() { debug.SetMaxStack(before) }
}

func TestLongChain(t *testing.T) {
	defer smallStack()()
	links := 1_000_000
	if invariant.Enabled {
		links = 100_000 // the race detector takes ten times as long
	}
	for _, c := range []struct {
		way  chaining
		fail bool
		n    int
	}{{chainings[0], false, links}, {chainings[0], true, links / 10}, {chainings[1], false, links / 10}} {
		called := 0
		require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
			p := futures.NewPromise[int](*cctx, nil)
			last := p.Future()
			for range c.n {
				last = c.way.chain(*cctx, last, func(_ **rt.Ctx, v int) (int, error) {
					if v != called { // the links are called one after the other
						return 0, errors.New("out of order")
					}
					called++
					return v + 1, nil
				})
			}
			var answer error
			if c.fail {
				answer = errNo
			}
			assert.NoError(t, p.Settle(*cctx, 0, answer))
			v, err := last.Await(cctx)
			assert.Equal(t, answer, err)
			if !c.fail {
				assert.Equal(t, c.n, v)
				assert.Equal(t, c.n, called)
			}
		}), c.way.name)
	}
}

// 100 functions are called in the order in which they were chained, whenever that was.
func TestChainsRunInOrder(t *testing.T) {
	const chains = 100
	for _, way := range []string{"before", "after", "around", "during"} {
		if way == "during" && !invariant.Enabled {
			continue // needs the points of the protocol; "around" meets it by chance
		}
		for range 20 {
			var order []int
			require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
				ctx := *cctx
				p := futures.NewPromise[int](ctx, nil)
				next := 0
				chain := func(ctx *rt.Ctx) {
					i := next
					next++
					futures.Chain(ctx, p.Future(), func(**rt.Ctx, int) (int, error) {
						order = append(order, i)
						return 0, nil
					})
				}
				fulfil := func(ctx *rt.Ctx) { assert.NoError(t, p.Fulfil(ctx, 0)) }
				switch way {
				case "before":
					for range chains {
						chain(ctx)
					}
					fulfil(ctx)
				case "after":
					fulfil(ctx)
					for range chains {
						chain(ctx)
					}
				case "around":
					spawn(ctx).do(ctx, func(cctx **rt.Ctx) { fulfil(*cctx) })
					for range chains {
						chain(ctx)
					}
				case "during":
					for range chains / 2 {
						chain(ctx)
					}
					defer invariant.OnPoint(func(point string) {
						// The list has been taken; this is still inside Fulfil.
						if (point == "futures.tell" || point == "futures.close") && next < chains {
							chain(ctx)
							chain(ctx)
						}
					})()
					fulfil(ctx)
				}
			}))
			require.Len(t, order, chains, way)
			for i, x := range order {
				require.Equal(t, i, x, way)
			}
		}
	}
}
