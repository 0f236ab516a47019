package ring

import (
	"sync/atomic"
	"unsafe"

	"github.com/encorert/encorert/internal/invariant"
)

// State is how far a task has come.
//
//	state    | who                           | to
//	---------+-------------------------------+--------------------------------------------
//	none     | submitter, in Publish         | queued
//	queued   | runner, in Begin              | running
//	queued,  | runner, in End                | ended or failed
//	running  |                               |
//	ended,   | whoever reserved the slot     | none, seen with the next id, when Publish
//	failed   | next, in Publish              | has begun; then queued
type State uint64

// States.
const (
	None State = iota // the slot has no such task, or not yet
	Queued
	Running
	Ended
	Failed
)

// The word of a slot: state, length of the label, parity of the round, and time of submission.
const (
	stateBits = 3
	labelBits = 13
	bornBits  = 64 - stateBits - labelBits - 1

	stateMask  = 1<<stateBits - 1
	labelShift = stateBits
	parity     = 1 << (stateBits + labelBits)
	bornShift  = stateBits + labelBits + 1
)

const (
	// LongestLabel is how many bytes of a label are kept.
	LongestLabel = 1<<labelBits - 1
	// BornMask are the bits of a time of submission that are kept. In microseconds they wrap after 4 years.
	BornMask = 1<<bornBits - 1
)

// slot is one place of the ring. Two or three share a line.
//
// Writers: the owner of the id (see doc.go). Readers: any goroutine.
//
// A new tenant stores its id, then its label, then its word; each locked store is a third of what submission costs, so
// there is none that marks the slot as being filled. Instead the word has the parity of the round, that is, of how often ids
// have gone round the ring: tenants follow each other by one round, so the word of the last one is not taken for that of the new.
type slot struct {
	id    atomic.Uint64
	label atomic.Pointer[byte] // the first byte of a string
	word  atomic.Uint64
}

// fill makes the slot that of a new task. REQUIRES: the caller has reserved id; odd is whether its round is.
func (s *slot) fill(id uint64, odd bool, label string, born uint64) {
	// First: whoever looks up the last tenant and reads a label that is stored below finds another id in his second look.
	s.id.Store(id)
	invariant.Point("ring.fill")
	label = label[:min(len(label), LongestLabel)]
	s.label.Store(unsafe.StringData(label))
	invariant.Point("ring.fill")
	w := born<<bornShift | uint64(len(label))<<labelShift | uint64(Queued)
	if odd {
		w |= parity
	}
	// Last, a release: pairs with the load in of, which makes the label visible.
	s.word.Store(w)
}

// set changes the state. REQUIRES: the caller is the task's runner, so that nobody else writes the word.
func (s *slot) set(to State) { s.word.Store(s.word.Load()&^stateMask | uint64(to)) }

// of returns the word of the task with that id, or 0 if the slot has another one, or is being filled with it.
func (s *slot) of(id uint64, odd bool) uint64 {
	if s.id.Load() != id {
		return 0
	}
	invariant.Point("ring.read")
	w := s.word.Load()
	if w&parity != 0 != odd {
		return 0
	}
	return w
}

// read returns the task with that id, or false if the slot has another one or none.
func (s *slot) read(id uint64, odd bool) (Entry, bool) {
	w := s.of(id, odd)
	if w&stateMask == uint64(None) {
		return Entry{}, false
	}
	invariant.Point("ring.read")
	label := s.label.Load()
	// Pairs with fill: whoever has read anything of a later tenant sees here that its id was stored before.
	if s.id.Load() != id {
		return Entry{}, false
	}
	// The pointer and the length are those that one Publish got from one string.
	return Entry{
		ID: id, State: State(w & stateMask), Born: w >> bornShift,
		Label: unsafe.String(label, int(w>>labelShift&LongestLabel)),
	}, true
}

// ended reports whether the task with that id is here and has ended.
func (s *slot) ended(id uint64, odd bool) bool { return State(s.of(id, odd)&stateMask) >= Ended }

// Entry is what a look-up finds: a copy. Owner: the caller.
type Entry struct {
	ID    uint64
	State State // never None
	Label string
	Born  uint64 // what Publish was given, in the bits of BornMask
}
