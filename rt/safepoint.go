package rt

import "github.com/encorert/encorert/gc/heap"

// Safepoint collects the running actor's heap if that is due. Heap pointers that the caller holds only in Go variables
// may be freed: those it needs must be in a frame (gc.Push) or in the actor's state.
func Safepoint(cctx **Ctx) {
	ctx := *cctx
	ctx.CheckLeaf()
	if h := ctx.self.heap; h != nil && h.Due() {
		ctx.strand.collect()
	}
}

// Collect collects the running actor's heap now, old objects included. The rule for heap pointers is Safepoint's.
func Collect(cctx **Ctx) {
	ctx := *cctx
	ctx.CheckLeaf()
	if h := ctx.self.heap; h != nil {
		h.CollectFull(&ctx.Cursor, ctx.strand.roots)
		ctx.settleUp(h)
	}
}

// collect runs a collection of the running actor's heap.
func (s *strand) collect() {
	h := s.actor.heap
	h.Collect(&s.cell.Cursor, s.roots)
	s.cell.settleUp(h)
}

// roots marks what the running actor reaches: its state, what it keeps, the frames of this strand and those of its
// behaviours that are parked.
func (s *strand) roots(t *heap.Tracer) {
	a := s.actor
	if a.typ.Trace != nil {
		a.typ.Trace(a, t)
	}
	s.shadow.Trace(t)
	if x := a.more; x != nil {
		for p := x.parked; p != nil; p = p.nextParked {
			if p != s {
				p.shadow.Trace(t)
			}
		}
		for _, k := range x.kept {
			t.Mark(k)
		}
	}
}
