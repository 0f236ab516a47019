package futures

import (
	"github.com/encorert/encorert/rt"
)

// Future is where an answer is read. It may be copied and sent; the zero value is nobody's, and using it panics.
type Future[T any] struct{ c *cell[T] }

// Get waits for the answer and returns it. The actor stops until then: no other behaviour of it runs. The worker goes
// on with other actors. No Go allocation.
//
// Errors: what the promise was failed with; *DeadlockError when only this actor could fulfil it, or when those who are to
// have themselves called Get and wait for this actor; rt.ErrClosed when the runtime is closing. A heap object is copied into the actor's heap, and panics with a *heap.LimitError where the memory
// limit would be crossed.
func (f Future[T]) Get(cctx **rt.Ctx) (T, error) {
	c := f.cell()
	if !c.answered() {
		c.check(*cctx)
		if err := c.block(cctx); err != nil {
			var none T
			return none, err
		}
	}
	return c.read(*cctx)
}

// Await waits for the answer and returns it. Other behaviours of the actor run until then, one at a time: what they may
// change of the actor's state has to be looked at again afterwards. Otherwise as Get.
func (f Future[T]) Await(cctx **rt.Ctx) (T, error) {
	c := f.cell()
	if !c.answered() {
		c.check(*cctx)
		if err := c.await(cctx); err != nil {
			var none T
			return none, err
		}
	}
	return c.read(*cctx)
}

// await is rt.Await for a cell.
func (h *header) await(cctx **rt.Ctx) error {
	if h.behaviour != &watched { // most often
		return rt.Await(cctx, h)
	}
	h.waitsLong(1)
	defer h.waitsLong(-1) // also when the strand unwinds
	return rt.Await(cctx, h)
}

// TryGet returns the answer if it is there. A leaf.
func (f Future[T]) TryGet(ctx *rt.Ctx) (v T, err error, there bool) {
	c := f.cell()
	if !c.answered() {
		return v, nil, false
	}
	v, err = c.read(ctx)
	return v, err, true
}

// Suspend lets the messages run that wait now, then goes on. Returns rt.ErrClosed when the runtime is closing.
func Suspend(cctx **rt.Ctx) error { return rt.Suspend(cctx) }

// cell is the way to the cell for all methods.
func (f Future[T]) cell() *cell[T] {
	if f.c == nil {
		panic("futures: the zero Future: it was never made")
	}
	return f.c
}

// read returns the answer. REQUIRES: phase draining or done was seen.
func (c *cell[T]) read(ctx *rt.Ctx) (T, error) {
	c.check(ctx)
	if c.fragment != nil {
		return c.readObject(ctx)
	}
	return c.value, c.err
}
