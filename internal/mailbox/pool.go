package mailbox

import (
	"math/bits"
	"sync"
	"unsafe"
)

// idlePointer is the address that means "idle": a variable of its own, so that no node can have it. It is large and
// aligned enough to pass for a node of any message up to 64 bytes, since checkptr looks at that.
var (
	idleWords   [128]uint64
	idlePointer = unsafe.Pointer(&idleWords)
)

// poolChunk is how many nodes move between a worker and the depot at once. Picked; not measured.
const poolChunk = 128

// depotChunks bounds a depot: 12 MiB of nodes. What a burst leaves behind beyond that goes to Go's collector. Picked; not
// measured.
const depotChunks = 128

// Depot balances nodes between the workers of one runtime: senders use them up where receivers pile them up.
type Depot[M any] struct {
	mu     sync.Mutex
	chunks []*Node[M] // each a list of poolChunk nodes; guarded by mu

	parcels     *Parcel[M] // guarded by mu
	parcelCount int        // guarded by mu
}

// Pool is one worker's store of nodes, and of buffers that bursts have left behind. Owner: the worker.
type Pool[M any] struct {
	free  *Node[M]
	count int
	depot *Depot[M]

	parcels     *Parcel[M]
	parcelCount int

	buffers     [32][][]M // by the logarithm of their length
	bufferSlots int       // in all of them
}

// poolSlots bounds the buffers of a pool, in slots of all of them: 12 MiB of messages. Without a pool, actors that run
// empty and fill up again in turns make more garbage than they send messages: it halved the rate of 25 actors with 100
// messages each.
const poolSlots = 1 << 18

// NewPool makes the store of one worker.
func NewPool[M any](d *Depot[M]) *Pool[M] { return &Pool[M]{depot: d} }

// Node returns a node for the caller to write and push.
func (p *Pool[M]) Node() *Node[M] {
	if p.free == nil && !p.refill() {
		return new(Node[M])
	}
	n := p.free
	p.free = n.next
	p.count--
	return n
}

func (p *Pool[M]) put(n *Node[M]) {
	clear(n.messages[:n.n]) // the node must not keep what the messages named alive
	n.n, n.published = 0, nil
	n.next = p.free
	p.free = n
	if p.count++; p.count >= 2*poolChunk {
		p.flush()
	}
}

func (p *Pool[M]) refill() bool {
	d := p.depot
	d.mu.Lock()
	defer d.mu.Unlock()
	k := len(d.chunks)
	if k == 0 {
		return false
	}
	p.free, p.count = d.chunks[k-1], poolChunk
	d.chunks[k-1] = nil
	d.chunks = d.chunks[:k-1]
	return true
}

// flush hands the older half of a full pool to the depot.
func (p *Pool[M]) flush() {
	last := p.free
	for range poolChunk - 1 {
		last = last.next
	}
	chunk := last.next
	last.next = nil
	rest := chunk
	for range poolChunk - 1 {
		rest = rest.next
	}
	rest.next = nil
	p.count = poolChunk
	d := p.depot
	d.mu.Lock()
	if len(d.chunks) < depotChunks {
		d.chunks = append(d.chunks, chunk)
	}
	d.mu.Unlock()
}

// A pool keeps some parcels, and a depot 4 MiB of them. Picked; not measured.
const (
	poolParcels  = 32
	depotParcels = 1024
)

// Parcel returns an empty parcel.
func (p *Pool[M]) Parcel() *Parcel[M] {
	x := p.parcels
	if x == nil {
		return p.depot.parcel()
	}
	p.parcels, x.next = x.next, nil
	p.parcelCount--
	return x
}

// PutParcel takes back a parcel whose messages are delivered, and returns the one behind it.
func (p *Pool[M]) PutParcel(x *Parcel[M]) (next *Parcel[M]) {
	next = x.next
	clear(x.slots[:x.n]) // the parcel must not keep what the messages named alive
	x.n, x.published = 0, nil
	if p.parcelCount >= poolParcels {
		p.depot.putParcel(x)
		return next
	}
	x.next = p.parcels
	p.parcels = x
	p.parcelCount++
	return next
}

func (d *Depot[M]) parcel() *Parcel[M] {
	d.mu.Lock()
	defer d.mu.Unlock()
	x := d.parcels
	if x == nil {
		return new(Parcel[M])
	}
	d.parcels, x.next = x.next, nil
	d.parcelCount--
	return x
}

func (d *Depot[M]) putParcel(x *Parcel[M]) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.parcelCount < depotParcels {
		x.next = d.parcels
		d.parcels = x
		d.parcelCount++
	}
}

// buffer returns a buffer of n slots, a power of two. Its slots hold anything. A nil pool makes one.
func (p *Pool[M]) buffer(n int) []M {
	if p != nil {
		list := &p.buffers[bits.Len(uint(n))]
		if k := len(*list); k > 0 {
			b := (*list)[k-1]
			(*list)[k-1] = nil
			*list = (*list)[:k-1]
			p.bufferSlots -= n
			return b
		}
	}
	return make([]M, n)
}

// putBuffer takes a buffer whose slots nobody needs any more; a message that is being dispatched may still be read
// there, until the caller takes a buffer.
func (p *Pool[M]) putBuffer(b []M) {
	n := len(b)
	if p == nil || n <= keepSlots || p.bufferSlots+n > poolSlots {
		return
	}
	list := &p.buffers[bits.Len(uint(n))]
	*list = append(*list, b)
	p.bufferSlots += n
}
