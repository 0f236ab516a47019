package futures

import (
	"unsafe"

	"github.com/encorert/encorert/rt"
)

// word is the state of a cell: the newest waiter, linked through Waiter.Next to the older ones, and in the low bits of
// that address the phase. It is a pointer into the waiter, not an integer, so that Go's collector follows it.
//
//	phase    | list           | who          | to
//	---------+----------------+--------------+----------------------------------------------------
//	pending  | all waiters    | any waiter   | pending, one more (register)
//	         |                | one fulfiller| filling, same list (claim): the others have lost
//	filling  | all waiters    | any waiter   | filling, one more (register)
//	         |                | fulfiller    | done, empty (publish, when nobody waits, or one strand)
//	         |                | fulfiller    | draining, empty (publish: it took the list and tells all)
//	draining | later chains   | any chain    | draining, one more (register)
//	         |                | fulfiller    | draining, empty (takes the next round)
//	         |                | fulfiller    | done, empty (finds the list empty and closes it in one step)
//	done     | empty          | nobody       |
//
// Invariant: the answer is written between claim and publish, and read only by those who have seen draining or done.
// Invariant: a phase is never left for an earlier one, and a waiter enters a list at most once per phase; so a word that
// is equal to one loaded before is the same list, and a compare-and-swap on it is not deceived.
type word = *byte

// phase is how far a cell has come.
type phase uintptr

const (
	pending  phase = iota // no answer yet
	filling               // somebody has won the right to answer, and writes the answer
	draining              // the answer is there; waiters are being told
	done                  // all are told; nobody will be any more

	phaseBits = 3
	// gated is set beside the phase when the newest waiter is a gate.
	gated   = 4
	tagBits = phaseBits | gated
)

// nobody stands for an empty list in all phases but pending, where a nil word does: an address cannot be a bare tag.
var nobody rt.Waiter

var (
	emptyFilling  = pack(&nobody, uintptr(filling))
	emptyDraining = pack(&nobody, uintptr(draining))
	emptyDone     = pack(&nobody, uintptr(done))
)

// pack makes a word. A waiter starts with a pointer, so its address is a multiple of 8 and it is longer than any tag:
// the word points into it, and keeps it alive.
func pack(w *rt.Waiter, tag uintptr) word { return word(unsafe.Add(unsafe.Pointer(w), tag)) }

func tagOf(x word) uintptr { return uintptr(unsafe.Pointer(x)) & tagBits }

func phaseOf(x word) phase { return phase(tagOf(x) & phaseBits) }

// newestOf returns the newest waiter, or nil.
func newestOf(x word) *rt.Waiter {
	// The address was made by pack (or is nil, with no tag): taking the tag away gives the waiter again.
	w := (*rt.Waiter)(unsafe.Add(unsafe.Pointer(x), -int(tagOf(x))))
	if w == &nobody {
		return nil
	}
	return w
}

// claimed returns the word with phase filling instead of pending.
func claimed(x word) word {
	if x == nil {
		return emptyFilling
	}
	return word(unsafe.Add(unsafe.Pointer(x), filling))
}
