package heap

import (
	"runtime"
	"testing"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func run(t *testing.T, cfg rt.Config, main func(cctx **rt.Ctx)) rt.Stats {
	t.Helper()
	r, err := rt.New(cfg)
	require.NoError(t, err)
	require.NoError(t, r.Run(main))
	stats := r.Stats()
	require.NoError(t, r.Close())
	return stats
}

// strict exercises every send, adoption, frame and trace function with a collection at each safepoint, freed memory
// poisoned, and each resume on another worker.
var strict = rt.Config{Workers: 2, AlwaysMigrate: true, CollectAlways: true, Verify: true, Poison: true}

func TestTreesAreCopiedAndKept(t *testing.T) {
	stats := run(t, strict, func(cctx **rt.Ctx) {
		ctx := *cctx
		k, b := NewKeeper(ctx), NewBuilder(ctx)
		for range 5 {
			size, err := b.AskBuild(*cctx, k, 8).Get(cctx)
			assert.NoError(t, err)
			assert.Equal(t, 255, size)
		}
		root, err := k.AskRoot(*cctx).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 255, root.size())
	})
	assert.Positive(t, stats.Heap.Minor+stats.Heap.Full)
	assert.Positive(t, stats.Migrations)
	assert.Equal(t, stats.Resumes, stats.Migrations)
}

// Strings, references and arrays of the heap travel in objects and beside them, and live in state and futures.
func TestHeapValues(t *testing.T) {
	run(t, strict, func(cctx **rt.Ctx) {
		ctx := *cctx
		k := NewKeeper(ctx)
		node := func(i int32) *Node { return NewNode(ctx, nil, nil, i, 0) }
		row := func(first int32) (a gc.Array[Node]) {
			for i := range int32(3) {
				a = a.Append(ctx, node(first+i))
			}
			return a
		}
		e := newEntry(ctx, gc.NewString(ctx, "old"), gc.RefTo(node(1)), row(10), [4]int32{9})
		e.SetName(ctx, gc.NewString(ctx, "new "))
		e.setValue(ctx, gc.RefTo(node(2)))
		e.setTrees(ctx, row(20))
		back, err := k.AskEnter(ctx, e, gc.NewString(ctx, "title"), gc.RefTo(node(3)), row(30)).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, "new ", back.Name.View())
		assert.Equal(t, int32(2), gc.Cast[Node](back.value).I)
		assert.Equal(t, 3, back.trees.Len())
		assert.Equal(t, [4]int32{9}, back.counts)
		for range 3 {
			title, err := k.AskTitle(*cctx).Get(cctx)
			assert.NoError(t, err)
			assert.Equal(t, "new title 2 3 20 21 22 30 31 32", title)
		}
	})
}

func TestNoGoAllocationPerObject(t *testing.T) {
	t.Setenv(rt.ModesVariable, "") // the modes that check things allocate
	const objects = 1_000_000
	run(t, rt.Config{}, func(cctx **rt.Ctx) {
		k := NewKeeper(*cctx)
		count := func(n int) uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			size, err := k.AskChurn(*cctx, n).Get(cctx)
			assert.NoError(t, err)
			assert.Equal(t, 2, size)
			runtime.ReadMemStats(&after)
			return after.Mallocs - before.Mallocs
		}
		count(objects / 10)
		assert.Less(t, count(objects), uint64(1000))
	})
}

func TestFramesHoldArguments(t *testing.T) {
	run(t, strict, func(cctx **rt.Ctx) {
		k, b := NewKeeper(*cctx), NewBuilder(*cctx)
		n, err := b.AskHeld(*cctx, k).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 6*(1<<depth-1)+5+100, n)
	})
}

// A send that panics has copied nothing: a fragment without a message would never be freed.
func TestSendsCheckTheReceiverBeforeTheyCopy(t *testing.T) {
	run(t, rt.Config{Workers: 1}, func(cctx **rt.Ctx) {
		ctx := *cctx
		n := NewNode(ctx, nil, nil, 1, 1)
		send := func() {
			assert.PanicsWithValue(t, "rt: send to the zero handle: the actor was never created", func() { Keeper{}.Keep(ctx, "", n) })
			assert.PanicsWithValue(t, "rt: send to the zero handle: the actor was never created", func() { Keeper{}.AskKeep(ctx, "", n) })
		}
		send()
		used := ctx.Runtime().Stats().Heap.Used
		for range 100 {
			send()
		}
		assert.Equal(t, used, ctx.Runtime().Stats().Heap.Used)
	})
}

func TestTraceFindsWholeState(t *testing.T) {
	run(t, strict, func(cctx **rt.Ctx) {
		k := NewKeeper(*cctx)
		for range 3 {
			k.Fill(*cctx)
			n, err := k.AskSum(*cctx).Get(cctx)
			assert.NoError(t, err)
			assert.Equal(t, (7+3+3+2+3+3+1)*(1<<depth-1)+100+100, n)
		}
	})
}
