package heap

import (
	"runtime"
	"unsafe"

	"github.com/encorert/encorert/internal/invariant"
)

// Copying a graph is Cheney's algorithm: the trail of copied objects is the queue. Copies are scanned in order, and each
// field that still refers to an original is replaced by that object's copy. Where the copy of an original is, is written
// into the original's header while its owner copies (CopyFrom), and kept in a table when others may be reading the
// original at the same time (CopyTo).

// step is one object of the trail.
type step struct {
	from uintptr // the original
	word uint64  // CopyFrom: the original's header, to be restored; CopyTo: the address of the copy
}

// trail is the scratch memory of one copy. Empty between copies.
type trail struct {
	steps []step
	// index finds steps by original, for CopyTo: open addressing, entries are positions in steps plus one. Its length is
	// a power of two, at least twice that of steps.
	index []uint32
}

// keptSteps is the most that an idle trail keeps room for (picked).
const keptSteps = 4096

func (t *trail) reset() {
	if len(t.steps) > scanned && t.index != nil {
		clear(t.index)
	}
	if t.steps = t.steps[:0]; cap(t.steps) > keptSteps {
		*t = trail{}
	}
}

// CopyFrom copies the graph that is reachable from the slots into the fragment; sharing and cycles are kept. Each slot
// that is not nil gets the address of its copy. h is the heap of the running actor, which owns the graph. On error, as in
// Refill, the slots and the graph are as they were. Two calls do not see each other's copies: what they share is copied twice.
func (f *Fragment) CopyFrom(h *Heap, slots ...*unsafe.Pointer) error {
	f.mustBeWritable()
	types := typeTable()
	if h.shares != nil {
		// Some of the graph may be read by others, or be theirs: its headers are not written to.
		return f.cloneGraph(types, slots)
	}
	err := f.forwardAll(types, slots)
	if err == nil {
		for _, slot := range slots {
			if *slot != nil {
				*slot = forwarded(*headerOf(*slot))
			}
		}
	}
	for i := range f.copied.steps {
		s := &f.copied.steps[i]
		*headerOf(pointerTo(&s.from)) = s.word
	}
	f.copied.reset()
	runtime.KeepAlive(h)
	return err
}

func (f *Fragment) forwardAll(types []*Type, slots []*unsafe.Pointer) error {
	for _, slot := range slots {
		if *slot == nil {
			continue
		}
		if _, err := f.forward(types, *slot); err != nil {
			return err
		}
	}
	for i := 0; i < len(f.copied.steps); i++ {
		s := &f.copied.steps[i]
		clone := forwarded(*headerOf(pointerTo(&s.from)))
		for _, off := range types[s.word>>typeShift].ptrs {
			slot := unsafe.Add(clone, off)
			child := load(slot)
			if child == nil {
				continue
			}
			to, err := f.forward(types, child)
			if err != nil {
				return err
			}
			store(slot, to)
		}
	}
	return nil
}

func (f *Fragment) forward(types []*Type, obj unsafe.Pointer) (unsafe.Pointer, error) {
	header := headerOf(obj)
	word := *header
	if word&flagForwarded != 0 {
		return forwarded(word), nil
	}
	clone, err := f.clone(types[word>>typeShift], obj)
	if err != nil {
		return nil, err
	}
	f.copied.steps = append(f.copied.steps, step{uintptr(obj), word})
	*header = uint64(uintptr(clone)) | flagForwarded
	return clone, nil
}

func forwarded(word uint64) unsafe.Pointer {
	a := uintptr(word &^ flagForwarded)
	return pointerTo(&a)
}

// clone makes a young copy of one object, whose fields still refer to originals.
func (f *Fragment) clone(t *Type, obj unsafe.Pointer) (unsafe.Pointer, error) {
	size := t.sizeOf(obj)
	p, err := f.alloc(size)
	if err != nil {
		return nil, err
	}
	word := t.Header()
	if size > MaxSmall {
		word |= flagLarge
	}
	*(*uint64)(p) = word
	to := unsafe.Add(p, HeaderSize)
	copy(unsafe.Slice((*byte)(to), size-HeaderSize), unsafe.Slice((*byte)(obj), size-HeaderSize))
	return to, nil
}

// CopyTo copies the graph that is reachable from the slots, which lies in the kept fragment f, into dst, as CopyFrom does.
// f is only read: any number of goroutines may do so at the same time, each with a dst and slots of its own.
func (f *Fragment) CopyTo(dst *Fragment, slots ...*unsafe.Pointer) error {
	dst.mustBeWritable()
	var own []*unsafe.Pointer
	for _, slot := range slots {
		if *slot == nil || !f.passOn(dst, *slot) {
			own = append(own, slot)
		}
	}
	err := dst.cloneGraph(typeTable(), own)
	runtime.KeepAlive(f) // its cleanup frees what is being read
	return err
}

// cloneGraph is CopyFrom with the places of copies in a table.
func (f *Fragment) cloneGraph(types []*Type, slots []*unsafe.Pointer) error {
	err := f.cloneAll(types, slots)
	if err == nil {
		for _, slot := range slots {
			if *slot != nil {
				*slot = f.copied.find(*slot)
			}
		}
	}
	f.copied.reset()
	return err
}

func (f *Fragment) cloneAll(types []*Type, slots []*unsafe.Pointer) error {
	for _, slot := range slots {
		if *slot == nil {
			continue
		}
		if _, err := f.cloneOnce(types, *slot); err != nil {
			return err
		}
	}
	for i := 0; i < len(f.copied.steps); i++ {
		clone := f.copied.steps[i].to()
		for _, off := range types[*headerOf(clone)>>typeShift].ptrs {
			slot := unsafe.Add(clone, off)
			child := load(slot)
			if child == nil {
				continue
			}
			to, err := f.cloneOnce(types, child)
			if err != nil {
				return err
			}
			store(slot, to)
		}
	}
	return nil
}

func (f *Fragment) cloneOnce(types []*Type, obj unsafe.Pointer) (unsafe.Pointer, error) {
	if to := f.copied.find(obj); to != nil {
		return to, nil
	}
	to, err := f.clone(types[typeID(obj)], obj)
	if err == nil {
		f.copied.add(step{uintptr(obj), uint64(uintptr(to))})
	}
	return to, err
}

func (s *step) to() unsafe.Pointer { return forwarded(s.word) }

// scanned is the length up to which a trail is searched from end to end, without an index (picked).
const scanned = 8

// find returns the copy of an original, nil when there is none.
func (t *trail) find(obj unsafe.Pointer) unsafe.Pointer {
	if len(t.steps) <= scanned {
		for i := range t.steps {
			if t.steps[i].from == uintptr(obj) {
				return t.steps[i].to()
			}
		}
		return nil
	}
	if i := t.index[t.probe(uintptr(obj))]; i != 0 {
		return t.steps[i-1].to()
	}
	return nil
}

// probe returns the place in the index of an original: its own or the free one where it belongs.
func (t *trail) probe(from uintptr) int {
	mask := len(t.index) - 1
	i := int(uint64(from)*0x9E3779B97F4A7C15>>32) & mask // Fibonacci hashing; the low bits of an address say little
	for {
		if e := t.index[i]; e == 0 || t.steps[e-1].from == from {
			return i
		}
		i = (i + 1) & mask
	}
}

func (t *trail) add(s step) {
	t.steps = append(t.steps, s)
	n := len(t.steps)
	switch {
	case n <= scanned:
	case n == scanned+1 || 2*n > len(t.index):
		if 2*n > len(t.index) {
			t.index = make([]uint32, max(64, 2*len(t.index)))
		}
		for i := range t.steps {
			t.index[t.probe(t.steps[i].from)] = uint32(i) + 1
		}
	default:
		t.index[t.probe(s.from)] = uint32(n)
	}
}

func (f *Fragment) mustBeWritable() {
	if f.kept != nil {
		panic("heap: copy into a kept fragment")
	}
	if invariant.Enabled && len(f.copied.steps) != 0 {
		panic("heap: copy into a fragment during a copy into it")
	}
}
