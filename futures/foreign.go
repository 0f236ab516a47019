package futures

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// gate is where goroutines outside the runtime wait: all that come while it is the newest waiter share it. So one that
// gives up leaves nothing behind that grows with every try, and takes nothing away from the others.
type gate struct {
	node
	open chan struct{} // closed when the answer is there
}

func (g *gate) told(*rt.Ctx) { close(g.open) }

// Wait waits for the answer and returns it. It is for goroutines outside the runtime; inside a behaviour it would hold
// the worker, which may be the one that has to answer.
//
// Errors: what the promise was failed with; that of stdctx, wrapped, if it ends first; that of the runtime, wrapped, if it
// stops first; ErrNoHeap when T is a heap object.
func (f Future[T]) Wait(stdctx context.Context) (T, error) {
	var none T
	c := f.cell()
	if isObject[T]() {
		return none, ErrNoHeap
	}
	if open := c.gate(); open != nil {
		select {
		case <-open:
		case <-stdctx.Done():
			return none, fmt.Errorf("futures: Wait for %s: %w", c.Describe(), stdctx.Err())
		case <-c.runtime.Done():
			if !c.answered() { // it may have been, at the last moment
				return none, fmt.Errorf("futures: Wait for %s: %w", c.Describe(), c.runtime.Err())
			}
		}
	}
	return c.value, c.err
}

// gate returns a channel that is closed when the answer is there, or nil when it is there already.
func (h *header) gate() <-chan struct{} {
	var mine *gate
	for {
		old := h.word.Load() // pairs with publish, as in phase; and with the compare-and-swap below: the gate is visible
		if phaseOf(old) >= draining {
			return nil
		}
		if tagOf(old)&gated != 0 {
			// Gates are never used again for anything else; so this one may have been taken out of the list meanwhile,
			// and is then open or about to be opened.
			return gateOf(old).open
		}
		if mine == nil {
			mine = &gate{open: make(chan struct{})}
			mine.reaction = mine
		}
		mine.Next = newestOf(old)
		invariant.Point("futures.gate")
		if h.word.CompareAndSwap(old, pack(&mine.Waiter, uintptr(phaseOf(old))|gated)) { // as in register
			return mine.open
		}
	}
}

// gateOf returns the newest waiter. REQUIRES: the word is gated, so that it is a gate.
func gateOf(x word) *gate { return (*gate)(unsafe.Pointer(newestOf(x))) }
