package runq

import (
	"sync"
	"sync/atomic"
)

// Inject is an unbounded queue that any goroutine may use.
type Inject[T any] struct {
	// Writers: under mu. Readers: all, without it: a look that says "empty" costs one load.
	size atomic.Int64
	mu   sync.Mutex
	q    Private[T] // guarded by mu
}

// Push appends x.
func (q *Inject[T]) Push(x *T) {
	q.mu.Lock()
	q.q.Push(x)
	// Pairs with the Load in Empty and Pop; a read-modify-write, so that a pusher who then looks for sleepers cannot
	// have its push seen later than its look.
	q.size.Add(1)
	q.mu.Unlock()
}

// Pop takes the oldest, or returns nil.
func (q *Inject[T]) Pop() *T {
	if q.size.Load() == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	x := q.q.Pop()
	if x != nil {
		q.size.Add(-1)
	}
	return x
}

// Empty is a look that takes nothing.
func (q *Inject[T]) Empty() bool { return q.size.Load() == 0 }

// PushAll appends all of xs, in order.
func (q *Inject[T]) PushAll(xs []*T) {
	q.mu.Lock()
	for _, x := range xs {
		q.q.Push(x)
	}
	q.size.Add(int64(len(xs))) // see Push
	q.mu.Unlock()
}

// TakeAll exchanges what waits for an empty queue. REQUIRES: empty is empty.
func (q *Inject[T]) TakeAll(empty *Private[T]) {
	if q.size.Load() == 0 {
		return
	}
	q.mu.Lock()
	q.q, *empty = *empty, q.q
	q.size.Store(0)
	q.mu.Unlock()
}
