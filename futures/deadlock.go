package futures

import (
	"unsafe"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// Actors that have stopped in a Get, and the cells that they wait for, form a graph: from an actor to its cell
// (rt.NoteBlock), and from the cell to the actor that is to answer it (answerer). Every node has one way out, so whoever adds
// an edge looks along one path whether it comes back to him. Then nobody on it can ever go on: each is stopped, and only the
// next one could let it go. An Await stops nobody, and a wait with a limit ends by itself: they are no edges.
//
// The edge is noted before the look: of several who close a circle at once, at least the last sees all of it. They may all
// see it, and then all are told.
//
// While the path is walked, others go on. That it has come back once is no proof: an actor that was passed early may have
// answered before one that was passed late stopped. So it is walked a second time, and counts if it is the same. For each
// edge from an actor to a cell that was seen the first time, the cell was not answered yet when it was seen the second time;
// so the actor has stood still in between. All intervals contain the moment between the two walks: at that moment the circle
// was closed. And one that is closed stays so, but for those who are not in it: a Cancel, or an answer by one who was not
// named as the owner. NewPromise says that the owner is nil then.

// maxPath is how many actors are looked through; a path without end, into a circle of others, ends there. What is found at
// the end of the run instead (rt.BlockedError) has no limit. Picked.
const maxPath = 100_000

// step is an edge of a path.
type step struct {
	actor *rt.Actor
	on    *header
}

// block is rt.Block for a cell, or the *DeadlockError that it would be.
func (h *header) block(cctx **rt.Ctx) error {
	if h.behaviour == &watched {
		h.waitsLong(1)
		defer h.waitsLong(-1) // also when the strand unwinds
	}
	return h.blockNoted(cctx)
}

func (h *header) blockNoted(cctx **rt.Ctx) error {
	ctx := *cctx
	rt.NoteBlock(ctx, unsafe.Pointer(h))
	invariant.Point("futures.block")
	err := h.circle(ctx)
	if err == nil {
		err = rt.Block(cctx, h)
		ctx = *cctx
	}
	rt.NoteBlock(ctx, nil)
	return err
}

// circle returns the *DeadlockError of a get by the running actor, or nil.
func (h *header) circle(ctx *rt.Ctx) error {
	self := ctx.Self()
	first := h.answerer()
	if first != self && (first == nil || first.BlocksOn() == nil) {
		return nil // most often
	}
	path, back := h.path(self, nil, false)
	if !back {
		return nil
	}
	if _, same := h.path(self, path, true); !same {
		return nil // whoever closes it, if it is ever closed, will see it
	}
	return h.deadlock(ctx, path)
}

// path follows the edges from h to the actor self, and reports whether they lead there. With again, it reports whether they
// lead there by way of old.
func (h *header) path(self *rt.Actor, old []step, again bool) (path []step, back bool) {
	for n := range maxPath {
		a := h.answerer()
		invariant.Point("futures.path")
		if a == self {
			return path, !again || n == len(old)
		}
		if a == nil {
			return nil, false
		}
		h = (*header)(a.BlocksOn()) // noted by block
		if h == nil {
			return nil, false
		}
		if !again {
			path = append(path, step{a, h})
		} else if n == len(old) || old[n] != (step{a, h}) {
			return nil, false
		}
	}
	return nil, false
}

// ownGet returns the error of a get of what only the same actor could answer.
func (h *header) ownGet(ctx *rt.Ctx) error {
	if h.answerer() != ctx.Self() {
		return nil
	}
	return h.deadlock(ctx, nil)
}

func (h *header) deadlock(ctx *rt.Ctx, path []step) error {
	e := &DeadlockError{Actor: ctx.Self().String(), Future: h.Describe()}
	if b := ctx.Behaviour(); b != nil {
		e.Behaviour = b.Name
	}
	for _, s := range path {
		e.Through = append(e.Through, BlockedActor{s.actor.String(), s.on.Describe()})
	}
	return e
}
