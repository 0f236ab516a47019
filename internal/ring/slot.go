package ring

import (
	"sync/atomic"
	"unsafe"
)

// State is how far a task has come.
//
//	state    | who                           | to
//	---------+-------------------------------+--------------------------------------------
//	filling  | submitter, in Publish         | queued
//	queued   | runner, in Begin              | running
//	queued,  | runner, in End                | ended or failed
//	running  |                               |
//	ended,   | whoever reserved the slot     | filling, with another id, once the horizon
//	failed   | next, in Publish              | has passed
type State uint64

// States. A slot that nobody has used is Filling.
const (
	Filling State = iota
	Queued
	Running
	Ended
	Failed
)

const stateBits = 3

// slot is one place of the ring: 32 bytes, so two share a line. Half the size costs a second line for each look-up.
//
// Writers: the owner of the id (see doc.go). Readers: any goroutine.
type slot struct {
	id atomic.Uint64
	// word is the state and, above it, the length of the label. Its store in Publish is what makes a task visible (a
	// release); pairs with the first load of it in LookUp and with that in ended.
	word  atomic.Uint64
	label atomic.Pointer[byte] // the first byte of a string
	born  atomic.Int64
}

// fill makes the slot that of a new task. REQUIRES: the caller has reserved id.
func (s *slot) fill(id uint64, label string, born int64) {
	// First, or one who looks up the last tenant could read the new label: pairs with the second load of the id in read.
	s.word.Store(uint64(Filling))
	s.id.Store(id)
	s.label.Store(unsafe.StringData(label))
	s.born.Store(born)
	s.word.Store(uint64(len(label))<<stateBits | uint64(Queued))
}

// set changes the state. REQUIRES: the caller is the task's runner, so that nobody else writes the word.
func (s *slot) set(to State) { s.word.Store(s.word.Load()&^(1<<stateBits-1) | uint64(to)) }

// read returns the tenant with that id, or false if the slot has another one or none.
func (s *slot) read(id uint64) (Entry, bool) {
	if s.id.Load() != id {
		return Entry{}, false
	}
	w := s.word.Load()
	state := State(w & (1<<stateBits - 1))
	if state == Filling {
		return Entry{}, false
	}
	label, born := s.label.Load(), s.born.Load()
	// Pairs with fill: whoever has read anything of a later tenant sees here that its id was stored before. A word of Filling
	// seen above was seen before the id; so the id that was loaded first was the old one's.
	if s.id.Load() != id {
		return Entry{}, false
	}
	// The pointer and the length are those that one Publish got from one string.
	return Entry{ID: id, State: state, Label: unsafe.String(label, int(w>>stateBits)), Born: born}, true
}

// ended reports whether the task with that id is here and has ended.
func (s *slot) ended(id uint64) bool {
	return s.id.Load() == id && State(s.word.Load()&(1<<stateBits-1)) >= Ended
}

// Entry is what a look-up finds: a copy. Owner: the caller.
type Entry struct {
	ID    uint64
	State State // never Filling
	Label string
	Born  int64 // what Publish was given
}
