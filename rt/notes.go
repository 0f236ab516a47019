package rt

import (
	"weak"

	"github.com/encorert/encorert/gc/heap"
)

// owner is how a heap's inbox names the actor: without keeping it, since who holds an object keeps the heap alive and not its actor.
type owner struct{ actor weak.Pointer[Actor] }

// SharingHeap returns the running actor's heap for what shares objects with others, which need to find their owner. A leaf.
func (ctx *Ctx) SharingHeap() *heap.Heap {
	h := ctx.Heap()
	if !h.HasOwner() {
		h.SetOwner(owner{weak.Make(ctx.self)})
	}
	return h
}

// PostNotes delivers what the running actor's heap owes to others, if anything. It must come between a sharing of objects and the send
// that carries them. A leaf.
func PostNotes(ctx *Ctx) {
	ctx.payNotes(ctx.Heap())
}

// settleUp does what a collection of the running actor's heap leaves to do for others.
func (ctx *Ctx) settleUp(h *heap.Heap) {
	ctx.payNotes(h)
	for _, in := range ctx.Space().Abandoned() {
		ctx.ask(in)
	}
}

// payNotes delivers what a heap owes to others, if anything.
func (ctx *Ctx) payNotes(h *heap.Heap) {
	if h.Owes() {
		ctx.deliver(h.TakeNotes())
	}
}

// deliver leaves notes at their owners at once, and so before whatever is sent later, and asks them to settle.
func (ctx *Ctx) deliver(notes []heap.Note) {
	for _, n := range notes {
		if n.Deliver() {
			ctx.ask(n.To)
		}
	}
}

// ask sends a message to the actor whose heap has notes. For an actor that is gone, nobody else will: so this worker does.
func (ctx *Ctx) ask(in *heap.Inbox) {
	o, named := in.Owner().(owner)
	if !named {
		return
	}
	if a := o.actor.Value(); a != nil {
		Send(ctx, a, Message{B: &settle})
		return
	}
	if h := in.Heap(); h != nil {
		ctx.deliver(h.SettleOrphan())
	}
}

// settle is the behaviour of an actor whose heap has notes.
var settle = Behaviour{Name: "settle", noLoad: true}

func init() { // to settle may lead to others, who are asked to settle
	settle.Run = func(cctx **Ctx, a *Actor, _ *Message) {
		if h := a.heap; h.Settle() {
			Collect(cctx)
		}
	}
}

// keep keeps an actor to the end of a systematic run.
func (d *driver) keep(a *Actor) { d.kept = append(d.kept, a) }
