package mailbox

import (
	"sync"
	"sync/atomic"

	"github.com/encorert/encorert/internal/invariant"
)

// Remote is where messages arrive that are for the actors of one worker: those whose home it is. What a sender has for many
// of them then comes through a few lines of memory, one after the other, and not through several lines of each actor's
// mailbox: where both processors are near, that is the price of a message. The zero value is ready.
//
// Order. An actor's messages lie here only while this worker is its home. A sender reads the epoch, then the receiver's
// home, and pushes the parcel under the lock only if the epoch is still the same. The worker ends being a home only between
// Close and Reopen: nothing lies here then, nothing comes, and Reopen begins a new epoch. So when anybody sees that an
// actor has left, all that was sent to it by this way lies in its mailbox, and what is pushed there directly comes
// behind.
type Remote[M any] struct {
	// Writers: under mu, when it changes. Readers: the worker before each send to an actor of its own and before each turn, by a
	// plain-cost load; so it has a line of its own. What a look misses the sender did not know of.
	waiting atomic.Bool
	_       [63]byte

	// Writers: the worker, under mu. Readers: senders, who must read it before the receiver's home: the worker writes the home
	// first. Without that order a home that has ended could be taken for one of the new epoch.
	epoch atomic.Uint64

	mu          sync.Mutex
	first, last *Parcel[M] // guarded by mu
	_           [32]byte
}

// Empty is a look that takes nothing. From anywhere.
func (r *Remote[M]) Empty() bool { return !r.waiting.Load() }

// Take returns what has come, the oldest first, or nil. REQUIRES: the caller is the worker, and delivers all of it before it
// runs an actor or closes.
func (r *Remote[M]) Take() *Parcel[M] {
	if r.Empty() {
		return nil
	}
	invariant.Lock(&r.mu)
	defer r.mu.Unlock()
	p := r.first
	r.first, r.last = nil, nil
	r.waiting.Store(false)
	return p
}

// Close locks senders out, unless something lies here, which the caller has to deliver before it tries again. REQUIRES: the
// caller is the worker.
func (r *Remote[M]) Close() bool {
	invariant.Lock(&r.mu)
	if r.first != nil {
		r.mu.Unlock()
		return false
	}
	return true
}

// Reopen ends Close, after actors have left.
func (r *Remote[M]) Reopen() {
	r.epoch.Add(1)
	r.mu.Unlock()
}

// push appends a chain. REQUIRES: mu, and that all receivers are at home here.
func (r *Remote[M]) push(c *chain[M]) {
	if r.last == nil {
		r.first = c.first
	} else {
		r.last.next = c.first
	}
	r.last = c.last
	if !r.waiting.Load() {
		r.waiting.Store(true)
	}
}
