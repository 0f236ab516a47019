package mailbox

import (
	"sync/atomic"

	"github.com/encorert/encorert/internal/invariant"
)

// NoHome is the home of an actor that no worker owns privately. Workers are numbered from 1.
const NoHome = 0

// Box is the mailbox of one actor. The zero value is not ready: call Init.
type Box[M any] struct {
	// Readers: any worker, before each send. Writers: the owner. It changes seldom, and so must all that lies on its line.
	home atomic.Uint32
	hint uint32 // slots to begin with when the local part has none; Owner: the owner of the actor
	_    [16]byte

	// Readers: any worker. Writers: see the transition table in doc.go.
	head atomic.Pointer[Node[M]]
	// Owner of the rest: the owner of the actor.
	late  *Node[M] // taken from the remote part, or from parcels, when they were not yet published; oldest first
	local ring[M]
	limit uint32 // messages in the local part from which on the bit of pressure is set, 0: never
}

// Init makes the box idle and empty. Done by whoever creates the actor, before anybody else sees it.
func (b *Box[M]) Init() { b.head.Store(idleMark[M]()) }

// idleMark is one address per message type. It is never dereferenced as a node.
func idleMark[M any]() *Node[M] { return (*Node[M])(idlePointer) }

// away marks the home word of an actor that nobody owns: the rest of the word is where it last was.
const away = 1 << 30

// Leaving marks the home word of an actor that its home worker is about to release: senders wait, since it may still stay.
const Leaving = 1 << 29

// IsWorker reports whether a home, without the bit of pressure, is a worker that owns the actor now.
func IsWorker(home uint32) bool { return home-1 < Leaving-1 }

// Last reports the worker that released the actor last, or NoHome. A hint, while it is idle.
func (b *Box[M]) Last() uint32 { return b.home.Load() &^ (away | Leaving | Pressed) }

// Leave begins a release of which the caller does not yet know whether it comes to that. It ends with SetHome, GiveUpHome or Release, soon:
// senders wait for it. REQUIRES: the caller is the home worker, and the actor has no bit of pressure.
func (b *Box[M]) Leave() { b.home.Store(b.home.Load() | Leaving) }

// Home reports the worker that owns the actor privately, or NoHome, and the bit of pressure beside it: while that is set
// it equals no worker's number. Only that worker may rely on it.
func (b *Box[M]) Home() uint32 { return b.home.Load() }

// SetHome makes the caller, who owns the actor, its home worker. Pairs with the Load in Home: without the atomic store
// a sender on the old home could take the local part for its own.
func (b *Box[M]) SetHome(w uint32) {
	w |= b.home.Load() & Pressed
	if b.home.Load() != w { // an atomic store costs 20 cycles on amd64, a load one
		b.home.Store(w)
	}
}

// GiveUpHome makes all pushes go to the remote part. REQUIRES: the caller owns the actor, and if it is its home, its Remote is
// closed, or it called Leave as for Release. Must come before the actor enters a queue that others take from, since the next
// owner touches the local part.
func (b *Box[M]) GiveUpHome() { b.home.Store(NoHome | b.home.Load()&Pressed) }

// Claim takes ownership of an idle actor. Pairs with the CompareAndSwap in Release and PushRemote: exactly one of
// several claimants wins, and the winner sees all that the last owner did.
func (b *Box[M]) Claim() bool {
	m := idleMark[M]()
	return b.head.Load() == m && b.head.CompareAndSwap(m, nil)
}

// PushLocal appends a message to the local part. REQUIRES: the caller is the home worker, or has just claimed the box.
func (b *Box[M]) PushLocal(p *Pool[M], m M) { *b.Slot(p) = m }

// Slot is PushLocal for a caller that writes the message itself, at once: word by word, since a message that comes in
// registers is spilled in words, and a copy of it in larger units waits until those have left the store buffer (a
// third of the time of a send).
func (b *Box[M]) Slot(p *Pool[M]) *M {
	// What waits in the remote part was sent before: it goes first. Without this a message could overtake one that
	// its sender knew to be under way.
	if b.head.Load() != nil || b.late != nil {
		b.drain(p)
	}
	if b.local.full() {
		b.makeRoom(p)
	}
	return b.local.push()
}

// Room is Slot where the remote part is empty and the local one has room, else nil. It is small enough to be inlined.
func (b *Box[M]) Room() *M {
	if b.head.Load() != nil || b.late != nil || b.local.full() {
		return nil
	}
	return b.local.push()
}

// Pop is Next while the local part has messages, else nil. It is small enough to be inlined.
func (b *Box[M]) Pop() *M {
	if b.local.empty() {
		return nil
	}
	return b.local.pop()
}

// grow makes the buffer of the local part larger. A pool may be nil.
func (b *Box[M]) grow(p *Pool[M]) {
	n := max(2*len(b.local.buf), firstSlots)
	if len(b.local.buf) == 0 {
		n = max(int(b.hint), firstSlots)
	}
	old := b.local.moveTo(p.buffer(n))
	clear(old) // what the messages named must not be kept alive by a copy of them
	p.putBuffer(old)
}

// shrink gives a buffer back that a burst left behind, and remembers half its size: an actor that bursts again and
// again grows once, and one that does not soon starts small. REQUIRES: the local part is empty.
func (b *Box[M]) shrink(p *Pool[M]) {
	if n := len(b.local.buf); n > keepSlots {
		p.putBuffer(b.local.buf)
		b.local = ring[M]{}
		b.hint = uint32(n / 2)
	}
}

// PushRemote appends the messages of a node that the caller got from its pool and has written. From anywhere. It reports
// whether the box was idle: then the caller owns the actor and must schedule it; otherwise it must not touch the actor
// again. The node is no longer the caller's in either case.
func (b *Box[M]) PushRemote(n *Node[M]) (owner bool) {
	mark := idleMark[M]()
	for {
		old := b.head.Load()
		if old == mark {
			n.next = nil
		} else {
			n.next = old
		}
		invariant.Point("mailbox.push")
		// Pairs with the Swap in drain (publishes the messages of n) and with the CompareAndSwap in Release (either Release sees
		// this node and fails, or this push sees the mark and owns).
		// NB: n.next may name a node that was drained and pushed again meanwhile; then old is the head again and
		// the link is true again, so a recycled node does no harm here.
		if b.head.CompareAndSwap(old, n) {
			return old == mark
		}
	}
}

// Next returns the first message, or nil when there is none, or none that is published. The slot belongs to the box: it
// is overwritten by a later push, so the caller takes what it needs before it runs anything that may send. REQUIRES: the
// caller owns.
func (b *Box[M]) Next(p *Pool[M]) *M {
	if b.local.empty() {
		if b.head.Load() == nil && b.late == nil {
			return nil
		}
		b.local.head, b.local.tail = 0, 0
		b.drain(p)
		if b.local.empty() {
			return nil
		}
	}
	return b.local.pop()
}

// Drained reports whether Release has a chance. REQUIRES: the caller owns.
func (b *Box[M]) Drained() bool { return b.local.empty() && b.late == nil && b.head.Load() == nil }

// Release gives up ownership of an empty box without pressure; it fails while anything is there, published or not. REQUIRES:
// the caller's Remote is closed, or it called Leave and has seen after that that no sender has an open parcel. After true the caller must not touch the actor again. Pairs with PushRemote and Claim.
func (b *Box[M]) Release(p *Pool[M]) bool {
	if !b.Drained() {
		return false
	}
	b.shrink(p)
	b.home.Store(b.home.Load()&^Leaving | away)
	invariant.Point("mailbox.release")
	return b.head.CompareAndSwap(nil, idleMark[M]())
}

// drain moves what is published of the remote part behind the local one, oldest first. What is not stays in late: nobody
// can have seen anything of its group yet, so that nothing depends on it.
func (b *Box[M]) drain(p *Pool[M]) {
	n := b.head.Swap(nil) // pairs with PushRemote: the messages of all nodes are visible
	var oldest *Node[M]
	for n != nil {
		next := n.next
		n.next = oldest
		oldest, n = n, next
	}
	last := &b.late
	for n = b.late; ; {
		if n == nil {
			if oldest == nil {
				break
			}
			n, oldest = oldest, nil
		}
		next := n.next
		invariant.Point("mailbox.look")
		if n.visible() && !b.passed(n, last) {
			b.take(n, p)
		} else {
			*last = n
			last = &n.next
		}
		n = next
	}
	*last = nil
}

// passed reports whether an earlier node of the group of n has been passed over: the group may have been published
// between the looks at the two. The list from late to end is what has been passed over so far.
func (b *Box[M]) passed(n *Node[M], end **Node[M]) bool {
	for at := &b.late; at != end; at = &(*at).next {
		if (*at).published == n.published {
			return true
		}
	}
	return false
}

// take moves the messages of a node to the local part.
func (b *Box[M]) take(n *Node[M], p *Pool[M]) {
	for i := range n.messages[:n.n] {
		if b.local.full() {
			b.makeRoom(p)
		}
		*b.local.push() = n.messages[i]
	}
	p.put(n)
}
