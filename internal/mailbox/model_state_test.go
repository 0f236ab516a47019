package mailbox

import (
	"cmp"
	"slices"
)

type modelList struct {
	n uint8
	x [5]uint8
}

func (l *modelList) push(x uint8) { l.x[l.n] = x; l.n++ }

func (l *modelList) remove(k uint8) (x uint8) {
	x = l.x[k]
	copy(l.x[k:], l.x[k+1:])
	l.n--
	l.x[l.n] = 0
	return x
}

// A node in a remote part is a message; above it, if it came with a group, the sender's number plus one, and the bit hidden
// until the group is published.
const (
	byShift       = 4
	byBits  uint8 = 3 << byShift
	hidden  uint8 = 1 << 6
)

// What is in parcels: a message, above it the receiver, and if it came with a group, the sender and hidden as above.
const (
	parcelShift        = 8
	parcelTo    uint16 = 3 << parcelShift
)

type modelParcels struct {
	n     uint8
	taken uint8 // how many of them the worker has taken and not yet delivered: the first
	x     [5]uint16
}

func (l *modelParcels) push(x uint16) { l.x[l.n] = x; l.n++ }

func (l *modelParcels) take() (x uint16) {
	x = l.x[0]
	copy(l.x[:], l.x[1:])
	l.n--
	l.taken--
	l.x[l.n] = 0
	return x
}

// In an outbox: the message, above it the receiver, and above that the home that it goes to, plus one.
const (
	toShift        = 4
	toBits   uint8 = 3 << toShift
	viaShift       = 6
)

func outTo(x uint8) uint8  { return x & toBits >> toShift }
func outVia(x uint8) uint8 { return x >> viaShift }

type modelBox struct {
	idle                bool
	home, owner         uint8 // owner is known to the model only
	remote, late, local modelList
	// A drain that looks at node looks-1 of late, and the set of senders of which it has passed over a node.
	looks, passed uint8
}

type modelPC uint8

const (
	atLoop modelPC = iota
	atAdopt
	atNext
	atSend // reads the home of the receiver
	atEpoch
	atHomeAgain
	atDeliver // what was taken from the remote
	atClose
	atPushLocal
	atClaim
	atClaimStore // only where claimStores
	atPushLocalAsOwner
	atEnqueue
	atShareHome
	atShareQueue
	atAfter // the message is handled: run on or yield
	atReleaseLook
	atReleaseHome
	atReleaseSwap
	atLink // the first step of a flush
	atPublish
	atSchedule // what the flush has found idle
)

type modelWorker struct {
	pc, after modelPC // after: where the flush goes on
	then      modelPC // where the delivery goes on
	actor     uint8   // that it runs
	msg, at   uint8   // the message handled, and the send of its script
	target    uint8   // the actor to enqueue
	private   uint8   // set of actors
	// outbox: the receiver above the message, in order of sending
	out   modelList
	group bool // the flush has more than one part
	// opening is the worker, plus one, to which a parcel is about to be opened; stale the set of those whose epoch has passed
	// since a parcel to them was opened.
	opening, stale uint8
	remote         modelParcels
	closed         bool
	sharing        bool  // what it closes for; otherwise to release
	owned          uint8 // set of actors that the flush has found idle
	// Set of actors that the next flush releases; and the one that it is about to release, plus one. This stands for rest.go
	// of package rt: only the worker touches an actor that rests, which is to the boxes as one that waits in its private
	// queue (both are in the model), and it is released after a flush.
	resting, releasing uint8
}

type modelState struct {
	boxes   [modelActors]modelBox
	workers [3]modelWorker
	shared  uint8 // set of actors
	told    bool
	seen    modelList // by C
}

func modelStart() (s modelState) {
	for a := range s.boxes {
		s.boxes[a] = modelBox{idle: true, home: nobody, owner: nobody}
	}
	for a, m := range []uint8{actorA: msgGo, actorB: msgStart} {
		b := &s.boxes[a]
		b.idle, b.owner = false, inQueue
		b.local.push(m)
		s.shared |= 1 << a
	}
	for w := range s.workers {
		s.workers[w].actor = nobody
	}
	return s
}

// order gives the workers, which are all alike, numbers by what they are doing: a state is visited once, and not once
// for each permutation of their numbers.
func (s *modelState) order(workers int) {
	rank := [8]uint8{inQueue: inQueue, nobody: nobody}
	index := [3]uint8{0, 1, 2}
	slices.SortFunc(index[:workers], func(i, j uint8) int { return s.workers[i].compare(&s.workers[j]) })
	if index == [3]uint8{0, 1, 2} {
		return
	}
	was := s.workers
	for to, from := range index {
		s.workers[to] = was[from]
		rank[from] = uint8(to)
	}
	for w := range s.workers {
		v := &s.workers[w]
		if v.opening != 0 {
			v.opening = rank[v.opening-1] + 1
		}
		stale := v.stale
		v.stale = 0
		for w := range uint8(workers) {
			v.stale |= stale >> w & 1 << rank[w]
		}
		for k, x := range v.out.x[:v.out.n] {
			if via := outVia(x); via != 0 {
				v.out.x[k] = x&^(3<<viaShift) | (rank[via-1]+1)<<viaShift
			}
		}
		for k, x := range v.remote.x[:v.remote.n] {
			if by := uint8(x) & byBits; by != 0 {
				v.remote.x[k] = x&^uint16(byBits) | uint16(rank[by>>byShift-1]+1)<<byShift
			}
		}
	}
	for a := range s.boxes {
		b := &s.boxes[a]
		b.home, b.owner = rank[b.home], rank[b.owner]
		passed := b.passed
		b.passed = 0
		for w := range uint8(workers) {
			b.passed |= passed >> w & 1 << rank[w]
		}
		for _, l := range []*modelList{&b.remote, &b.late} {
			for k, x := range l.x[:l.n] {
				if by := x & byBits; by != 0 {
					l.x[k] = x&^byBits | (rank[by>>byShift-1]+1)<<byShift
				}
			}
		}
	}
}

func (w *modelWorker) compare(v *modelWorker) int {
	if c := cmp.Or(
		cmp.Compare(w.pc, v.pc), cmp.Compare(w.actor, v.actor), cmp.Compare(w.private, v.private), cmp.Compare(w.msg, v.msg),
		cmp.Compare(w.at, v.at), cmp.Compare(w.target, v.target), cmp.Compare(w.owned, v.owned), cmp.Compare(w.resting, v.resting), cmp.Compare(w.out.n, v.out.n),
		cmp.Compare(w.remote.n, v.remote.n), slices.Compare(w.remote.x[:], v.remote.x[:]),
	); c != 0 {
		return c
	}
	return slices.Compare(w.out.x[:], v.out.x[:])
}
