package mailbox

import (
	"sync"
	"unsafe"
)

// idlePointer is the address that means "idle": a variable of its own, so that no node can have it. It is large and
// aligned enough to pass for a node of any message up to 248 bytes, since checkptr looks at that.
var (
	idleWords   [32]uint64
	idlePointer = unsafe.Pointer(&idleWords)
)

// poolChunk is how many nodes move between a worker and the depot at once. Picked; not measured.
const poolChunk = 128

// Depot balances nodes between the workers of one runtime: senders use them up where receivers pile them up.
type Depot[M any] struct {
	mu     sync.Mutex
	chunks []*Node[M] // each a list of poolChunk nodes; guarded by mu
}

// Pool is one worker's store of nodes. Owner: the worker.
type Pool[M any] struct {
	free  *Node[M]
	count int
	depot *Depot[M]
}

// NewPool makes the store of one worker.
func NewPool[M any](d *Depot[M]) *Pool[M] { return &Pool[M]{depot: d} }

func (p *Pool[M]) get() *Node[M] {
	if p.free == nil && !p.refill() {
		return new(Node[M])
	}
	n := p.free
	p.free = n.next
	p.count--
	return n
}

func (p *Pool[M]) put(n *Node[M]) {
	var zero M
	n.msg = zero // the node must not keep what the message named alive
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
	d.chunks = append(d.chunks, chunk)
	d.mu.Unlock()
}
