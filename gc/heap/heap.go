package heap

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Cursor is where the next object goes: at Base+Off, if it ends at or before Base+Limit. It is a part of the context of
// the worker that runs the heap's actor, so that allocation inlines to an addition and a comparison. Base is written by
// the slow path only: a pointer store costs Go's write barrier.
type Cursor struct {
	Base       unsafe.Pointer
	Off, Limit uintptr
}

func (c *Cursor) rest() uintptr { return c.Limit - c.Off }

// Heap is the heap of one actor.
//
// Owner: the strand that runs the actor; nothing here is safe for concurrent use. It becomes garbage with its actor, and
// a cleanup gives its memory back.
type Heap struct {
	pacer

	space *Space
	mem   *memory // nil before the first allocation
	saved Cursor  // between Leave and Enter
	aside Cursor  // the rest of a hole that was too small for a medium object

	next int // mem.avail[next] is the next chunk to look for holes in; next-1 is the present one
	line int // first line of the present chunk that was not looked at

	epoch    uint64    // the mark of live old objects: flagMark1 or flagMark2
	logged   []uintptr // the remembered set: old objects that were stored into
	largeOld int       // how many of mem.large are old

	opened *region // where allocation goes while an Isolate builds; nil: to the heap's own holes
	shares *shares // nil until it shares objects with others

	stats HeapStats
}

// New returns an empty heap in s. It owns no memory before the first allocation.
func New(s *Space) *Heap {
	return &Heap{space: s, epoch: flagMark1, pacer: s.pace().start()}
}

// attach gives the heap its memory descriptor, and the cleanup with it.
func (h *Heap) attach() {
	if h.mem == nil {
		h.mem = &memory{space: h.space}
		h.space.heapBorn()
		runtime.AddCleanup(h, (*memory).release, h.mem)
	}
}

// Enter loads the cursor when the heap's actor starts to run.
func (h *Heap) Enter(c *Cursor) {
	*c = h.saved
}

// Leave saves the cursor when the actor stops running, and clears c.
func (h *Heap) Leave(c *Cursor) {
	h.saved = *c
	*c = Cursor{}
	if h.shares != nil {
		h.shares.left.Store(true)
	}
}

// Space returns the heap's space.
func (h *Heap) Space() *Space { return h.space }

// String names the heap in panics.
func (h *Heap) String() string { return fmt.Sprintf("heap %p", h) }
