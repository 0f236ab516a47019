package mailbox

import (
	"sync/atomic"
	"unsafe"

	"github.com/encorert/encorert/internal/invariant"
)

const (
	outboxNodes    = 256  // bounds the nodes of a group
	outboxMessages = 1024 // bounds the messages of a group
	outboxTable    = 1024 // places, a power of two; a quarter of them is used at most
)

// Outbox collects what one worker sends to actors that are not its own, and hands it over as a group: a box per node,
// one compare-and-swap per box. Owner: the worker.
//
// Delivery stays causal: all nodes of a group are linked into their boxes before one store publishes the group, and a
// receiver passes over nodes that are not published. So nobody has seen any message of the group before all of them lie
// where whatever is sent later, by whoever knows of one, goes behind them. What the worker lets others know of by
// another way than a message (a fulfilled future, an unlocked mutex, an actor that others may take) must come after
// a Flush.
type Outbox[M any] struct {
	nodes    []*Node[M] // in the order in which they were opened
	used     []*place[M]
	messages int
	table    [outboxTable]place[M] // by open addressing
	owned    []*Box[M]
	sealed   uint64 // groups made

	_ [64]byte
	// Writers: the owner, when a group has been linked. Readers: receivers, in Node.visible.
	published atomic.Uint64
	_         [56]byte
}

// place is where the messages to one box go. Owner: the worker of the outbox.
type place[M any] struct {
	to   *Box[M]
	node *Node[M] // the newest
	n    int
}

// Empty reports whether there is nothing to flush.
func (o *Outbox[M]) Empty() bool { return o.messages == 0 }

// Due reports whether a Flush is worth it where somebody waits.
func (o *Outbox[M]) Due() bool { return o.messages >= 16 }

// Full reports whether a Flush is due.
func (o *Outbox[M]) Full() bool {
	return o.messages >= outboxMessages || len(o.nodes) >= outboxNodes || o.messages >= 10*len(o.used)
}

// Holds reports whether something waits here for b: then b's later messages must go the same way.
func (o *Outbox[M]) Holds(b *Box[M]) bool { return o.messages != 0 && o.place(b).to != nil }

// Slot appends a message to b for the caller to write.
func (o *Outbox[M]) Slot(b *Box[M], p *Pool[M]) *M {
	o.messages++
	at := o.place(b)
	if at.to == nil {
		at.to = b
		o.used = append(o.used, at)
		o.open(at, p)
	} else if at.n == nodeSlots {
		at.node.n = nodeSlots
		o.open(at, p)
	}
	m := &at.node.messages[at.n]
	at.n++
	return m
}

func (o *Outbox[M]) open(at *place[M], p *Pool[M]) {
	at.node, at.n = p.Node(), 0
	at.node.to = at.to
	o.nodes = append(o.nodes, at.node)
}

// place returns where the newest node for b is, or would be.
func (o *Outbox[M]) place(b *Box[M]) *place[M] {
	i := uint32(uint64(uintptr(unsafe.Pointer(b))) >> 5 * 0x9E3779B97F4A7C15 >> 32)
	for {
		at := &o.table[i%outboxTable]
		if at.to == nil || at.to == b {
			return at
		}
		i++
	}
}

// Flush hands everything over. It returns the boxes that were idle: the caller owns them now and must schedule each.
// The slice is valid until the next Flush that has something to do, and the caller clears it: an actor must not be kept
// alive by it.
func (o *Outbox[M]) Flush() []*Box[M] {
	if o.messages == 0 {
		return nil
	}
	o.owned = o.owned[:0]
	for _, at := range o.used {
		at.node.n = at.n
		*at = place[M]{}
	}
	o.used = o.used[:0]
	var published *atomic.Uint64
	if len(o.nodes) > 1 { // one node by itself is published by its push
		o.sealed++
		published = &o.published
	}
	for _, n := range o.nodes {
		b := n.to
		n.to, n.published, n.group = nil, published, o.sealed
		if b.PushRemote(n) {
			o.owned = append(o.owned, b)
		}
	}
	invariant.Point("mailbox.publish")
	if published != nil {
		// Pairs with the Load in visible. Before it a receiver passes the nodes over; a receiver that sees it finds the
		// nodes of all boxes linked, since the pushes come before.
		o.published.Store(o.sealed)
	}
	clear(o.nodes)
	o.nodes = o.nodes[:0]
	o.messages = 0
	return o.owned
}
