package futures

import (
	"context"
	"fmt"
)

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
	if open := c.opening(); open != nil {
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

// opening returns a channel that is closed when the answer is there, or nil when it is there already.
func (h *header) opening() (open <-chan struct{}) {
	h.atGate(func(g *gate) bool {
		if g.opened {
			return false
		}
		if g.open == nil {
			g.open = make(chan struct{})
		}
		open = g.open
		return true
	})
	return open
}
