package runq

import "sync/atomic"

// sharedSlots bounds a shared queue: Go's and Tokio's value. What does not fit goes to the inject queue.
const sharedSlots = 256

// Shared is a bounded queue with one producer and many consumers, as Go's scheduler has it (runtime/proc.go, runqput,
// runqgrab).
//
//	slots[head:tail) | belong to the queue; a consumer reads them before it moves head
//	slots[tail:head+sharedSlots) | belong to the producer
//
// Invariant: tail-head <= sharedSlots.
type Shared[T any] struct {
	// Writers: whoever takes, by compare-and-swap. Readers: all.
	head atomic.Uint32
	_    [60]byte // head is written by thieves, tail by the owner: keep them apart
	// Writers: the owner. Readers: all.
	tail   atomic.Uint32
	forgot uint32 // slots before it, up to head, have been cleared; Owner: the owner
	slots  [sharedSlots]atomic.Pointer[T]
}

// Push appends x; false when the queue is full. REQUIRES: the caller is the owner.
func (q *Shared[T]) Push(x *T) bool {
	h := q.head.Load() // pairs with the CompareAndSwap in take: the slot is no longer being read
	t := q.tail.Load()
	if t-h >= sharedSlots {
		return false
	}
	q.slots[t%sharedSlots].Store(x)
	// Pairs with the Load of tail in take and Empty. It is an exchange on amd64 and sequentially consistent
	// everywhere, which the last look before sleep relies on: a waker that pushed and then found nobody asleep is seen
	// by whoever announced sleep and then looks here.
	q.tail.Store(t + 1)
	return true
}

// Pop takes the oldest, or returns nil. Any worker may call it.
func (q *Shared[T]) Pop() *T {
	for {
		h := q.head.Load()
		if h == q.tail.Load() {
			return nil
		}
		x := q.slots[h%sharedSlots].Load()
		// Pairs with Push: without the swap two takers would both run x.
		if q.head.CompareAndSwap(h, h+1) {
			return x
		}
	}
}

// Steal takes half of what is there, at most len(into), and returns how many. It keeps nothing else in into. Any worker may call it.
func (q *Shared[T]) Steal(into []*T) int {
	for {
		h := q.head.Load()
		t := q.tail.Load()
		n := t - h
		n -= n / 2
		if n == 0 {
			return 0
		}
		if n > sharedSlots/2 {
			continue // head and tail were read at different times
		}
		n = min(n, uint32(len(into)))
		for i := range n {
			into[i] = q.slots[(h+i)%sharedSlots].Load()
		}
		if q.head.CompareAndSwap(h, h+n) {
			return int(n)
		}
		clear(into[:n]) // or the next try, which may find fewer, leaves behind what others have got
	}
}

// Empty is a look that takes nothing. Any worker may call it.
func (q *Shared[T]) Empty() bool { return q.head.Load() == q.tail.Load() }

// Len is how many wait there. A hint, but for the owner, who may find fewer later and never more.
func (q *Shared[T]) Len() int { return int(q.tail.Load() - q.head.Load()) }

// Forget clears the slots that others have taken from, so that the queue does not keep what they held alive. REQUIRES:
// the caller is the owner. A thief that still reads a slot here has lost it already: its swap of head fails.
func (q *Shared[T]) Forget() {
	if t := q.tail.Load(); t-q.forgot > sharedSlots {
		q.forgot = t - sharedSlots // what lay before has been overwritten, perhaps by what still waits
	}
	for h := q.head.Load(); q.forgot != h; q.forgot++ { // pairs with the CompareAndSwap in Pop and Steal
		q.slots[q.forgot%sharedSlots].Store(nil)
	}
}
