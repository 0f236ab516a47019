package futures

import "github.com/encorert/encorert/rt"

// detached is a chain whose function runs on an actor of its own.
type detached[T, U any] struct{ chain[T, U] }

var detachedType = rt.ActorType{Name: "futures.detached"}

// ChainDetached is Chain for a function that belongs to no actor: it runs on one that is made for it when f is
// answered, first on the worker of whoever answered, once that one's behaviour has ended; an idle worker may take it.
// A leaf.
//
// Several such functions run at the same time, and beside the actor that chained them: fn may capture nothing that
// anybody changes, and no heap objects at all. A heap object as the answer is copied into the heap of fn's actor.
func ChainDetached[T, U any](ctx *rt.Ctx, f Future[T], fn func(cctx **rt.Ctx, v T) (U, error)) Future[U] {
	if fn == nil {
		panic("futures: ChainDetached of a nil function")
	}
	c := new(detached[T, U])
	c.reaction = c
	c.fn = fn
	c.source = f.cell()
	c.source.check(ctx)
	c.derived.init(ctx, nil, &chained)
	c.source.react(ctx, &c.node)
	return Future[U]{&c.derived}
}

func (c *detached[T, U]) told(ctx *rt.Ctx) *rt.Waiter {
	// Not inside c: a future that is kept would keep the actor and its heap.
	a := new(rt.Actor)
	rt.Spawn(ctx, a, &detachedType)
	c.send(ctx, a)
	return nil
}
