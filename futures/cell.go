package futures

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// cell is what a promise and its futures share. Nothing else names it, so Go's collector frees it with the last of
// them.
type cell[T any] struct {
	header // first: a message's reply pointer is read as one, see FailReply
	// Writers: the fulfiller, before publish. Readers: whoever has seen phase draining or done.
	value T
}

// header is the part of a cell that does not depend on the type.
type header struct {
	// Writers: all, by compare-and-swap and swap, see the transition table of word. Readers: all.
	word atomic.Pointer[byte]
	// owner is who is to answer, see answerer. It only serves reports. Writers: the maker, by a plain store, which whatever
	// hands the cell on publishes (an atomic one would cost 5 ns more); Forward; the fulfiller, which clears it so that a
	// future that is kept does not keep the actor. Readers: who is about to wait, and reports.
	owner unsafe.Pointer

	// Writers: the maker. Readers: all.
	behaviour *rt.Behaviour // that is to answer, or nil; only serves reports
	runtime   *rt.Runtime

	// Writers: the fulfiller, before publish. Readers: whoever has seen phase draining or done.
	err      error
	fragment *gc.Fragment // holds the graph of value where T is a heap object
}

// reaction is a waiter that is not a strand.
type reaction interface {
	// told is called once, by the fulfiller or by the one who came too late to register. A leaf. It returns relays, if it
	// is one or stands for some, as a list by Next with the oldest first: they pass on the answer, later.
	told(ctx *rt.Ctx) (relays *rt.Waiter)
}

// relay is a reaction that answers another cell, its target. If it did that when it was told, the stack would grow with
// each relay that waits for the target; so told only returns it, and pass is called from a loop, see carryOn.
type relay interface {
	reaction
	// pass answers the target and returns it, for release; or returns nil, if the target has its answer already, or does
	// not get it yet. A leaf.
	pass(ctx *rt.Ctx) (target *header)
}

// node is how a reaction lies in the list of waiters.
type node struct {
	rt.Waiter // first: the list is one of *rt.Waiter
	reaction  reaction
}

// nodeOf returns the node that starts with w. REQUIRES: w is not a strand's.
func nodeOf(w *rt.Waiter) *node { return (*node)(unsafe.Pointer(w)) }

// phase pairs with publish: after draining or done, the answer may be read.
func (h *header) phase() phase { return phaseOf(h.word.Load()) }

func (h *header) answered() bool { return h.phase() >= draining }

// register adds a waiter unless the phase has come to limit; it reports whether it did. After true the caller must not
// touch w again.
//
// The compare-and-swap pairs with the Swap in publish: it makes w.Next, and what the waiter will need when it is told,
// visible to the fulfiller. It fails if the phase has moved on since the look, or a waiter added here would be lost.
func (h *header) register(w *rt.Waiter, limit phase) bool {
	for {
		old := h.word.Load()
		p := phaseOf(old)
		if p >= limit {
			return false
		}
		w.Next = newestOf(old)
		invariant.Point("futures.register")
		if h.word.CompareAndSwap(old, pack(w, uintptr(p))) {
			return true
		}
	}
}

// claim decides who answers. Exactly one call returns true, and its caller must publish.
//
// The compare-and-swap pairs with itself in other fulfillers: without it two would write the answer.
func (h *header) claim() bool {
	for {
		old := h.word.Load()
		if phaseOf(old) != pending {
			return false
		}
		invariant.Point("futures.claim")
		if h.word.CompareAndSwap(old, claimed(old)) {
			invariant.Point("futures.claimed")
			return true
		}
	}
}

// publish makes the answer visible and tells all waiters, in the order in which they registered; then relays pass it on.
// REQUIRES: claim returned true; the answer is written.
func (h *header) publish(ctx *rt.Ctx) {
	if relays := h.release(ctx); relays != nil {
		carryOn(ctx, relays)
	}
}

// carryOn has relays pass on their answers, and those that wait for these, until none is left. Their list is all the memory
// that it needs, however long a row of relays is.
func carryOn(ctx *rt.Ctx, relays *rt.Waiter) {
	for last := newestIn(relays); relays != nil; {
		n := nodeOf(relays)
		target := n.reaction.(relay).pass(ctx)
		if target != nil {
			if more := target.release(ctx); more != nil {
				last.Next, last = more, newestIn(more)
			}
		}
		relays, n.Next = n.Next, nil
	}
}

// newestIn returns the end of a list with the oldest first.
func newestIn(w *rt.Waiter) *rt.Waiter {
	for w.Next != nil {
		w = w.Next
	}
	return w
}

// release is publish for a caller that looks after the relays itself.
//
// Its compare-and-swap and Swap pair with the Load in phase and register, which thereby see the answer; and with the
// compare-and-swap in register: each waiter is either in a list that is taken here, or sees the later phase.
func (h *header) release(ctx *rt.Ctx) (relays *rt.Waiter) {
	atomic.StorePointer(&h.owner, nil) // pairs with the loads in answerer, which others may be calling
	invariant.Point("futures.publish")
	// The look saves a compare-and-swap where there are waiters (5 ns). One strand alone, as most often, is told after the
	// end: nobody has registered behind it.
	old := h.word.Load()
	if w := newestOf(old); w == nil || w.Next == nil && w.Strand() {
		invariant.Point("futures.finish")
		if h.word.CompareAndSwap(old, emptyDone) {
			if w != nil {
				rt.Unpark(ctx, w)
			}
			return nil
		}
	}
	invariant.Point("futures.take")
	newest := h.word.Swap(emptyDraining)
	for {
		if more := tellAll(ctx, newestOf(newest)); relays == nil {
			relays = more
		} else {
			newestIn(relays).Next = more
		}
		invariant.Point("futures.close")
		// Pairs with register: with a plain store, one who registered since the list was taken would be lost.
		if h.word.CompareAndSwap(emptyDraining, emptyDone) {
			return relays
		}
		invariant.Point("futures.next")
		newest = h.word.Swap(emptyDraining)
	}
}

// tellAll tells a list of waiters, oldest first, and returns the relays among them.
func tellAll(ctx *rt.Ctx, newest *rt.Waiter) (relays *rt.Waiter) {
	var oldest *rt.Waiter
	for w := newest; w != nil; {
		next := w.Next
		w.Next = oldest
		oldest, w = w, next
	}
	var last *rt.Waiter
	for w := oldest; w != nil; {
		invariant.Point("futures.tell")
		next := w.Next // before w is told: after that it is its owner's again
		if w.Strand() {
			rt.Unpark(ctx, w)
		} else {
			n := nodeOf(w)
			n.Next = nil // a chain that is kept must not keep those behind it
			if more := n.reaction.told(ctx); more != nil {
				if last == nil {
					relays = more
				} else {
					last.Next = more
				}
				last = newestIn(more)
			}
		}
		w = next
	}
	return relays
}

// Commit is for package rt: it registers a strand that was parked (interface rt.Wait).
func (h *header) Commit(w *rt.Waiter) bool { return h.register(w, draining) }

// check is what every leaf of this package starts with: a future of another runtime would park its caller among
// strangers.
func (h *header) check(ctx *rt.Ctx) {
	ctx.CheckLeaf()
	if ctx.Runtime() != h.runtime {
		panic(fmt.Sprintf("futures: %s belongs to another runtime", h.Describe()))
	}
}
