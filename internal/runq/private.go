package runq

// Private is a growing first-in-first-out queue. Owner: one worker; all fields are plain.
type Private[T any] struct {
	buf        []*T // length is a power of two, or zero
	head, tail uint32
}

// Len reports how many wait.
func (q *Private[T]) Len() int { return int(q.tail - q.head) }

// Push appends x.
func (q *Private[T]) Push(x *T) {
	if q.Len() == len(q.buf) {
		q.grow()
	}
	q.buf[q.tail&uint32(len(q.buf)-1)] = x
	q.tail++
}

// Pop takes the oldest, or returns nil.
func (q *Private[T]) Pop() *T {
	if q.head == q.tail {
		return nil
	}
	p := &q.buf[q.head&uint32(len(q.buf)-1)]
	x := *p
	*p = nil // the queue must not keep an actor alive
	q.head++
	return x
}

// Rotate puts the n oldest behind the others, in their order.
func (q *Private[T]) Rotate(n int) {
	for range n {
		q.Push(q.Pop())
	}
}

func (q *Private[T]) grow() {
	buf := make([]*T, max(2*len(q.buf), 64))
	n := copy(buf, q.buf[q.head&uint32(max(len(q.buf)-1, 0)):])
	copy(buf[n:], q.buf[:len(q.buf)-n])
	q.tail -= q.head
	q.head, q.buf = 0, buf
}
