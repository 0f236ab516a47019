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
	outboxParceled = 144  // bounds the messages in parcels. Of 18 to 576, 72 to 288 were best, and alike
)

// Outbox collects what one worker sends to actors that are not its own, and hands it over as a group: in parcels what is for
// actors that are at home at another worker (see Remote), in nodes of their mailboxes what is for others, which are idle,
// or queued where all may take them. Owner: the worker.
//
// Delivery stays causal: all parts of a group are linked before one store publishes the group, and a receiver passes over
// parts that are not published. So nobody has seen any message of the group before all of them lie where whatever is sent
// later, by whoever knows of one, goes behind them. What the worker lets others know of by another way than a message
// (a fulfilled future, an unlocked mutex, an actor that others may take) must come after a Flush. And what is for one box
// goes one way until the next Flush, since the two ways are not in order: see Holds and HoldsElsewhere.
type Outbox[M any] struct {
	nodes    []*Node[M] // in the order in which they were opened
	used     []*place[M]
	messages int                   // in nodes
	table    [outboxTable]place[M] // by open addressing
	owned    []*Box[M]
	sealed   uint64 // groups made

	chains   []chain[M] // by the number of the worker
	opened   []uint32   // those that are not empty
	parceled int        // messages in them
	left     []*Node[M]

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
func (o *Outbox[M]) Empty() bool { return o.messages == 0 && o.parceled == 0 }

// Due reports whether a Flush is worth it where somebody waits.
func (o *Outbox[M]) Due() bool { return o.messages+o.parceled >= 16 }

// Full reports whether a Flush is due.
func (o *Outbox[M]) Full() bool {
	return o.parceled >= outboxParceled || o.messages != 0 &&
		(o.messages >= outboxMessages || len(o.nodes) >= outboxNodes || o.messages >= 10*len(o.used))
}

// Holds reports whether something waits here for b: what is sent to it by another way than this outbox must come after a
// Flush.
func (o *Outbox[M]) Holds(b *Box[M]) bool { return o.HoldsNode(b) || o.parcels(b, NoHome) }

// HoldsElsewhere reports whether something waits here for b on another way than to the worker named home, or with NoHome than to
// b's remote part: then a Flush must come before SlotAt or Slot.
func (o *Outbox[M]) HoldsElsewhere(b *Box[M], home uint32) bool {
	return home != NoHome && o.HoldsNode(b) || o.parcels(b, home)
}

// HoldsNode reports whether something waits here for b on the way to its remote part.
func (o *Outbox[M]) HoldsNode(b *Box[M]) bool { return o.messages != 0 && o.place(b).to != nil }

// parcels reports whether a message for b waits in a parcel for another worker than home.
func (o *Outbox[M]) parcels(b *Box[M], home uint32) bool {
	if o.parceled == 0 || len(o.opened) == 1 && o.opened[0] == home {
		return false
	}
	for _, h := range o.opened {
		if h != home && o.chains[h].holds(b) {
			return true
		}
	}
	return false
}

// hash spreads addresses of boxes.
func hash[M any](b *Box[M]) uint32 {
	return uint32(uint64(uintptr(unsafe.Pointer(b))) >> 5 * 0x9E3779B97F4A7C15 >> 32) // Knuth's multiplicative hash
}

// SlotAt appends a message to b for the caller to write, for the worker named home, which r is of. It returns nil if that is
// not b's home any more. REQUIRES: b's home was home when the caller looked, and not HoldsElsewhere(b, home).
func (o *Outbox[M]) SlotAt(home uint32, r *Remote[M], b *Box[M], p *Pool[M]) *M {
	for int(home) >= len(o.chains) {
		o.chains = append(o.chains, chain[M]{home: uint32(len(o.chains))})
	}
	c := &o.chains[home]
	if c.n == 0 {
		c.epoch = r.epoch.Load()
		if b.Home()&^Pressed != home {
			return nil
		}
		c.to = r
		o.opened = append(o.opened, home)
	}
	o.parceled++
	return c.slot(b, p)
}

// Slot appends a message to b for the caller to write, for the remote part of b. REQUIRES: not HoldsElsewhere(b, NoHome).
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
	i := hash(b)
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
func (o *Outbox[M]) Flush(p *Pool[M]) []*Box[M] {
	if o.Empty() {
		return nil
	}
	o.owned = o.owned[:0]
	for _, at := range o.used {
		at.node.n = at.n
		*at = place[M]{}
	}
	o.used = o.used[:0]
	grouped := len(o.nodes)+len(o.opened) > 1 // one part by itself is published by its push
	if grouped {
		o.sealed++
	}
	o.link(o.nodes, grouped)
	for _, home := range o.opened {
		grouped = o.deliver(&o.chains[home], grouped, p)
	}
	invariant.Point("mailbox.publish")
	if grouped {
		// Pairs with the Load in visible. Before it a receiver passes the parts over; a receiver that sees it finds
		// all parts linked, since the pushes come before.
		o.published.Store(o.sealed)
	}
	o.nodes = o.nodes[:0]
	o.messages = 0
	if o.parceled != 0 {
		o.opened = o.opened[:0]
		o.parceled = 0
	}
	return o.owned
}

// link pushes nodes of the group.
func (o *Outbox[M]) link(nodes []*Node[M], grouped bool) {
	for _, n := range nodes {
		b := n.to
		n.to, n.published, n.group = nil, nil, o.sealed
		if grouped {
			n.published = &o.published
		}
		if b.PushRemote(n) {
			o.owned = append(o.owned, b)
		}
	}
	clear(nodes)
}

// deliver pushes a chain; what is for actors that have left meanwhile goes to their mailboxes. It reports whether the group
// has several parts now.
func (o *Outbox[M]) deliver(c *chain[M], grouped bool, pool *Pool[M]) bool {
	invariant.Point("mailbox.deliver")
	left := o.left[:0]
	invariant.Lock(&c.to.mu)
	if c.to.epoch.Load() != c.epoch {
		left = c.reject(left, pool)
	}
	if len(left) > 0 && !grouped {
		grouped = true
		o.sealed++
	}
	for p := c.first; grouped && p != nil; p = p.next {
		p.published, p.group = &o.published, o.sealed
	}
	if c.n > 0 {
		c.to.push(c)
	}
	c.to.mu.Unlock()
	for p := c.first; c.n == 0 && p != nil; {
		p = pool.PutParcel(p)
	}
	*c = chain[M]{home: c.home}
	o.link(left, grouped)
	o.left = left
	return grouped
}
