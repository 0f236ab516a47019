package gc

import (
	"unsafe"

	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/rt"
)

// Fragment is a graph of objects on its way from one actor to another.
type Fragment = heap.Fragment

// CopyOut copies what the slots reach out of the running actor's heap, and replaces each slot by its copy: the sending
// side of sharing by copy. Sharing and cycles among the slots are kept. A leaf. It returns nil when all slots are nil,
// and panics with a *heap.LimitError as Refill does.
func CopyOut(ctx *rt.Ctx, slots ...*unsafe.Pointer) *Fragment {
	empty := true
	for _, s := range slots {
		empty = empty && *s == nil
	}
	if empty {
		return nil
	}
	f := ctx.Space().NewFragment()
	if err := f.CopyFrom(ctx.Heap(), slots...); err != nil {
		f.Free()
		panic(err)
	}
	return f
}

// Adopt makes the fragment part of the running actor's heap: the receiving side. A leaf. nil is allowed; f must not be
// used again.
func Adopt(ctx *rt.Ctx, f *Fragment) {
	if f != nil {
		ctx.Heap().Adopt(&ctx.Cursor, f)
	}
}
