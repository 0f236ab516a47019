package rt

import (
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/internal/mailbox"
)

// Send puts m into the mailbox of to. A leaf. Delivery is causal: what the sender sent before, directly or through
// others, arrives before.
func Send(ctx *Ctx, to *Actor, m Message) {
	ctx.CheckLeaf()
	w := ctx.worker
	if to != nil && to.rt == w.rt && to.box.Home() == w.home && w.remote.Empty() {
		// Most messages go this way. There is no call in it, so that the message stays in registers.
		if slot := to.box.Room(); slot != nil {
			m.writeTo(slot)
			return
		}
	}
	send(ctx, to, m)
}

// send is Send where it is not the shortest way.
func send(ctx *Ctx, to *Actor, m Message) {
	CheckReceiver(ctx, to)
	w := ctx.worker
	home := to.box.Home()
	if home&mailbox.Pressed != 0 && !m.B.noLoad {
		ctx.holdBack(to)
	}
	if home&^mailbox.Pressed == w.home {
		if !w.remote.Empty() { // what lies there was sent before, and perhaps the sender knows of it
			w.deliver()
		}
		rested := to.rests != 0
		if rested {
			w.rouse(to)
		}
		m.writeTo(to.box.Slot(w.nodes))
		if rested {
			w.enqueue(to)
		}
		return
	}
	for home&mailbox.Leaving != 0 {
		invariant.GiveWay()
		home = to.box.Home()
	}
	at := home &^ mailbox.Pressed
	if !mailbox.IsWorker(at) {
		at = mailbox.NoHome
	}
	if w.out.HoldsElsewhere(&to.box, at) {
		w.flush()
		send(ctx, to, m) // the actor may be this worker's now
		return
	}
	var slot *Message
	switch {
	case at != mailbox.NoHome:
		slot = w.out.SlotAt(at, &w.rt.everyWorker()[at-1].remote, &to.box, w.nodes)
		if slot == nil {
			send(ctx, to, m) // it has another home
			return
		}
	case w.keeps(to.box.Last()) && !w.out.HoldsNode(&to.box) && to.box.Claim():
		m.writeTo(to.box.Slot(w.nodes))
		w.enqueue(to)
		return
	default:
		slot = w.out.Slot(&to.box, w.nodes)
	}
	m.writeTo(slot)
	if w.out.Full() {
		w.flush()
	}
}

// writeTo copies word by word, see mailbox.Box.Slot.
func (m *Message) writeTo(slot *Message) {
	slot.B = m.B
	slot.W0, slot.W1, slot.W2 = m.W0, m.W1, m.W2
	slot.P0, slot.P1 = m.P0, m.P1
}

// CheckReceiver panics as Send would for this receiver. A leaf, for generated sends that copy objects before they send.
func CheckReceiver(ctx *Ctx, to *Actor) {
	if to == nil || to.rt != ctx.worker.rt {
		misdirected(to)
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
