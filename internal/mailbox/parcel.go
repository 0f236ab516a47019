package mailbox

import "sync/atomic"

// parcelSlots makes a parcel 4 KiB with messages of 48 bytes. Of 18 to 144 no number was better than another.
const parcelSlots = 72

// Parcel carries messages of one sender to actors of one worker, in the order in which they were sent. Parcels are pooled.
//
// Owner: the outbox that fills it, until it is pushed; the worker after it has taken it.
type Parcel[M any] struct {
	next *Parcel[M]
	// The group that it was sent with, as in Node.
	published *atomic.Uint64
	group     uint64
	n         int
	slots     [parcelSlots]addressed[M]
}

// addressed is a message with its receiver. Owner: the parcel's.
type addressed[M any] struct {
	to      *Box[M]
	message M
}

// Len returns the number of messages.
func (p *Parcel[M]) Len() int { return p.n }

// At returns message i and its receiver. The slot is the parcel's.
func (p *Parcel[M]) At(i int) (*Box[M], *M) {
	s := &p.slots[i]
	return s.to, &s.message
}

// Visible reports whether the whole group of the parcel has reached its receivers, see Node.visible. The caller asks once for
// a parcel: messages of one that was not visible go to Box.Late.
func (p *Parcel[M]) Visible() bool { return p.published == nil || p.published.Load() >= p.group }

// Late keeps a message of a parcel that was not visible: behind what has come before, and out of sight until its group is
// published. REQUIRES: the caller owns the actor.
func (b *Box[M]) Late(from *Parcel[M], m *M, p *Pool[M]) {
	b.drain(p)
	n := p.Node()
	n.next, n.published, n.group = nil, from.published, from.group
	*n.Slot() = *m
	last := &b.late
	for *last != nil {
		last = &(*last).next
	}
	*last = n
}

// chain is what an outbox holds for the actors of one worker. Owner: the worker of the outbox.
type chain[M any] struct {
	to          *Remote[M]
	home        uint32
	epoch       uint64 // of to, from before the first receiver's home was read
	first, last *Parcel[M]
	n           int
}

// slot appends a message for the caller to write.
func (c *chain[M]) slot(b *Box[M], p *Pool[M]) *M {
	if c.last == nil {
		c.first = p.Parcel()
		c.last = c.first
	} else if c.last.n == parcelSlots {
		c.last.next = p.Parcel()
		c.last = c.last.next
	}
	s := &c.last.slots[c.last.n]
	c.last.n++
	c.n++
	s.to = b
	return &s.message
}

// holds reports whether a message for b is among the chain's.
func (c *chain[M]) holds(b *Box[M]) bool {
	for p := c.first; p != nil; p = p.next {
		for i := range p.slots[:p.n] {
			if p.slots[i].to == b {
				return true
			}
		}
	}
	return false
}

// reject moves what is for actors that are not at home there any more to nodes, in order, and appends those. REQUIRES: the
// lock of the worker's Remote, so that none leaves meanwhile.
func (c *chain[M]) reject(nodes []*Node[M], pool *Pool[M]) []*Node[M] {
	for p := c.first; p != nil; p = p.next {
		kept := 0
		for i := range p.slots[:p.n] {
			s := &p.slots[i]
			if s.to.Home()&^(Leaving|Pressed) == c.home {
				p.slots[kept] = *s
				kept++
				continue
			}
			n := pool.Node()
			n.to = s.to
			*n.Slot() = s.message
			nodes = append(nodes, n)
			c.n--
		}
		clear(p.slots[kept:p.n])
		p.n = kept
	}
	return nodes
}
