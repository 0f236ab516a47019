package runq

// StartAt sets the counters of an empty queue, to bring their wrap near.
func (q *Shared[T]) StartAt(n uint32) {
	q.head.Store(n)
	q.tail.Store(n)
	q.forgot = n
}

// Kept counts the elements that the queue's slots still name.
func (q *Shared[T]) Kept() (n int) {
	for i := range q.slots {
		if q.slots[i].Load() != nil {
			n++
		}
	}
	return n
}

// StartAt sets the counters of an empty queue, to bring their wrap near.
func (q *Private[T]) StartAt(n uint32) { q.head, q.tail = n, n }

// Kept counts the elements that the queue's buffer still names.
func (q *Private[T]) Kept() (n int) {
	for _, x := range q.buf {
		if x != nil {
			n++
		}
	}
	return n
}

const SharedSlots = sharedSlots
