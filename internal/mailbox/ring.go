package mailbox

// ring is a growing circular queue. Owner: the owner of the actor; everything in it is plain.
type ring[M any] struct {
	buf        []M // length is a power of two, or zero
	head, tail uint32
	room       uint32 // how many it may hold before makeRoom is asked; at most len(buf)
}

const (
	firstSlots = 4  // most actors never hold more; picked for small idle actors
	keepSlots  = 64 // an idle actor gives a larger buffer back; picked, not measured
)

func (r *ring[M]) empty() bool { return r.head == r.tail }

func (r *ring[M]) full() bool { return r.tail-r.head == r.room }

func (r *ring[M]) len() int { return int(r.tail - r.head) }

// push appends a slot for the caller to write. REQUIRES: not full.
func (r *ring[M]) push() *M {
	m := &r.buf[r.tail&uint32(len(r.buf)-1)]
	r.tail++
	return m
}

// first returns the first slot and leaves it. REQUIRES: not empty.
func (r *ring[M]) first() *M { return &r.buf[r.head&uint32(len(r.buf)-1)] }

// pop returns the first slot. REQUIRES: not empty. The slot stays valid until a push comes round to it.
func (r *ring[M]) pop() *M {
	m := &r.buf[r.head&uint32(len(r.buf)-1)]
	r.head++
	return m
}

// moveTo goes on in another buffer, which is larger, and returns the old one.
func (r *ring[M]) moveTo(buf []M) (old []M) {
	old = r.buf
	k := 0
	for i := r.head; i != r.tail; i++ {
		buf[k] = old[i&uint32(len(old)-1)]
		k++
	}
	r.buf, r.head, r.tail, r.room = buf, 0, uint32(k), uint32(len(buf))
	return old
}
