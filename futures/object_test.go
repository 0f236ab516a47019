package futures_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// collected runs main in the modes that find pointers nobody keeps alive, and demands that there were collections.
func collected(t *testing.T, main func(cctx **rt.Ctx)) {
	t.Helper()
	defer hammer.Watch(t, 10*hammer.Limit)()
	r := runtimeOf(t, strict)
	require.NoError(t, r.Run(main))
	s := r.Stats().Heap
	assert.Positive(t, s.Minor+s.Full, "nothing was ever collected")
}

// spoil allocates and drops objects, and collects: freed lines are poisoned and used again.
func spoil(cctx **rt.Ctx) {
	numbers(*cctx, 300, -1000)
	gc.Collect(cctx)
	numbers(*cctx, 300, -2000)
}

func TestObjectsAreCopied(t *testing.T) {
	const readers, length = 10, 200
	var origin atomic.Pointer[cons]
	collected(t, func(cctx **rt.Ctx) {
		ctx := *cctx
		maker := spawn(ctx)
		f := ask(ctx, maker, func(cctx **rt.Ctx) (*cons, error) {
			list := numbers(*cctx, length, 5)
			maker.list = list
			origin.Store(list) //ctxcheck:ignore only compared with, and maker.list keeps it
			return list, nil
		})
		for i := range readers {
			spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
				list, err := f.Get(cctx)
				if i%2 == 1 {
					list, err = f.Await(cctx)
				}
				assert.NoError(t, err)
				frame := gc.Push(*cctx, list)
				spoil(cctx)
				assert.True(t, isNumbers(list, length, 5))
				list.value += int64(i) // it is this actor's own
				again, err, there := f.TryGet(*cctx)
				assert.NoError(t, err)
				assert.True(t, there)
				assert.True(t, isNumbers(again, length, 5))
				assert.NotSame(t, list, again)
				assert.NotSame(t, list, origin.Load())
				frame.Pop(*cctx)
			})
		}
		// The maker's own list stays its own: a change comes too late for those who read.
		maker.do(ctx, func(cctx **rt.Ctx) {
			maker.list.value = -1
			spoil(cctx)
		})
	})
}

func TestNilObject(t *testing.T) {
	require.NoError(t, run(t, strict, func(cctx **rt.Ctx) {
		a := spawn(*cctx)
		list, err := ask(*cctx, a, func(**rt.Ctx) (*cons, error) { return nil, nil }).Get(cctx)
		assert.NoError(t, err)
		assert.Nil(t, list)
		_, err = ask(*cctx, a, func(cctx **rt.Ctx) (*cons, error) { return newCons(*cctx, nil, 1), errNo }).Get(cctx)
		assert.ErrorIs(t, err, errNo)
		p := futures.NewPromise[*cons](*cctx, nil)
		assert.NoError(t, p.Fulfil(*cctx, newCons(*cctx, nil, 1)))
		assert.ErrorIs(t, p.Fulfil(*cctx, newCons(*cctx, nil, 2)), futures.ErrAlreadyFulfilled)
		list, err = p.Future().Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, 1, list.value)
	}))
}

// The only reference sits in a future: the actor that made the object has dropped it, and collected.
func TestObjectOnlyInAFuture(t *testing.T) {
	rounds := hammer.Rounds(1000, 100_000)
	collected(t, func(cctx **rt.Ctx) {
		maker := spawn(*cctx)
		for i := range int64(rounds) {
			f := ask(*cctx, maker, func(cctx **rt.Ctx) (*cons, error) { return numbers(*cctx, 3, i), nil })
			if _, err := ask(*cctx, maker, func(cctx **rt.Ctx) (int, error) { numbers(*cctx, 20, -9); return 0, nil }).Get(cctx); err != nil {
				assert.NoError(t, err)
			}
			list, err := f.Get(cctx)
			if err != nil || !isNumbers(list, 3, i) {
				assert.Fail(t, "the object is broken", "round %d: %v", i, err)
				return
			}
		}
	})
}

// The only reference sits in a function that is in flight.
func TestObjectOnlyInAChain(t *testing.T) {
	rounds := hammer.Rounds(1000, 100_000)
	var good atomic.Int64
	collected(t, func(cctx **rt.Ctx) {
		ctx := *cctx
		a, b := spawn(ctx), spawn(ctx)
		for i := range int64(rounds) {
			p := futures.NewPromise[int64](*cctx, nil)
			derived := ask(*cctx, a, func(cctx **rt.Ctx) (futures.Future[*cons], error) {
				ctx := *cctx
				return futures.ChainWith(ctx, p.Future(), numbers(ctx, 3, i), func(cctx **rt.Ctx, v int64, list *cons) (*cons, error) {
					numbers(*cctx, 5, -7)
					gc.Safepoint(cctx) // list is in a frame
					if v == i && isNumbers(list, 3, i) {
						good.Add(1)
					}
					return newCons(*cctx, list, i-1), nil
				}), nil
			})
			f, err := derived.Get(cctx)
			assert.NoError(t, err)
			for range 2 { // at the end of each the actor collects
				if _, err := ask(*cctx, a, func(cctx **rt.Ctx) (int, error) { numbers(*cctx, 20, -9); return 0, nil }).Get(cctx); err != nil {
					assert.NoError(t, err)
				}
			}
			b.do(*cctx, func(cctx **rt.Ctx) { assert.NoError(t, p.Fulfil(*cctx, i)) })
			list, err := f.Get(cctx)
			if err != nil || !isNumbers(list, 4, i-1) {
				assert.Fail(t, "the object is broken", "round %d: %v", i, err)
				return
			}
		}
	})
	assert.EqualValues(t, rounds, good.Load())
}

// What a chain held is let go of also when its function is not called or panics.
func TestChainWithLetsGo(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		big := func(ctx *rt.Ctx) *cons { return numbers(ctx, 10_000, 0) }
		for i := range 30 {
			p := futures.NewPromise[*cons](*cctx, nil)
			derived := futures.ChainWith(*cctx, p.Future(), big(*cctx), func(cctx **rt.Ctx, _ *cons, list *cons) (int, error) {
				if i%3 == 1 {
					panic(errNo)
				}
				return int(list.value), nil
			})
			var answer error
			if i%3 == 2 {
				answer = errNo
			}
			assert.NoError(t, p.Settle(*cctx, newCons(*cctx, nil, 1), answer))
			_, err := derived.Await(cctx)
			assert.Equal(t, i%3 == 0, err == nil)
			gc.Collect(cctx)
		}
		assert.Less(t, (*cctx).Heap().Stats().Old, uint64(5*10_000*24))
	}))
}

// A function gets a copy of its own of an object that it is chained on.
func TestChainOnAnObject(t *testing.T) {
	collected(t, func(cctx **rt.Ctx) {
		ctx := *cctx
		f := ask(ctx, spawn(ctx), func(cctx **rt.Ctx) (*cons, error) { return numbers(*cctx, 50, 0), nil })
		grow := func(cctx **rt.Ctx, list *cons) (*cons, error) {
			spoil(cctx) // list is in a frame
			return newCons(*cctx, list, list.value-1), nil
		}
		for _, derived := range []futures.Future[*cons]{
			futures.Chain(ctx, f, grow),
			futures.ChainDetached(ctx, f, grow),
			futures.Chain(ctx, futures.ChainDetached(ctx, futures.Chain(ctx, f, grow), grow), grow),
			futures.ChainWith(ctx, f, numbers(ctx, 50, 0), func(cctx **rt.Ctx, list, own *cons) (*cons, error) {
				assert.True(t, isNumbers(own, 50, 0))
				assert.NotSame(t, own, list)
				return grow(cctx, own)
			}),
		} {
			list, err := derived.Await(cctx)
			assert.NoError(t, err)
			if assert.NotNil(t, list) {
				assert.True(t, isNumbers(list, 50-list.value, list.value))
			}
		}
	})
}

// A parked behaviour's frames are roots: other behaviours of the actor allocate and collect meanwhile.
func TestFramesOfParkedBehaviours(t *testing.T) {
	const parked = 5
	for _, way := range readings[1:] {
		collected(t, func(cctx **rt.Ctx) {
			ctx := *cctx
			a, b := spawn(ctx), spawn(ctx)
			p := futures.NewPromise[int](ctx, nil)
			var done []futures.Future[int]
			for i := range int64(parked) {
				done = append(done, ask(ctx, a, func(cctx **rt.Ctx) (int, error) {
					list := numbers(*cctx, 100, i)
					frame := gc.Push(*cctx, list)
					v, err := way.read(cctx, p.Future())
					assert.True(t, isNumbers(list, 100, i))
					frame.Pop(*cctx)
					return v, err
				}))
			}
			for range 20 {
				_, err := ask(*cctx, a, func(cctx **rt.Ctx) (int, error) { spoil(cctx); return 0, nil }).Get(cctx)
				assert.NoError(t, err)
			}
			b.do(*cctx, func(cctx **rt.Ctx) { assert.NoError(t, p.Fulfil(*cctx, 6)) })
			for _, f := range done {
				v, err := f.Get(cctx)
				assert.NoError(t, err)
				assert.Equal(t, 6, v)
			}
		})
	}
}

// A get collects before it parks (in this mode), and no other behaviour of the actor runs meanwhile.
func TestFramesOfABlockedBehaviour(t *testing.T) {
	collected(t, func(cctx **rt.Ctx) {
		list := numbers(*cctx, 100, 3)
		frame := gc.Push(*cctx, list)
		b := spawn(*cctx)
		for range 50 {
			_, err := ask(*cctx, b, func(cctx **rt.Ctx) (int, error) { spoil(cctx); return 0, nil }).Get(cctx)
			assert.NoError(t, err)
			numbers(*cctx, 100, -5)
		}
		assert.True(t, isNumbers(list, 100, 3))
		frame.Pop(*cctx)
	})
}

func TestObjectsOutsideActors(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	p := promised[*cons](t, r)
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) { assert.NoError(t, p.Fulfil(*cctx, newCons(*cctx, nil, 1))) }))
	_, err := p.Future().Wait(background)
	assert.ErrorIs(t, err, futures.ErrNoHeap)
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) { // as the error's documentation says
		list, err := p.Future().Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, 1, list.value)
	}))
}

// An answer that does not fit under the limit fails the future of its behaviour.
func TestAnswerAcrossTheMemoryLimit(t *testing.T) {
	require.NoError(t, run(t, rt.Config{MemoryLimit: 8 << 20}, func(cctx **rt.Ctx) {
		a := spawn(*cctx)
		_, err := ask(*cctx, a, func(cctx **rt.Ctx) (*cons, error) { return numbers(*cctx, 200_000, 0), nil }).Get(cctx)
		var limit *heap.LimitError
		require.ErrorAs(t, err, &limit)
		var broken *rt.PanicError
		require.ErrorAs(t, err, &broken)
		list, err := ask(*cctx, a, func(cctx **rt.Ctx) (*cons, error) { gc.Collect(cctx); return numbers(*cctx, 10, 0), nil }).Get(cctx)
		assert.NoError(t, err)
		assert.True(t, isNumbers(list, 10, 0))
	}))
}

// The memory of an answer goes with its future.
func TestFragmentsAreFreed(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	used := func() int64 { s := r.Stats().Heap; return s.Used - s.Cached }
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		for range 200 {
			p := futures.NewPromise[*cons](*cctx, nil)
			assert.NoError(t, p.Fulfil(*cctx, numbers(*cctx, 2000, 0)))
		}
	}))
	most := used()
	assert.Eventually(t, func() bool {
		runtime.GC()
		return used() < most/4
	}, 20*time.Second, 10*time.Millisecond, "200 dropped answers of 48 KB stay: %d bytes", most)
}
