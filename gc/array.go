package gc

import (
	"fmt"
	"iter"
	"math/bits"
	"unsafe"

	"github.com/encorert/encorert/rt"
)

// Array is an array of references to objects of type T in an actor's heap, and grows at its end. The zero value has length 0. It is a heap
// pointer: the rules of the package comment hold for it, with Root for frames.
//
// A long array is a tree of small objects, as arraylets are: its first object has the length and up to 128 slots, and where those do not
// suffice they lead to nodes of 128 slots each. So a store logs one node, and a minor collection looks at its
// 128 slots and not at a million; no object is large, and several workers can mark an array together.
type Array[T any] struct{ top *arrayTop }

// arrayTop begins the first object; its slots follow.
type arrayTop struct{ length uint64 }

const (
	nodeBits  = 7
	nodeSlots = 1 << nodeBits // picked: a node of 1 KiB, thirty in a block
	wordSize  = unsafe.Sizeof(uintptr(0))
	topOffset = unsafe.Sizeof(arrayTop{})
)

// topTypes are the types of first objects with 1, 2, 4, ... 128 slots; arrayNode is the type of the nodes below.
var (
	topTypes  = newTopTypes()
	arrayNode = NewType("gc.Array.node", nodeSlots*wordSize, slotOffsets(0, nodeSlots)...)
)

func newTopTypes() (types [nodeBits + 1]*Type) {
	for k := range types {
		n := 1 << k
		types[k] = NewType(fmt.Sprintf("gc.Array.%d", n), topOffset+uintptr(n)*wordSize, slotOffsets(topOffset, n)...)
	}
	return types
}

func slotOffsets(first uintptr, n int) []uintptr {
	offsets := make([]uintptr, n)
	for i := range offsets {
		offsets[i] = first + uintptr(i)*wordSize
	}
	return offsets
}

// MakeArray returns n references that are nil. A leaf. Panics with a *heap.LimitError as Refill does, and on a negative n.
func MakeArray[T any](ctx *rt.Ctx, n int) Array[T] {
	if n < 0 {
		panic(fmt.Sprintf("gc: MakeArray of %d elements", n))
	}
	if n == 0 {
		return Array[T]{}
	}
	height := heightOf(n)
	size := span(height)
	count := (n + size - 1) / size
	top := newTop(ctx, count)
	top.length = uint64(n)
	if height > 0 {
		for i := range count {
			// The top is as young as its nodes: no barrier.
			*(*uintptr)(top.slot(i)) = uintptr(newNodes(ctx, min(size, n-i*size), height-1))
		}
	}
	return Array[T]{top}
}

// newNodes returns a node of the given height with room for n elements.
func newNodes(ctx *rt.Ctx, n, height int) unsafe.Pointer {
	p := Alloc(ctx, HeaderSize+arrayNode.Size(), arrayNode.Header(), Refill)
	clear(unsafe.Slice((*uintptr)(p), nodeSlots))
	if height > 0 {
		size := span(height)
		for i := 0; i*size < n; i++ {
			*(*uintptr)(unsafe.Add(p, uintptr(i)*wordSize)) = uintptr(newNodes(ctx, min(size, n-i*size), height-1))
		}
	}
	return p
}

// newTop returns a first object with at least n slots, all nil, and length 0.
func newTop(ctx *rt.Ctx, n int) *arrayTop {
	t := topTypes[bits.Len(uint(n-1))]
	p := Alloc(ctx, HeaderSize+t.Size(), t.Header(), Refill)
	clear(unsafe.Slice((*byte)(p), t.Size()))
	return (*arrayTop)(p)
}

// span is how many elements one slot of the first object leads to, where the tree has so many levels below it.
func span(height int) int { return 1 << (nodeBits * height) }

// heightOf is the number of levels below the first object of an array of n > 0 elements.
func heightOf(n int) int { return (bits.Len(uint(n-1)) - 1) / nodeBits }

func (a *arrayTop) slot(i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(a), topOffset+uintptr(i)*wordSize)
}

// leaf returns the object that has element i, and the slot in it.
func (a *arrayTop) leaf(i int) (object, slot unsafe.Pointer) {
	height := heightOf(int(a.length))
	object, slot = unsafe.Pointer(a), a.slot(i>>(nodeBits*height))
	for height > 0 {
		height--
		object = *(*unsafe.Pointer)(slot)
		slot = unsafe.Add(object, uintptr(i>>(nodeBits*height)&(nodeSlots-1))*wordSize)
	}
	return object, slot
}

// Len returns the number of elements.
func (a Array[T]) Len() int {
	if a.top == nil {
		return 0
	}
	return int(a.top.length)
}

// At returns element i; it panics when i is out of range.
func (a Array[T]) At(i int) *T {
	a.check(i)
	_, slot := a.top.leaf(i)
	return *(**T)(slot)
}

// Set stores element i; it panics when i is out of range, and when the array was shared as val. A leaf.
func (a Array[T]) Set(ctx *rt.Ctx, i int, v *T) {
	a.check(i)
	object, slot := a.top.leaf(i)
	put(ctx, object, slot, unsafe.Pointer(v))
}

func put(ctx *rt.Ctx, object, slot, v unsafe.Pointer) {
	Barrier(ctx, object, v)
	*(*uintptr)(slot) = uintptr(v)
}

func (a Array[T]) check(i int) {
	if uint(i) >= uint(a.Len()) {
		panic(fmt.Sprintf("gc: index %d of an Array of length %d", i, a.Len()))
	}
}

// All yields the elements with their indices, in order. The array may be changed meanwhile; what is appended is not yielded. Where the
// body of the loop may collect, the array must be in a frame.
func (a Array[T]) All() iter.Seq2[int, *T] {
	//ctxcheck:ignore it is called by the loop, as long as that has the array
	return func(yield func(int, *T) bool) {
		for i, n := 0, a.Len(); i < n; {
			_, slot := a.top.leaf(i)
			for end := min(n, (i|(nodeSlots-1))+1); i < end; i++ {
				if !yield(i, *(**T)(slot)) {
					return
				}
				slot = unsafe.Add(slot, wordSize)
			}
		}
	}
}

// Append returns the array with v at its end; a itself must not be used afterwards. Amortised constant: a longer array shares the nodes
// of the old one. A leaf. Panics with a *heap.LimitError as Refill does, and when the array was shared as val.
func (a Array[T]) Append(ctx *rt.Ctx, v *T) Array[T] {
	n := a.Len()
	top := a.top
	switch {
	case n == 0:
		top = newTop(ctx, 1)
	case n&(n-1) == 0 && heightOf(n+1) > heightOf(n):
		// All 128 slots are in use, or the one that leads to everything.
		top = a.raise(ctx)
	default:
		height := heightOf(n)
		size := span(height)
		if used := (n + size - 1) / size; n%size == 0 && used&(used-1) == 0 {
			top = newTop(ctx, used+1)
			copyWords(top.slot(0), a.top.slot(0), used)
		}
	}
	object, slot := top.grow(ctx, n)
	put(ctx, object, slot, unsafe.Pointer(v))
	return Array[T]{top}
}

// raise returns the first object of a tree that is one level higher: its first slot leads to a node with the slots that there were.
func (a Array[T]) raise(ctx *rt.Ctx) *arrayTop {
	top := newTop(ctx, 2)
	node := newNodes(ctx, 0, 0)
	copyWords(node, a.top.slot(0), nodeSlots)
	*(*uintptr)(top.slot(0)) = uintptr(node)
	return top
}

// grow gives the tree room for element n, the first behind its end, makes the length n+1, and returns the element's slot and its object.
func (a *arrayTop) grow(ctx *rt.Ctx, n int) (object, slot unsafe.Pointer) {
	height := heightOf(n + 1)
	object, slot = unsafe.Pointer(a), a.slot(n>>(nodeBits*height))
	for height > 0 {
		height--
		if *(*uintptr)(slot) == 0 {
			put(ctx, object, slot, newNodes(ctx, 0, 0))
		}
		object = *(*unsafe.Pointer)(slot)
		slot = unsafe.Add(object, uintptr(n>>(nodeBits*height)&(nodeSlots-1))*wordSize)
	}
	// Before the length changes: a store into what was shared panics.
	Barrier(ctx, object, nil)
	a.length = uint64(n + 1)
	return object, slot
}

// copyWords copies n references between objects as integers, without Go's write barrier.
func copyWords(to, from unsafe.Pointer, n int) {
	copy(unsafe.Slice((*uintptr)(to), n), unsafe.Slice((*uintptr)(from), n))
}

// Root returns the heap pointer, for trace functions and frames.
func (a Array[T]) Root() unsafe.Pointer { return unsafe.Pointer(a.top) }
