package rt

// fifo is a growing first-in-first-out queue of values. All fields are plain: whoever has one guards it.
type fifo[T any] struct {
	buf  []T
	head int // buf[:head] is taken, and zero
}

// keepEvents is how many places an empty queue keeps. Picked; not measured.
const keepEvents = 256

func (q *fifo[T]) len() int { return len(q.buf) - q.head }

// waiting is what the queue has, oldest first, until it is changed.
func (q *fifo[T]) waiting() []T { return q.buf[q.head:] }

func (q *fifo[T]) push(x T) {
	if len(q.buf) == cap(q.buf) && q.head > len(q.buf)/2 {
		n := copy(q.buf, q.buf[q.head:])
		clear(q.buf[n:])
		q.buf, q.head = q.buf[:n], 0
	}
	q.buf = append(q.buf, x)
}

// pop takes the oldest; the zero value if there is none.
func (q *fifo[T]) pop() (x T) {
	if q.head == len(q.buf) {
		return x
	}
	var zero T
	x, q.buf[q.head] = q.buf[q.head], zero // the queue must not keep alive what it has given away
	q.head++
	if q.head == len(q.buf) {
		q.buf, q.head = q.buf[:0], 0
		if cap(q.buf) > keepEvents {
			q.buf = nil
		}
	}
	return x
}

// drop empties the queue and reports how many it had.
func (q *fifo[T]) drop() int {
	n := q.len()
	*q = fifo[T]{}
	return n
}
