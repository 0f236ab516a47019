package rt

import (
	"unsafe"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/internal/mailbox"
)

// What a worker sends to actors that are not its own waits in its outbox (mailbox.Outbox), and is handed over as a group:
//
//	when it is large enough            Send
//	when somebody is hungry            feed, before a message
//	before this worker looks elsewhere take; and after every so many turns
//	when the monitor asks              answer
//	before others learn of what        share, handTo, commit (a strand is parked), mute, unload: the actor may go on
//	happened here by another way       elsewhere; Flush: a fulfilled future, an unlocked mutex; runRoot: Do returns
//	before an actor is released        releaseAll, see rest.go: whoever takes an idle actor may be another worker
//	before this worker sends without   adopt: an actor is here now to which messages wait in the outbox
//	the outbox
//
// What comes for this worker's own actors lies in its mailbox.Remote until deliver, which comes before a turn, before a send to one of
// its own, and before an actor leaves: giveUp, letGo, release.
//
// The argument for causal delivery is in package mailbox; its model tries every order.

// flush hands over what this worker has sent to others.
func (w *worker) flush() {
	all := w.out.Flush(w.nodes)
	for owned := all; len(owned) > 0; {
		last := owned[0].Last()
		if w.keeps(last) {
			w.enqueue(actorOf(owned[0]))
			owned = owned[1:]
			continue
		}
		rest := owned[:0]
		for _, b := range owned {
			if b.Last() == last {
				b.GiveUpHome()
				w.handover = append(w.handover, actorOf(b))
			} else {
				rest = append(rest, b)
			}
		}
		owned = rest
		for _, a := range w.handover {
			w.becomesShared(a)
		}
		if w.rt.handOver(w.handover, int(last-1)) {
			w.count.wakes++
		}
		clear(w.handover)
		w.handover = w.handover[:0]
	}
	clear(all)
}

// checkSent panics in invariant builds if the worker, which is about to sleep and be counted as quiet, owes messages or
// actors.
func (w *worker) checkSent() {
	if invariant.Enabled && (!w.out.Empty() || len(w.resting) > 0 || !w.remote.Empty()) {
		panic("rt: a worker sleeps beside messages that it has not sent or not received")
	}
	w.checkProbed()
}

// handOver makes owned actors without a home ready at the worker where they were last. Others may take them from there,
// so that they do not wait behind a long behaviour. It reports whether a worker was woken. The caller must not touch them
// again.
func (rt *Runtime) handOver(actors []*Actor, worker int) (woke bool) {
	rt.everyWorker()[worker].inbox.PushAll(actors)
	return rt.lot.WakeOne()
}

// actorOf returns the actor of a box.
func actorOf(b *mailbox.Box[Message]) *Actor {
	return (*Actor)(unsafe.Add(unsafe.Pointer(b), -int(unsafe.Offsetof(Actor{}.box))))
}

// keeps reports whether an actor that was idle is to run here, and not where it was last and its memory may still be
// near. It is while this worker has nothing else to do and others have not either: two that send to each other in
// turns end on one worker.
func (w *worker) keeps(last uint32) bool {
	if last == w.home || last == mailbox.NoHome || last > uint32(w.rt.cfg.Workers) {
		return true
	}
	return w.private.Len() == 0 && w.rt.lot.Hungry() || w.rt.lot.Sleeping() > 0
}

// receive takes what others have handed over.
func (w *worker) receive() {
	w.inbox.TakeAll(&w.arrived)
	for a := w.arrived.Pop(); a != nil; a = w.arrived.Pop() {
		w.adopt(a)
		w.wasHandedOver(a)
		w.private.Push(a)
	}
}

// adopt makes this worker the home of an actor that it owns. What it sent to the actor while that was another's goes
// before what it will push to the local part.
func (w *worker) adopt(a *Actor) {
	if a.box.Home()&^mailbox.Pressed == w.home {
		return
	}
	if w.out.Holds(&a.box) {
		w.flush()
	}
	a.box.SetHome(w.home)
}

// deliver gives the actors whose home this worker is what has come for them.
func (w *worker) deliver() {
	for p := w.remote.Take(); p != nil; p = w.nodes.PutParcel(p) {
		visible := p.Visible()
		for i := range p.Len() {
			b, m := p.At(i)
			a := actorOf(b)
			if invariant.Enabled && b.Home()&^mailbox.Pressed != w.home {
				panic("rt: a message has come to a worker that is not the receiver's home")
			}
			rested := a.rests != 0
			if rested {
				w.rouse(a)
			}
			if visible {
				m.writeTo(b.Slot(w.nodes))
			} else {
				b.Late(p, m, w.nodes)
			}
			if rested { // not by enqueue, which may let others have it while messages for it are still to come
				w.makeReady(a)
			}
		}
	}
}

// giveUp ends this worker's being the home of an owned actor. See mailbox.Remote for the order in which that happens.
func (w *worker) giveUp(a *Actor) {
	if a.box.Home()&^mailbox.Pressed == w.home && !w.leaves(a) {
		w.closeRemote()
		defer w.remote.Reopen()
	}
	a.box.GiveUpHome()
}

// letGo releases an owned actor, unless it has got messages. After true the caller must not touch a again.
func (w *worker) letGo(a *Actor) bool {
	if a.box.Drained() && w.leaves(a) {
		return a.box.Release(w.nodes)
	}
	w.closeRemote()
	released := a.box.Release(w.nodes)
	w.remote.Reopen()
	return released
}

// leaves begins to let an actor go without the lock, if all other workers sleep. After true the caller ends that, by GiveUpHome
// or Release.
func (w *worker) leaves(a *Actor) bool {
	if !w.alone() || a.box.IsPressed() {
		return false
	}
	invariant.Point("rt.alone")
	a.box.Leave()
	if w.alone() && w.remote.Empty() { // pairs with the count's change before a sleeper is woken
		return true
	}
	a.box.SetHome(w.home)
	return false
}

// alone reports whether all other workers have announced sleep, which they do with nothing in their outboxes.
func (w *worker) alone() bool { return w.rt.lot.Sleeping() == len(w.rt.everyWorker())-1 }

// closeRemote lets no more messages come to actors of this worker, until the caller reopens.
func (w *worker) closeRemote() {
	for !w.remote.Close() {
		w.deliver()
	}
}

// Flush makes what the running behaviour has sent so far reach its receivers. A leaf. Whatever lets others learn of what
// happened in this behaviour by another way than a message calls it first: who sees that a future is fulfilled may
// send, and that message must not arrive before. So does a behaviour that is about to wait outside the runtime (on a Go
// channel) for an effect of what it has sent.
func Flush(ctx *Ctx) {
	ctx.CheckLeaf()
	ctx.worker.flush()
}
