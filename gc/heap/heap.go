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

// firstTrigger is the number of bytes that a new heap hands out before its first collection; it doubles from there to
// the nursery's size. An actor that allocates little never holds a nursery (picked: one block).
const firstTrigger = BlockSize

// Heap is the heap of one actor.
//
// Owner: the strand that runs the actor; nothing here is safe for concurrent use. It becomes garbage with its actor, and
// a cleanup gives its memory back.
type Heap struct {
	allocated uintptr // bytes handed out since the last collection
	trigger   uintptr // a collection is due when allocated has reached it

	space *Space
	mem   *memory // nil before the first allocation
	saved Cursor  // between Leave and Enter
	aside Cursor  // the rest of a hole that was too small for a medium object

	next int // mem.avail[next] is the next chunk to look for holes in; next-1 is the present one
	line int // first line of the present chunk that was not looked at

	epoch    uint64    // the mark of live old objects: flagMark1 or flagMark2
	logged   []uintptr // the remembered set: old objects that were stored into
	largeOld int       // how many of mem.large are old

	old      uintptr // bytes of old objects, those that died since the last full collection included
	oldFloor uintptr // bytes of old objects after the last full collection

	opened *region // where allocation goes while an Isolate builds; nil: to the heap's own holes
	shares *shares // nil until it shares objects with others

	stats HeapStats
}

// New returns an empty heap in s. It owns no memory before the first allocation.
func New(s *Space) *Heap {
	h := &Heap{space: s, epoch: flagMark1}
	h.trigger = h.cap(firstTrigger)
	return h
}

func (h *Heap) cap(trigger uintptr) uintptr {
	if h.space.config.CollectAlways {
		return 0
	}
	return min(trigger, h.space.config.Nursery)
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

// Due tells whether a collection is due. Cheap; inlines.
func (h *Heap) Due() bool { return h.allocated >= h.trigger }

// Space returns the heap's space.
func (h *Heap) Space() *Space { return h.space }

// String names the heap in panics.
func (h *Heap) String() string { return fmt.Sprintf("heap %p", h) }
