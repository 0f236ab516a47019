package gc_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/rt"
)

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
