package futures_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// TestValIsReadByMany: readers of a shared answer get the object itself, and it lives as long as the future or one of them has it.
func TestValIsReadByMany(t *testing.T) {
	defer hammer.Watch(t, 10*hammer.Limit)()
	const readers, length = 20, 50
	r := runtimeOf(t, strict)
	keepers := make([]*clerk, readers)
	var got [readers]uintptr // addresses, to compare
	var answer futures.Future[*cons]
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		p := futures.NewPromise[*cons](ctx, nil)
		answer = p.Future()
		for i := range readers {
			keepers[i] = spawn(ctx)
			keepers[i].do(ctx, func(cctx **rt.Ctx) {
				list, err := answer.Get(cctx)
				assert.NoError(t, err)
				got[i] = uintptr(unsafe.Pointer(list))
				keepers[i].list = list
				spoil(cctx)
				assert.True(t, isNumbers(keepers[i].list, length, 7))
			})
		}
		spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
			assert.NoError(t, p.FulfilVal(*cctx, numbers(*cctx, length, 7)))
			assert.ErrorIs(t, p.FulfilVal(*cctx, numbers(*cctx, length, 8)), futures.ErrAlreadyFulfilled)
			spoil(cctx) // the maker has dropped it
		})
	}))
	for i := range got {
		require.Equal(t, got[0], got[i])
	}
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		late, err := answer.Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, got[0], uintptr(unsafe.Pointer(late)))
		for _, k := range keepers {
			k.do(*cctx, func(cctx **rt.Ctx) { k.list = nil; gc.Collect(cctx) })
		}
	}))
	answer = futures.Future[*cons]{}
	clear(keepers)
	for i := 0; i < 100 && r.Stats().Heap.Heaps > 0; i++ {
		runtime.GC()
		runtime.Gosched()
	}
	require.Zero(t, r.Stats().Heap.Heaps, "nobody can read it any more")
}

func TestSettleVal(t *testing.T) {
	require.NoError(t, run(t, strict, func(cctx **rt.Ctx) {
		ctx := *cctx
		scalar := futures.NewPromise[int](ctx, nil)
		assert.NoError(t, scalar.SettleVal(ctx, 3, nil))
		three, err := scalar.Future().Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 3, three)
		ctx = *cctx
		failed := futures.NewPromise[*cons](ctx, nil)
		assert.NoError(t, failed.SettleVal(ctx, nil, errNo))
		_, err = failed.Future().Get(cctx)
		assert.ErrorIs(t, err, errNo)
		ctx = *cctx
		none := futures.NewPromise[*cons](ctx, nil)
		assert.NoError(t, none.SettleVal(ctx, nil, nil))
		nothing, err := none.Future().Get(cctx)
		assert.NoError(t, err)
		assert.Nil(t, nothing)
	}))
}
