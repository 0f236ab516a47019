//go:build !race && (linux || darwin || windows) && (amd64 || arm64)

package arena

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestHugeAddressSpace is row 77 of the reliability list: there is no table that fills up. More is handed out than any
// piece has, in spans and in blocks, in few mappings; the first and last bytes of all can be used.
func TestHugeAddressSpace(t *testing.T) {
	o := newOwner(t)
	const span = 512 << 20
	var spans []unsafe.Pointer
	for range 20 { // 10 GiB, of which hardly a page is touched
		p, err := o.Blocks(span / BlockSize)
		require.NoError(t, err)
		spans = append(spans, p)
	}
	require.GreaterOrEqual(t, o.Bytes(), int64(10<<30))
	for i, p := range spans {
		first, last := (*uint64)(p), (*uint64)(unsafe.Add(p, span-8))
		*first, *last = uint64(i), uint64(i)<<32
	}
	for i, p := range spans {
		require.EqualValues(t, i, *(*uint64)(p))
		require.EqualValues(t, uint64(i)<<32, *(*uint64)(unsafe.Add(p, span-8)))
		require.True(t, Contains(unsafe.Add(p, span-8)))
	}
	require.LessOrEqual(t, ReadUsage().Pieces, 24, "pieces grow")
	for _, p := range spans {
		o.FreeBlocks(p, span/BlockSize)
	}
	require.Zero(t, o.Bytes())
}
