package heap

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/encorert/encorert/internal/arena"
	"github.com/encorert/encorert/internal/invariant"
)

// Tracer visits references on behalf of a collection (or of Verify). A roots function calls Mark for each root.
// Owner: the collection; it must not be kept.
type Tracer struct {
	epoch uint64  // the mark that this trace gives; an object that has it was visited
	types []*Type // the table at the start of the trace

	// stack holds the grey objects: marked, fields not yet visited. As integers, so that Go's collector neither scans it
	// nor wants a write barrier.
	stack []uintptr

	bytes, objects uintptr // newly marked

	heap   *Heap
	shares *shares // nil: the heap holds nothing of others, and every reference leads into it

	// record, when not nil, takes the roots instead: Verify looks at them itself.
	record func(unsafe.Pointer)
}

func (t *Tracer) begin(h *Heap) {
	t.epoch, t.types = h.epoch, typeTable()
	t.heap, t.shares = h, nil
	if s := h.shares; s != nil && len(s.entries) > 0 {
		t.shares = s
	}
	t.bytes, t.objects = 0, 0
}

// Mark visits a reference to a heap object; nil is allowed.
func (t *Tracer) Mark(p unsafe.Pointer) {
	if p == nil {
		return
	}
	if t.record != nil {
		t.record(p)
		return
	}
	if t.shares != nil && !t.shares.own(p) {
		t.bytes += t.shares.see(t.heap, p)
		return
	}
	if invariant.Enabled {
		mustBeObject(p, t.types)
	}
	if flags := flagsOf(p); *flags&uint32(flagsMark) != uint32(t.epoch) {
		*flags = *flags&^uint32(flagsMark) | uint32(t.epoch|FlagOld)
		t.stack = append(t.stack, uintptr(p))
	}
}

// drain blackens grey objects until there is none, or a number of them. Depth first by an explicit stack: in Go recursion
// costs four times what it costs in C, and a list is as deep as it is long.
func (t *Tracer) drain(most uintptr) {
	stack, types, epoch := t.stack, t.types, uint32(t.epoch)
	var bytes, objects uintptr
	for len(stack) > 0 && objects < most {
		p := pointerTo(&stack[len(stack)-1])
		stack = stack[:len(stack)-1]
		// The halves by themselves: the lower one was written a moment ago, and a load of both would have to wait for it.
		flags, ty := *flagsOf(p), types[typeID(p)]
		size := ty.total
		if size == 0 {
			size = ty.sizeOf(p)
		}
		bytes += size
		objects++
		if flags&uint32(flagLarge) == 0 {
			markLines(unsafe.Add(p, -HeaderSize), size)
		}
		for _, off := range ty.ptrs {
			child := load(unsafe.Add(p, off))
			if child == nil {
				continue
			}
			if invariant.Enabled {
				mustBeObject(child, types)
			}
			if flags := flagsOf(child); *flags&uint32(flagsMark) != epoch {
				*flags = *flags&^uint32(flagsMark) | epoch | uint32(FlagOld)
				stack = append(stack, uintptr(child))
			}
		}
	}
	t.stack = stack
	t.bytes += bytes
	t.objects += objects
}

// drainShared is drain for a heap that holds objects of others: not every reference leads to an object of its own. Apart, since the
// question costs a look-up for each.
func (t *Tracer) drainShared() {
	own, epoch := &t.shares.places, uint32(t.epoch)
	for len(t.stack) > 0 {
		p := pointerTo(&t.stack[len(t.stack)-1])
		t.stack = t.stack[:len(t.stack)-1]
		ty := t.types[typeID(p)]
		size := ty.sizeOf(p)
		t.bytes += size
		t.objects++
		if *flagsOf(p)&uint32(flagLarge) == 0 {
			markLines(unsafe.Add(p, -HeaderSize), size)
		}
		for _, off := range ty.ptrs {
			child := load(unsafe.Add(p, off))
			if child == nil {
				continue
			}
			if !own.has(uintptr(child) - HeaderSize) {
				t.bytes += t.shares.see(t.heap, child)
				continue
			}
			if invariant.Enabled {
				mustBeObject(child, t.types)
			}
			if flags := flagsOf(child); *flags&uint32(flagsMark) != epoch {
				*flags = *flags&^uint32(flagsMark) | epoch | uint32(FlagOld)
				t.stack = append(t.stack, uintptr(child))
			}
		}
	}
}

// fields marks what an object refers to.
func (t *Tracer) fields(obj unsafe.Pointer) {
	for _, off := range t.types[*headerOf(obj)>>typeShift].ptrs {
		t.Mark(load(unsafe.Add(obj, off)))
	}
}

// mustBeObject panics when a reference cannot be one. For invariant builds: marking would damage what it refers to.
func mustBeObject(p unsafe.Pointer, types []*Type) {
	if !arena.Contains(p) || uintptr(p)%8 != 0 {
		panic(fmt.Sprintf("heap: reference to %s, which is no object", arena.Describe(uintptr(p))))
	}
	word := atomic.LoadUint64(headerOf(p)) // others may mark it, see Marking
	if id := word >> typeShift; id == 0 || id >= uint64(len(types)) || word&0xFFFFFFFF&^flagsKnown != 0 {
		panic(fmt.Sprintf("heap: reference to %s, whose header %#x is none", arena.Describe(uintptr(p)), word))
	}
}
