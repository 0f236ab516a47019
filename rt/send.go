package rt

// Send puts m into the mailbox of to. A leaf. Delivery is causal: what the sender sent before, directly or through
// others, arrives before.
func Send(ctx *Ctx, to *Actor, m Message) {
	w := ctx.worker
	if to == nil || to.rt != w.rt {
		misdirected(to)
	}
	ctx.CheckLeaf()
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

// misdirected says what is wrong with a receiver.
func misdirected(to *Actor) {
	switch {
	case to == nil:
		panic("rt: send to the zero handle: the actor was never created")
	case to.rt == nil:
		panic("rt: send to an actor that was not made by Spawn")
	default:
		panic("rt: send to " + to.typ.Name + ", an actor of another runtime: use Runtime.Do of that one")
	}
}
