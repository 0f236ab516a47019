package heap

import (
	"fmt"
	"unsafe"

	"github.com/encorert/encorert/internal/arena"
	"github.com/encorert/encorert/internal/invariant"
)

// Log remembers an old object that is about to be stored into: the slow path of the write barrier, called when the
// header of obj has FlagOld. It panics if obj is immutable. It clears the flag, so that an object is logged once per cycle.
func (h *Heap) Log(obj unsafe.Pointer) {
	header := headerOf(obj)
	if *flagsOf(obj)&flagFrozen != 0 {
		panic(fmt.Sprintf("heap: store into %s at %p, which was shared as val and so is immutable", TypeOf(obj).name, obj))
	}
	if invariant.Enabled && (!arena.Contains(obj) || *header&FlagOld == 0 || *header&flagLogged != 0) {
		panic(fmt.Sprintf("heap: log of %p with header %#x, which is not an unlogged old object", obj, *header))
	}
	*header = *header&^FlagOld | flagLogged
	h.logged = append(h.logged, uintptr(obj))
}

// keptLog is the most entries that an empty remembered set keeps room for when it was hardly filled (picked: 64 KiB).
const keptLog = 8 << 10

// takeLogged empties the remembered set. A minor collection visits the fields of its objects, and they are old again;
// in a full one they get their flag back when, and if, they are reached.
func (h *Heap) takeLogged(t *Tracer, full bool) {
	switch {
	case full:
		for i := range h.logged {
			*flagsOf(pointerTo(&h.logged[i])) &^= uint32(flagLogged)
		}
	case t.shares == nil:
		t.visit(h.logged)
	default:
		for i := range h.logged {
			obj := pointerTo(&h.logged[i])
			flags := flagsOf(obj)
			*flags = *flags&^uint32(flagLogged) | uint32(FlagOld)
			t.fields(obj)
		}
	}
	// A heap that logs much does so in each cycle, and growing anew costs as much as the log itself.
	if n := len(h.logged); cap(h.logged) > keptLog && n < cap(h.logged)/4 {
		h.logged = nil
	}
	h.logged = h.logged[:0]
}

// visit takes logged objects of a heap that does not share: the inner loop of drain.
func (t *Tracer) visit(logged []uintptr) {
	stack, types, epoch := t.stack, t.types, t.epoch
	for i := range logged {
		obj := pointerTo(&logged[i])
		header := headerOf(obj)
		word := *header
		*header = word&^flagLogged | FlagOld
		for _, off := range types[word>>typeShift].ptrs {
			child := load(unsafe.Add(obj, off))
			if child == nil {
				continue
			}
			if invariant.Enabled {
				mustBeObject(child, types)
			}
			if header := headerOf(child); *header&flagsMark != epoch {
				*header = *header&^flagsMark | epoch | FlagOld
				stack = append(stack, uintptr(child))
			}
		}
	}
	t.stack = stack
}
