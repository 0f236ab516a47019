package heap

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/encorert/encorert/internal/invariant"
)

// Marking is what is left of the mark phase of a large heap, offered to several goroutines: see Config.Help. Grey objects that
// nobody works at lie in packets. Whoever calls MarkShare takes one, and puts a part of what it then has to do aside as
// another one whenever none is waiting.
//
// Marks set by atomic operations cost twice the time of plain ones where the heap is in the cache. So a participant that is the
// only one marks plainly. One that joins it takes a packet and waits until the other has seen that, which is after some
// hundred objects; then both mark atomically, until one of them is the only one again:
//
//	active  solo   | who                                           | to
//	0       false  | take                                          | 1 true: it marks plainly
//	1       true   | take                                          | 2 true: the second one waits
//	n       true   | heed, the solo participant                    | n false: all mark atomically
//	1       false  | heed                                          | 1 true
//	n       any    | done; if it was solo, solo is false after it  | n-1
type Marking struct {
	epoch uint64
	types []*Type
	space *Space

	// waiting is the number of packets. Writers: under mu. Readers: participants, which put one aside when they see none; one
	// that sees an old number puts aside a packet too many or too few for a while.
	waiting atomic.Int32
	// active is the number of participants that have a packet. Writers: under mu. Readers: heed.
	active atomic.Int32
	// solo says that one participant marks plainly. Writers: take and heed, under mu, to true; that participant to false: it
	// pairs with the Load in take, without which plain marks would meet atomic ones. The way back pairs by mu: who is not
	// active any more has unlocked it in done.
	solo atomic.Bool

	mu sync.Mutex
	// The following are guarded by mu.
	packets  []*Tracer // in whose stacks the grey objects are
	finished []*Tracer // with empty stacks, and counts of what they have marked
}

const (
	// defaultHelpAfter is some 5 MB of small objects. Marking by two does not pay earlier: where the heap is in the
	// cache, two that mark atomically are as fast as one that marks plainly (a tree of 300,000 nodes in the order in which they
	// were made: 1.0 times; scattered: 1.3 times; 3,000,000 scattered: 1.65 times).
	defaultHelpAfter = 128 << 10
	// asideAfter is how many objects a participant marks between two looks whether a packet waits for others, or
	// others for it. A look costs two loads, and the marking in between 2 us and more.
	asideAfter = 512
)

// blacken marks all that the grey objects of t reach.
func (h *Heap) blacken(t *Tracer) {
	help := h.space.config.Help
	if t.shares != nil {
		t.drainShared() // the table of holdings is no matter for several
		return
	}
	if help == nil {
		t.drain(^uintptr(0))
		return
	}
	after := h.space.config.HelpAfter
	for t.drain(after); len(t.stack) > 0; t.drain(after) {
		m := &Marking{epoch: t.epoch, types: t.types, space: h.space}
		m.packets = append(m.packets, m.tracer())
		m.packets[0].stack, t.stack = t.stack, m.packets[0].stack
		m.waiting.Store(1)
		help(m)
		m.join(t)
	}
}

// join adds to t what the participants have marked, and what they have left.
func (m *Marking) join(t *Tracer) {
	var objects uintptr
	for _, other := range m.finished {
		objects += other.objects
	}
	if objects > 0 {
		m.space.counts.helped.Add(1)
	}
	for _, other := range append(m.finished, m.packets...) {
		t.bytes += other.bytes
		t.objects += other.objects
		if len(t.stack) == 0 {
			t.stack, other.stack = other.stack, t.stack
		} else {
			t.stack = append(t.stack, other.stack...)
			other.stack = other.stack[:0]
		}
		m.space.giveTracer(other)
	}
}

// tracer returns one without grey objects.
func (m *Marking) tracer() *Tracer {
	t := m.space.takeTracer()
	t.epoch, t.types, t.bytes, t.objects = m.epoch, m.types, 0, 0
	return t
}

// MarkShare takes a packet of grey objects and marks what they reach, but for what it puts aside for others: for each packet it
// calls add(1), once the packet can be taken, and MarkShare should then be called once more, by whoever has time. Without a
// packet it returns at once. Any goroutine, while Config.Help runs, and any number of them at once. The function is called by
// those goroutines. What add returns does not matter: a packet that nobody has taken is marked by the collection.
func (m *Marking) MarkShare(add func(packets int) bool) {
	t, solo := m.take()
	if t == nil {
		return
	}
	defer func() { m.done(t, solo) }() // by a panic as well: others may wait
	for {
		if solo {
			t.drain(asideAfter)
		} else {
			m.drain(t)
		}
		if len(t.stack) == 0 {
			return
		}
		if len(t.stack) > 1 && m.waiting.Load() == 0 {
			m.putAside(t)
			add(1)
		}
		solo = m.heed(solo)
	}
}

// take returns a packet, nil if there is none, and whether the caller is the only one who has one.
func (m *Marking) take() (t *Tracer, solo bool) {
	m.mu.Lock()
	n := len(m.packets)
	if n == 0 {
		m.mu.Unlock()
		return nil, false
	}
	t = m.packets[n-1]
	m.packets = m.packets[:n-1]
	m.waiting.Store(int32(n - 1))
	if m.active.Add(1) == 1 {
		m.solo.Store(true)
		m.mu.Unlock()
		return t, true
	}
	m.mu.Unlock()
	for m.solo.Load() {
		runtime.Gosched() // the other looks soon, unless it has no processor: then it may have this one
	}
	return t, false
}

// heed tells a participant whether it is the only one now.
func (m *Marking) heed(solo bool) bool {
	if solo == (m.active.Load() == 1) {
		return solo
	}
	if solo {
		m.solo.Store(false)
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.active.Load() > 1 {
		return false
	}
	m.solo.Store(true)
	return true
}

// done ends a participant's share.
func (m *Marking) done(t *Tracer, solo bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.finished = append(m.finished, t)
	m.active.Add(-1)
	if solo {
		m.solo.Store(false)
	}
}

// putAside makes a packet of every other grey object of t: of those that were found first, which have most behind them in
// a tree, and of those that were found last.
func (m *Marking) putAside(t *Tracer) {
	other := m.tracer()
	kept := t.stack[:0]
	for i, p := range t.stack {
		if i%2 == 0 {
			other.stack = append(other.stack, p)
		} else {
			kept = append(kept, p)
		}
	}
	t.stack = kept
	m.mu.Lock()
	m.packets = append(m.packets, other)
	m.waiting.Store(int32(len(m.packets)))
	m.mu.Unlock()
}

// drain is Tracer.drain beside others, for some objects.
func (m *Marking) drain(t *Tracer) {
	stack, types, epoch := t.stack, t.types, uint32(t.epoch)
	var bytes, objects uintptr
	for len(stack) > 0 && objects < asideAfter {
		p := pointerTo(&stack[len(stack)-1])
		stack = stack[:len(stack)-1]
		word := atomic.LoadUint32(flagsOf(p)) // others may look whether it is marked
		ty := types[typeID(p)]
		size := ty.total
		if size == 0 {
			size = ty.sizeOf(p)
		}
		bytes += size
		objects++
		if word&uint32(flagLarge) == 0 {
			shareLines(unsafe.Add(p, -HeaderSize), size)
		}
		for _, off := range ty.ptrs {
			child := load(unsafe.Add(p, off))
			if child == nil {
				continue
			}
			if invariant.Enabled {
				mustBeObject(child, types)
			}
			if grey(flagsOf(child), epoch) {
				stack = append(stack, uintptr(child))
			}
		}
	}
	t.stack = stack
	t.bytes += bytes
	t.objects += objects
}

// grey marks an object, and reports whether it was the caller who did. Pairs with itself: without the swap two
// participants would both count the object and visit all that it reaches. Half of the header, as flagsOf says. What else is in it does not change
// while the heap is marked, so a swap that fails has met another participant's.
func grey(flags *uint32, epoch uint32) bool {
	word := atomic.LoadUint32(flags)
	return word&uint32(flagsMark) != epoch && atomic.CompareAndSwapUint32(flags, word, word&^uint32(flagsMark)|epoch|uint32(FlagOld))
}

// lineUnits holds, for each byte of a word of the side table, the word in which that byte is 1, in the machine's order of bytes.
var lineUnits = func() (units [4]uint32) {
	for i := range units {
		(*[4]byte)(unsafe.Pointer(&units[i]))[i] = 1
	}
	return units
}()

// shareLines is markLines beside others. Without the read-modify-write a participant would take back the marks of the neighbouring
// bytes that others set meanwhile. Most lines have been marked for an earlier object. A chunk has a multiple of 4 lines, so that
// a word has no marks of a neighbour's heap.
func shareLines(start unsafe.Pointer, size uintptr) {
	in := uintptr(start) & lineMask
	table := unsafe.Add(start, -in)
	for line, last := in/LineSize, (in+size-1)/LineSize; line <= last; line++ {
		word, unit := (*uint32)(unsafe.Add(table, line&^3)), lineUnits[line&3]
		if atomic.LoadUint32(word)&unit == 0 {
			atomic.OrUint32(word, unit)
		}
	}
}
