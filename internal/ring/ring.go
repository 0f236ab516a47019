package ring

import (
	"sync/atomic"

	"github.com/encorert/encorert/internal/invariant"
)

// Ring is the table. See the package for who may call what.
type Ring struct {
	slots    []slot          // made before anybody sees the ring; a power of two
	epochs   []atomic.Uint64 // made before anybody sees the ring; entry e-1 modulo the size is the newest epoch noted there
	mask     uint64          // made before anybody sees the ring
	round    uint64          // made before anybody sees the ring: the bit of an id that says whether its round is odd
	capacity uint64          // made before anybody sees the ring; at most the size
	every    uint64          // made before anybody sees the ring; 0: epochs only by Mark

	_ [64]byte
	// next is the position that is handed out next. Writers: Reserve, by compare-and-swap, which pairs with itself: without it
	// two would get one slot. Readers: all.
	next atomic.Uint64
	_    [56]byte
	// low is the first position that has not been seen to have ended. Writers: advance, by compare-and-swap, which pairs
	// with itself: a plain store could take it back. Readers: all.
	low atomic.Uint64
	_   [56]byte
	// horizon: see the package. Writers: raise, by compare-and-swap. Readers: all; the load in Reserve pairs with that, and
	// makes all that was done in the slots before it visible to who takes them next.
	horizon atomic.Uint64
	// newest is the newest epoch that was marked. Writers: mark, by compare-and-swap. Readers: all. Written rarely, and read
	// together with the horizon.
	newest atomic.Uint64
	_      [48]byte
}

// New makes a ring of capacity slots, 1 or more. Every every-th position is an epoch by itself; 0: none is. The first id
// is first.
func New(capacity, every int, first uint64) *Ring {
	size := 1
	for size < capacity {
		size *= 2
	}
	r := &Ring{
		slots: make([]slot, size), epochs: make([]atomic.Uint64, size), mask: uint64(size - 1),
		round: uint64(size), capacity: uint64(capacity), every: uint64(every),
	}
	for i := range uint64(size) {
		// As though the ring had been full before, so that no position that is to come is found.
		last := first + i - uint64(size)
		s := &r.slots[last&r.mask]
		s.id.Store(last)
		if r.odd(last) {
			s.word.Store(parity)
		}
		r.epochs[(first+i-1)&r.mask].Store(first + i - uint64(size))
	}
	for _, p := range []*atomic.Uint64{&r.next, &r.low, &r.horizon, &r.newest} {
		p.Store(first)
	}
	return r
}

// Cap returns how many slots there are.
func (r *Ring) Cap() int { return int(r.capacity) }

// before reports whether position a comes before b.
func before(a, b uint64) bool { return int64(a-b) < 0 }

// Reserve takes n consecutive slots and returns the first id. Where there is no room it returns the horizon that it saw
// and false; CanFree tells whether there may be room later. REQUIRES: 1 ≤ n ≤ Cap.
func (r *Ring) Reserve(n int) (first, horizon uint64, ok bool) {
	for {
		first = r.next.Load()
		horizon = r.horizon.Load() // after next: then it is full indeed if it seems so
		if before(first, horizon) {
			continue // next has moved since it was loaded, and others have ended what they got
		}
		if first-horizon+uint64(n) > r.capacity {
			return 0, horizon, false
		}
		invariant.Point("ring.Reserve")
		if r.next.CompareAndSwap(first, first+uint64(n)) {
			break
		}
	}
	if r.every != 0 {
		for e := first + r.every - first%r.every; !before(first+uint64(n), e); e += r.every {
			r.mark(e) // not reached: the task before it is the caller's
		}
	}
	return first, horizon, true
}

// odd reports whether the round of an id is odd. Also where ids wrap, the rounds before and after differ in that.
func (r *Ring) odd(id uint64) bool { return id&r.round != 0 }

// Publish makes a reserved task visible, as queued. label is not copied, and cut after LongestLabel bytes; LookUp returns those
// bits of born that BornMask has.
func (r *Ring) Publish(id uint64, label string, born uint64) {
	invariant.Point("ring.Publish")
	r.slots[id&r.mask].fill(id, r.odd(id), label, born)
}

// Begin says that the task runs.
func (r *Ring) Begin(id uint64) { r.slots[id&r.mask].set(Running) }

// End says that the task has ended, and whether it failed. It reports whether the horizon has moved. The caller must not
// use the id again but to look it up.
func (r *Ring) End(id uint64, failed bool) (moved bool) {
	to := Ended
	if failed {
		to = Failed
	}
	s := &r.slots[id&r.mask]
	if invariant.Enabled && (s.id.Load() != id || s.ended(id, r.odd(id))) {
		panic("ring: End of a task that is not in flight")
	}
	invariant.Point("ring.End")
	s.set(to)
	return r.advance()
}

// advance moves low over what has ended, and the horizon to the epochs that are reached so.
func (r *Ring) advance() (moved bool) {
	for {
		invariant.Point("ring.ended")
		low := r.low.Load()
		// Pairs with set in End: either that one's advance sees low here, or this sees its state. A position that was not
		// handed out yet is not found: its slot has the id of an earlier one.
		if !r.slots[low&r.mask].ended(low, r.odd(low)) {
			return moved
		}
		invariant.Point("ring.advance")
		if !r.low.CompareAndSwap(low, low+1) {
			continue // somebody else has moved it, and looks further, but perhaps did before what we have ended
		}
		invariant.Point("ring.advanced")
		// Pairs with the store in mark, which looks at low after it.
		if r.epochs[low&r.mask].Load() == low+1 && r.raise(low+1) {
			moved = true
		}
	}
}

// raise moves the horizon to an epoch that is reached, if it is not beyond it; it reports whether it did.
func (r *Ring) raise(epoch uint64) bool {
	for {
		h := r.horizon.Load()
		if !before(h, epoch) {
			return false
		}
		invariant.Point("ring.raise")
		// Pairs with the load in Reserve: who takes a slot sees all that was done with it.
		if r.horizon.CompareAndSwap(h, epoch) {
			return true
		}
	}
}

// Mark makes the present position an epoch: that all tasks which were reserved so far have ended. It reports whether the
// horizon has moved, since it is reached already.
func (r *Ring) Mark() (epoch uint64, moved bool) {
	epoch = r.next.Load()
	if !before(r.horizon.Load(), epoch) {
		return epoch, false
	}
	return epoch, r.mark(epoch)
}

// MarkEnded makes an epoch of what has ended already, up to the first task that has not, if that frees n slots. It reports
// whether the horizon has moved.
func (r *Ring) MarkEnded(n int) (moved bool) {
	next, low := r.next.Load(), r.low.Load()
	return int64(next-low)+int64(n) <= int64(r.capacity) && r.mark(low)
}

// mark notes an epoch behind the horizon, or one that the horizon has passed meanwhile.
func (r *Ring) mark(epoch uint64) (moved bool) {
	noted := &r.epochs[(epoch-1)&r.mask]
	for {
		old := noted.Load()
		if !before(old, epoch) { // by another, or the slot has a later tenant already
			break
		}
		invariant.Point("ring.note")
		// A plain store could replace the epoch of a later tenant, which would then never be found.
		if noted.CompareAndSwap(old, epoch) {
			break
		}
	}
	for {
		old := r.newest.Load()
		if !before(old, epoch) {
			break
		}
		if r.newest.CompareAndSwap(old, epoch) {
			break
		}
	}
	invariant.Point("ring.marked")
	// Pairs with advance, which looks for the epoch after it has moved low.
	return !before(r.low.Load(), epoch) && r.raise(epoch)
}

// Room reports whether n slots are free. Others may take them.
func (r *Ring) Room(n int) bool {
	next := r.next.Load() // before the horizon, as in Reserve
	return int64(next-r.horizon.Load())+int64(n) <= int64(r.capacity)
}

// CanFree reports whether an epoch is in flight that frees n slots when it is reached, seen from a horizon that Reserve
// has returned. An epoch that was reached since counts as one in flight, so that one who was refused just before is not told
// that it will be so for ever.
func (r *Ring) CanFree(n int, horizon uint64) bool {
	next, newest := r.next.Load(), r.newest.Load()
	return before(horizon, newest) && int64(next-newest)+int64(n) <= int64(r.capacity)
}

// Horizon returns the newest epoch that was reached.
func (r *Ring) Horizon() uint64 { return r.horizon.Load() }

// Reached reports whether all tasks before epoch have ended, and their slots are free.
func (r *Ring) Reached(epoch uint64) bool { return !before(r.horizon.Load(), epoch) }

// LookUp returns the task with that id, unless it was freed or never published.
func (r *Ring) LookUp(id uint64) (Entry, bool) {
	if before(id, r.horizon.Load()) {
		return Entry{}, false // though the slot has no new tenant yet
	}
	return r.slots[id&r.mask].read(id, r.odd(id))
}
