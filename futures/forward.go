package futures

import (
	"github.com/encorert/encorert/rt"
)

// Forward answers p with the answer of f, as soon as that is there, and without anybody waiting for it meanwhile. A leaf;
// one Go allocation. It does not claim the promise: somebody who answers it before is first. Rows of any length are
// answered in a loop, not one inside the other.
//
// A get of p by the actor that is to answer f is a deadlock, and reported as one: reports look through p.
func (p Promise[T]) Forward(ctx *rt.Ctx, f Future[T]) {
	from, to := f.cell(), p.cell()
	from.check(ctx)
	to.check(ctx)
	to.passedOn(&from.header)
	n := &forward[T]{from: from, to: to}
	n.reaction = n
	from.react(ctx, &n.node)
}

// SettleWith is what generated code calls for a behaviour that returns a future and perhaps an error: Forward, or Fail where
// err is not nil. A leaf.
func (p Promise[T]) SettleWith(ctx *rt.Ctx, f Future[T], err error) {
	if err != nil {
		_ = p.Fail(ctx, err) // ErrAlreadyFulfilled: it was cancelled
		return
	}
	p.Forward(ctx, f)
}

// forward is a relay from one cell to another.
type forward[T any] struct {
	node
	from, to *cell[T]
}

func (n *forward[T]) told(*rt.Ctx) *rt.Waiter { return &n.Waiter }

func (n *forward[T]) pass(*rt.Ctx) *header {
	to := n.to
	if !to.answerAs(n.from) {
		return nil
	}
	return &to.header
}

// answerAs gives c the answer of another cell, and reports whether it has none yet; the caller must then release it.
// REQUIRES: from is answered.
func (c *cell[T]) answerAs(from *cell[T]) bool {
	if !c.claim() {
		return false
	}
	// Nobody writes to a fragment that is kept, so that cells may share it.
	c.value, c.err, c.fragment = from.value, from.err, from.fragment
	return true
}
