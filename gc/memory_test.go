package gc_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// TestLongBehaviourRunsInBoundedMemory is row 40 of the reliability list: a behaviour that allocates without end stays below
// the limit with a safepoint now and then, and keeps what its frame holds; without one it is told that the limit is reached.
func TestLongBehaviourRunsInBoundedMemory(t *testing.T) {
	const limit = 4 << 20
	rounds := hammer.Rounds(2_000_000, 100_000_000)
	var most int64
	_, err := in(t, rt.Config{MemoryLimit: limit}, func(cctx **rt.Ctx, h *holder) {
		h.root = tree(*cctx, 8, new(int32))
		want := sum(t, h.root)
		kept := NewNode(*cctx, h.root, nil, 7, 8)
		f := gc.Push(*cctx, kept)
		for i := range rounds {
			NewNode(*cctx, kept, h.root, int32(i), 0)
			if i%1000 == 0 {
				gc.Safepoint(cctx)
				most = max(most, (*cctx).Space().Stats().Used)
			}
		}
		f.Pop(*cctx)
		assert.Equal(t, want, sum(t, h.root))
		assert.EqualValues(t, 15, kept.I+kept.J)
	})
	require.NoError(t, err)
	require.LessOrEqual(t, most, int64(limit))

	made := 0
	_, err = in(t, rt.Config{MemoryLimit: limit}, func(cctx **rt.Ctx, h *holder) {
		for range rounds {
			NewNode(*cctx, nil, nil, 0, 0)
			made++
		}
	})
	reached, ok := errors.AsType[*heap.LimitError](err)
	require.True(t, ok, "%v", err)
	require.LessOrEqual(t, reached.Used, int64(limit))
	require.Less(t, made, rounds)
}

// TestUsedBytesAreExported is a part of row 78: what heaps hold outside Go's heap is a figure of Stats, and is counted against
// the limit before it is taken.
func TestUsedBytesAreExported(t *testing.T) {
	_, err := in(t, rt.Config{MemoryLimit: 64 << 20}, func(cctx **rt.Ctx, h *holder) {
		before := (*cctx).Space().Stats().Used
		s := gc.MakeSlice[byte](*cctx, 10<<20)
		assert.Len(t, s.Data(), 10<<20)
		assert.GreaterOrEqual(t, (*cctx).Space().Stats().Used, before+10<<20)
		assert.Panics(t, func() { gc.MakeSlice[byte](*cctx, 60<<20) })
		assert.LessOrEqual(t, (*cctx).Space().Stats().Used, int64(64<<20))
		gc.MakeSlice[byte](*cctx, 1<<20) // what was refused took nothing
	})
	require.NoError(t, err)
}

// TestCollectionsAreTold: Config.OnCollect, and what Stats prints of heaps.
func TestCollectionsAreTold(t *testing.T) {
	var told, full atomic.Uint64
	r, err := rt.New(rt.Config{Workers: 2, OnCollect: func(c heap.Collection) {
		told.Add(1)
		if c.Full {
			full.Add(1)
		}
	}})
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		gc.MakeSlice[int64](*cctx, 1000)
		gc.Collect(cctx)
		require.EqualValues(t, 1, (*cctx).Heap().Stats().Full)
	}))
	require.GreaterOrEqual(t, full.Load(), uint64(1))
	s := r.Stats()
	require.Equal(t, told.Load(), s.Heap.Minor+s.Heap.Full)
	require.Regexp(t, `(?m)^\d+ heaps: \d+ KiB used, .* collections: \d+ minor, \d+ full; pauses: `, s.String())
}
