package heap

import (
	"sync"
	"unsafe"
	"weak"
)

// Note is a change that a holder owes to the count of another heap's object: what it holds more (an acquire, positive) or
// no longer (a release, negative). Units are those of weights, see share.go.
//
// Notes are causal: an acquire must be delivered before any message that its sender sends afterwards, and before a release that
// somebody posts because of such a message. Deliver at once, as rt does, is one way.
type Note struct {
	To     *Inbox // of the owner
	Object unsafe.Pointer
	Change int64
}

// Inbox is where notes to a heap are left: the name by which other heaps know their owner. It does not keep the heap alive:
// who holds an object keeps the heap by itself. All methods may be called from any goroutine.
type Inbox struct {
	heap  weak.Pointer[Heap]
	owner any // what SetOwner was given; written before the inbox is known to others

	mu sync.Mutex
	// The following are guarded by mu.
	notes  []Note
	called bool // somebody was asked to settle since the notes were last taken
}

// Heap returns the heap, nil when it is gone.
func (b *Inbox) Heap() *Heap { return b.heap.Value() }

// Owner returns what SetOwner was given, nil if nothing was.
func (b *Inbox) Owner() any { return b.owner }

// Deliver leaves the note in the inbox of its addressee. It reports whether the addressee should be asked to settle
// (Heap.Settle): true once, until it has taken its notes. Acquires never ask. Any goroutine.
func (n Note) Deliver() (ask bool) {
	b := n.To
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = append(b.notes, n)
	if n.Change < 0 && !b.called {
		b.called, ask = true, true
	}
	return ask
}

// take empties the inbox.
func (b *Inbox) take() []Note {
	b.mu.Lock()
	defer b.mu.Unlock()
	notes := b.notes
	b.notes, b.called = nil, false
	return notes
}
