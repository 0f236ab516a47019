package heap

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestTypeRejectsImpossibleLayouts(t *testing.T) {
	word := unsafe.Sizeof(uintptr(0))
	for name, f := range map[string]func(){
		"no name":         func() { NewType("", 8) },
		"past the end":    func() { NewType("t", 8, 8) },
		"across the end":  func() { NewType("t", 2*word-1, word) },
		"unaligned":       func() { NewType("t", 64, word+2) },
		"descending":      func() { NewType("t", 64, 16, 8) },
		"twice":           func() { NewType("t", 64, 8, 8) },
		"too large":       func() { NewType("t", 1<<31+8) },
		"array of 0":      func() { NewArrayType("t", 0) },
		"array of much":   func() { NewArrayType("t", 1<<31+1) },
		"array no name":   func() { NewArrayType("", 1) },
		"object as array": func() { _, _ = New(NewSpace(Config{})).AllocArray(&Cursor{}, nodeType, 1) },
		"array as object": func() { _, _ = New(NewSpace(Config{})).AllocLarge(&Cursor{}, bytesType) },
	} {
		require.Panics(t, f, name)
	}
}

func TestTypeHeader(t *testing.T) {
	require.Zero(t, uint32(nodeType.Header()), "no flags")
	require.Equal(t, uint64(nodeType.id), nodeType.Header()>>32)
	require.NotZero(t, nodeType.id)
	require.Equal(t, "heap.node", nodeType.Name())
	require.Equal(t, unsafe.Sizeof(node{}), nodeType.Size())
	require.False(t, nodeType.IsArray())
	require.True(t, bytesType.IsArray())
	a := newActor(t, Config{})
	require.Same(t, nodeType, TypeOf(unsafe.Pointer(a.new(nil, nil))))
}

func TestTypesAreRegisteredConcurrently(t *testing.T) {
	var all sync.WaitGroup
	var mu sync.Mutex
	seen := map[uint32]bool{}
	for range 4 {
		all.Go(func() {
			for range 200 {
				ty := NewType("heap.many", 24, 8)
				if typeTable()[ty.id] != ty {
					t.Error("a type is not in the table after its registration")
				}
				mu.Lock()
				if seen[ty.id] {
					t.Errorf("id %d given twice", ty.id)
				}
				seen[ty.id] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
}

func TestObjectWithoutFields(t *testing.T) {
	empty := NewType("heap.empty", 0)
	a := newActor(t, Config{Verify: true, Poison: true})
	for range 1000 {
		a.roots = append(a.roots, (*node)(allocate(a.h, &a.c, HeaderSize, empty.Header())))
	}
	a.collect()
	a.full()
	require.EqualValues(t, 1000*HeaderSize, a.h.Stats().Old)
}
