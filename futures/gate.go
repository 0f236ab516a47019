package futures

import (
	"sync"
	"unsafe"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// gate is where those wait that may give up before the answer is there: all that come while it is the newest waiter share
// it, and one who gives up is taken out of its list. So trying again and again leaves nothing behind that grows, and takes
// nothing away from the others.
//
//	state  | from   | to     | by
//	-------+--------+--------+--------------------------------------------------------------
//	opened | false  | true   | told, once: it takes the list, and tells everybody in it
//	listed | false  | true   | join, while the gate is not opened (of an entry)
//	listed | true   | false  | told; or leave, by one who gives up
//
// All under mu. Invariant: an entry is told exactly once, or has left. Nothing inside of mu stops at an invariant.Point:
// the clock would wait for it.
type gate struct {
	node

	mu          sync.Mutex
	opened      bool
	open        chan struct{} // closed when it is; made by the first goroutine that waits
	first, last *entry        // in the order in which they came
}

// entry is one who waits at a gate. Owner: its maker, before enter and after it was told or has left.
type entry struct {
	node   // its reaction is nil for a strand
	parked rt.Parked

	// guarded by gate.mu, but for gate itself, which is set before.
	gate       *gate
	listed     bool
	prev, next *entry
}

func newGate() *gate {
	g := new(gate)
	g.reaction = g
	return g
}

// told tells everybody, in the order in which they came.
func (g *gate) told(ctx *rt.Ctx) (relays *rt.Waiter) {
	g.mu.Lock()
	first := g.first
	g.opened, g.first, g.last = true, nil, nil
	for e := first; e != nil; e = e.next {
		e.listed = false
	}
	if g.open != nil {
		close(g.open)
	}
	g.mu.Unlock()
	var last *rt.Waiter
	for e := first; e != nil; {
		invariant.Point("futures.tell")
		next := e.next
		e.prev, e.next = nil, nil
		if e.reaction == nil {
			e.parked.UnparkFrom(ctx) // e must not be touched again
		} else if more := e.reaction.told(ctx); more != nil {
			if last == nil {
				relays = more
			} else {
				last.Next = more
			}
			last = newestIn(more)
		}
		e = next
	}
	return relays
}

// join puts e behind the others, and reports false if the gate has been opened. REQUIRES: mu.
func (g *gate) join(e *entry) bool {
	if g.opened {
		return false
	}
	e.gate, e.listed = g, true
	e.prev, e.next = g.last, nil
	if g.last != nil {
		g.last.next = e
	} else {
		g.first = e
	}
	g.last = e
	return true
}

// remove takes e out. REQUIRES: mu, listed.
func (g *gate) remove(e *entry) {
	if e.prev != nil {
		e.prev.next = e.next
	} else {
		g.first = e.next
	}
	if e.next != nil {
		e.next.prev = e.prev
	} else {
		g.last = e.prev
	}
	e.prev, e.next, e.listed = nil, nil, false
}

// leave takes e out of its gate, if it is in one, and reports whether it was: then e will not be told. From any goroutine.
func (e *entry) leave() bool {
	g := e.gate
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !e.listed {
		return false
	}
	g.remove(e)
	return true
}

// enter lets e wait for the answer, unless that is there: then it reports false. ready, if any, is called when it is sure
// that e will wait, before anybody can know of e. After true the caller must not touch e again.
func (h *header) enter(e *entry, ready func()) bool {
	return h.atGate(func(g *gate) bool {
		if !g.join(e) {
			return false
		}
		if ready != nil {
			ready()
		}
		return true
	})
}

// atGate calls f with the newest waiter, which is a gate, and its lock held; it reports false, and has not called f, when
// the answer is there. If f finds the gate opened and returns false, it may be called again, with another.
func (h *header) atGate(f func(g *gate) bool) bool {
	var mine *gate
	for {
		old := h.word.Load() // pairs with release, as in phase; and with the compare-and-swap below: the gate is visible
		if phaseOf(old) >= draining {
			return false
		}
		if tagOf(old)&gated != 0 {
			// Gates are never used again for anything else; so this one may have been taken out of the list meanwhile,
			// and is then opened or about to be.
			if gateOf(old).locked(f) {
				return true
			}
			continue // it is opened, so the next look sees the later phase
		}
		if mine == nil {
			mine = newGate()
		}
		mine.Next = newestOf(old)
		invariant.Point("futures.gate")
		if mine.placed(h, old, f) {
			return true
		}
	}
}

// locked calls f with the lock held.
func (g *gate) locked(f func(g *gate) bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return f(g)
}

// placed makes g the newest waiter in place of old, and calls f, which finds it not opened: whoever opens it waits for the
// lock. It reports false if somebody else came first.
func (g *gate) placed(h *header, old word, f func(g *gate) bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return h.word.CompareAndSwap(old, pack(&g.Waiter, uintptr(phaseOf(old))|gated)) && f(g) // as in register
}

// gateOf returns the newest waiter. REQUIRES: the word is gated, so that it is a gate.
func gateOf(x word) *gate { return (*gate)(unsafe.Pointer(newestOf(x))) }
