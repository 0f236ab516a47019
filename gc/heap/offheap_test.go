//go:build !race && (linux || darwin || windows) && (amd64 || arm64)

package heap

import (
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/arena"
)

// goArena is the granule in which Go reserves its heap on 64-bit systems.
const goArena = 64 << 20

// TestNoGoPointerIsStoredOffHeap is row 73 of the reliability list: after a long run nothing in the memory of a heap
// refers to Go's heap, side tables included.
func TestNoGoPointerIsStoredOffHeap(t *testing.T) {
	m := newModel(t, Config{Nursery: 32 << 10}, program(11, 8000))
	for len(m.code) > 0 {
		m.step()
	}
	ours := map[uintptr]bool{}
	for _, p := range []unsafe.Pointer{
		unsafe.Pointer(m), unsafe.Pointer(m.s), unsafe.Pointer(m.halves[0].h), unsafe.Pointer(m.halves[0].h.mem), unsafe.Pointer(nodeType),
		unsafe.Pointer(unsafe.SliceData(typeTable())), unsafe.Pointer(unsafe.SliceData(m.halves[0].h.mem.avail)), unsafe.Pointer(unsafe.SliceData(m.code)),
	} {
		ours[uintptr(p)/goArena] = true
	}
	words := 0
	scan := func(p unsafe.Pointer, size uintptr) {
		for _, w := range unsafe.Slice((*uintptr)(p), size/unsafe.Sizeof(uintptr(0))) {
			words++
			if ours[w/goArena] && w > goArena {
				t.Fatalf("%#x, in the memory of a heap, refers to Go's heap", w)
			}
		}
	}
	for i := range m.halves {
		mem := m.halves[i].h.mem
		for _, list := range [...][]chunk{mem.avail, mem.full, mem.adopted} {
			for _, c := range list {
				scan(c.base, c.class.size())
				marks := c.marks()
				scan(unsafe.Pointer(unsafe.SliceData(marks)), uintptr(len(marks)))
			}
		}
		for _, l := range mem.large {
			scan(l.base, l.size())
		}
	}
	require.Greater(t, words, 10000)
	m.finish()
}

// TestStaleObjectFaults: in a guarded space the use of an object whose block was freed faults at once, and the region
// has a name.
func TestStaleObjectFaults(t *testing.T) {
	a := newActor(t, Config{Nursery: 64 << 10, Guard: true})
	stale := a.list(100000)
	a.full()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		require.NotNil(t, r, "no fault")
		require.Contains(t, arena.Describe(r.(interface{ Addr() uintptr }).Addr()), "freed by heap space, inaccessible")
	}()
	stale.id++
}

func TestInArena(t *testing.T) {
	a := newActor(t, Config{})
	require.True(t, InArena(unsafe.Pointer(a.new(nil, nil))))
	require.False(t, InArena(unsafe.Pointer(a)))
	require.False(t, InArena(nil))
}
