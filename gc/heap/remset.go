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

// keptLog is the most entries that an empty remembered set keeps room for (picked: 64 KiB).
const keptLog = 8 << 10

// takeLogged empties the remembered set. A minor collection visits the fields of its objects, and they are old again;
// in a full one they get their flag back when, and if, they are reached.
func (h *Heap) takeLogged(t *Tracer, full bool) {
	for i := range h.logged {
		obj := pointerTo(&h.logged[i])
		flags := flagsOf(obj)
		*flags &^= uint32(flagLogged)
		if !full {
			*flags |= uint32(FlagOld)
			t.fields(obj)
		}
	}
	if h.logged = h.logged[:0]; cap(h.logged) > keptLog {
		h.logged = nil
	}
}
