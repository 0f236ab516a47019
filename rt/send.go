package rt

import "github.com/encorert/encorert/internal/invariant"

// Send puts m into the mailbox of to. A leaf. Delivery is causal: what the sender sent before, directly or through
// others, arrives before.
func Send(ctx *Ctx, to *Actor, m Message) {
	if to == nil {
		panic("rt: send to the zero handle: the actor was never created")
	}
	ctx.CheckLeaf()
	if invariant.Enabled && to.typ == nil {
		panic("rt: send to an actor that was not made by Spawn")
	}
	w := ctx.worker
	switch {
	case to.box.Home() == w.home:
		to.box.PushLocal(w.nodes, m)
	case to.box.Claim():
		to.box.PushLocal(w.nodes, m)
		w.enqueue(to)
	case to.box.PushRemote(w.nodes, m):
		w.enqueue(to)
	}
}
