//go:build !race && (linux || darwin || windows)

package arena

import (
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// goHeap tells whether the arena's memory is Go's.
const goHeap = false

// fault returns the address at which f faults.
func fault(t *testing.T, f func()) (address uintptr) {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		require.NotNil(t, r, "no fault")
		address = r.(interface{ Addr() uintptr }).Addr()
	}()
	f()
	return 0
}

// TestStaleUseFaults is row 73 of the reliability list: a freed region is inaccessible, and the fault names it.
func TestStaleUseFaults(t *testing.T) {
	o := NewOwner("guarded space")
	o.SetGuard(true)
	p, err := o.Blocks(2)
	require.NoError(t, err)
	stale := (*uint64)(unsafe.Add(p, BlockSize+40))
	*stale = 7
	o.FreeBlocks(p, 2)
	address := fault(t, func() { *stale = 8 })
	require.Equal(t, uintptr(unsafe.Pointer(stale)), address)
	require.Contains(t, Describe(address), "freed by guarded space, inaccessible")

	var chunks []unsafe.Pointer
	for range BlockSize / Class4K.Size() {
		q, err := o.Chunk(Class4K)
		require.NoError(t, err)
		chunks = append(chunks, q)
	}
	for _, q := range chunks {
		o.FreeChunk(q, Class4K)
	}
	fault(t, func() { *(*byte)(chunks[3]) = 1 })

	again, err := o.Blocks(2)
	require.NoError(t, err)
	require.NotEqual(t, p, again, "guarded memory is not handed out again")
	o.Close()
	fault(t, func() { *(*byte)(again) = 1 })
	require.GreaterOrEqual(t, ReadUsage().Guarded, int64(4*BlockSize))
}
