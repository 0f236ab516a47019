package futures

import (
	"unsafe"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

// Promise is where an answer is put, once. It may be copied and sent; the zero value is nobody's, and using it panics.
type Promise[T any] struct{ c *cell[T] }

// NewPromise makes a promise that owner is to fulfil; nil where that is not known or may change hands. A get of it by
// owner itself is reported as a *DeadlockError. A leaf; one Go allocation of 64 bytes for small T.
//
// T may be any Go type that may be shared (the answer is read by several actors), or a pointer to a generated object
// type: then readers get copies.
func NewPromise[T any](ctx *rt.Ctx, owner *rt.Actor) Promise[T] {
	return NewPromiseFor[T](ctx, owner, nil)
}

// NewPromiseFor is NewPromise for the answer of one behaviour of owner, which reports will then name.
func NewPromiseFor[T any](ctx *rt.Ctx, owner *rt.Actor, b *rt.Behaviour) Promise[T] {
	ctx.CheckLeaf()
	c := new(cell[T])
	c.init(ctx, owner, b)
	return Promise[T]{c}
}

// init prepares a new header. The stores are published by whatever hands the cell on.
func (h *header) init(ctx *rt.Ctx, owner *rt.Actor, b *rt.Behaviour) {
	h.owner, h.behaviour, h.runtime = unsafe.Pointer(owner), b, ctx.Runtime()
}

// Future returns the reading side.
func (p Promise[T]) Future() Future[T] { return Future[T](p) }

// Fulfil answers with v. A leaf: it tells all who wait, in the order in which they came, and runs nothing of theirs.
// The error is ErrAlreadyFulfilled or nil. For a heap object it panics with a *heap.LimitError where the memory limit would
// be crossed; the promise is then still open.
func (p Promise[T]) Fulfil(ctx *rt.Ctx, v T) error {
	c := p.cell()
	c.check(ctx)
	rt.Flush(ctx)
	if isObject[T]() {
		return c.fulfilObject(ctx, v, copyOut)
	}
	if !c.claim() {
		return ErrAlreadyFulfilled
	}
	c.value = v
	c.publish(ctx)
	return nil
}

// Fail answers with an error, which must not be nil. A leaf, as Fulfil.
func (p Promise[T]) Fail(ctx *rt.Ctx, err error) error { return p.cell().fail(ctx, err) }

// Settle answers with what a function has returned: with err if that is not nil, and v is dropped; else with v. A leaf,
// as Fulfil.
func (p Promise[T]) Settle(ctx *rt.Ctx, v T, err error) error {
	if err != nil {
		return p.Fail(ctx, err)
	}
	return p.Fulfil(ctx, v)
}

// Pointer returns the promise as it travels in a message's P1.
func (p Promise[T]) Pointer() unsafe.Pointer { return unsafe.Pointer(p.cell()) }

// PromiseAt is the inverse of Pointer; T must be the same.
func PromiseAt[T any](p unsafe.Pointer) Promise[T] { return Promise[T]{(*cell[T])(p)} }

// FailReply is what generated code sets rt.Behaviour.Fail to: it answers the promise of a message whose behaviour did
// not come to its end. A leaf. If the behaviour had already answered, that stays.
func FailReply(ctx *rt.Ctx, reply unsafe.Pointer, err error) {
	// Every reply pointer was made by Pointer, of a cell of whatever type, and starts with a header.
	_ = (*header)(reply).fail(ctx, err) // ErrAlreadyFulfilled: nothing is left to be told
}

func (h *header) fail(ctx *rt.Ctx, err error) error {
	if err == nil {
		panic("futures: Fail without an error")
	}
	h.check(ctx)
	rt.Flush(ctx)
	if !h.claim() {
		return ErrAlreadyFulfilled
	}
	h.err = err
	h.publish(ctx)
	return nil
}

// cell is the way to the cell for all methods.
func (p Promise[T]) cell() *cell[T] {
	if p.c == nil {
		panic("futures: the zero Promise: it was never made")
	}
	return p.c
}

// fulfilObject is Fulfil for heap objects: v is a pointer into the heap of the running actor.
func (c *cell[T]) fulfilObject(ctx *rt.Ctx, v T, out func(*rt.Ctx, *unsafe.Pointer) *gc.Fragment) error {
	if c.phase() != pending {
		return ErrAlreadyFulfilled // without a copy for nothing
	}
	// The copy comes before the claim: where it panics, the promise can still be failed.
	fragment := out(ctx, slotOf(&v))
	if !c.claim() {
		if fragment != nil {
			fragment.Free()
		}
		return ErrAlreadyFulfilled
	}
	if fragment != nil {
		fragment.Keep()
	}
	c.value, c.fragment = v, fragment
	c.publish(ctx)
	return nil
}
