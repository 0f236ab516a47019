package gc

import (
	"unsafe"

	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/rt"
)

// Fragment is a graph of objects on its way from one actor to another.
type Fragment = heap.Fragment

// A message carries objects of a heap in one of three ways. CopyOut, ShareOut and MoveOut are the sending sides of copy, val and iso, and
// may follow each other in this order with the fragment of the one before, for one message; Adopt is the receiving side of all.

// CopyOut copies what the slots reach out of the running actor's heap, and replaces each slot by its copy: the sending
// side of sharing by copy. Sharing and cycles among the slots are kept. A leaf. It returns nil when all slots are nil,
// and panics with a *heap.LimitError as Refill does.
func CopyOut(ctx *rt.Ctx, slots ...*unsafe.Pointer) *Fragment {
	if empty(slots) {
		return nil
	}
	f := ctx.Space().NewFragment()
	if err := f.CopyFrom(ctx.Heap(), slots...); err != nil {
		f.Free()
		panic(err)
	}
	return f
}

// ShareOut makes what the slots reach immutable, for the running actor too, and sends references: nothing is copied, and a later store
// into one of the objects panics. The objects live as long as somebody holds one of them, whatever becomes of the actor that made them.
// A leaf. f is the fragment to add to, nil for a new one; the result is nil when that is nil and all slots are.
func ShareOut(ctx *rt.Ctx, f *Fragment, slots ...*unsafe.Pointer) *Fragment {
	if empty(slots) {
		return f
	}
	if f == nil {
		f = ctx.Space().NewFragment()
	}
	f.ShareFrom(ctx.SharingHeap(), slots...)
	rt.PostNotes(ctx)
	return f
}

// MoveOut gives what the slots reach away. The slots' objects that were built by Isolate go without a copy, and everything that the same
// call has built goes with them: the running actor must not use any of it afterwards. What else they reach is copied, and
// so is what Isolate has not built, or was shared meanwhile. Each slot is replaced by what the receiver gets. A leaf. f and result are as
// for ShareOut. It panics with a *heap.LimitError as Refill does; then nothing was given away, and f is freed.
func MoveOut(ctx *rt.Ctx, f *Fragment, slots ...*unsafe.Pointer) *Fragment {
	if empty(slots) {
		return f
	}
	if f == nil {
		f = ctx.Space().NewFragment()
	}
	if err := f.MoveFrom(ctx.Heap(), slots...); err != nil {
		f.Free()
		panic(err)
	}
	return f
}

func empty(slots []*unsafe.Pointer) bool {
	for _, s := range slots {
		if *s != nil {
			return false
		}
	}
	return true
}

// Isolate calls build, and lets everything that it allocates lie apart from the rest of the heap, so that MoveOut can give the result away
// without a copy. The result is an ordinary value of the heap otherwise. A leaf, and so is build: nothing is
// collected until it returns. Calls may be nested; what an inner one builds is not part of the outer one's result.
func Isolate[T any](ctx *rt.Ctx, build func(ctx *rt.Ctx) T) T {
	h := ctx.Heap()
	h.OpenRegion(&ctx.Cursor)
	defer h.CloseRegion(&ctx.Cursor)
	return build(ctx)
}

// Adopt makes the fragment part of the running actor's heap: the receiving side. A leaf. nil is allowed; f must not be
// used again.
func Adopt(ctx *rt.Ctx, f *Fragment) {
	if f != nil {
		ctx.Heap().Adopt(&ctx.Cursor, f)
	}
}
