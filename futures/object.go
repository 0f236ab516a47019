package futures

import (
	"unsafe"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

// isObject reports whether T is a pointer to a generated object type.
func isObject[T any]() bool {
	var none T
	_, ok := any(none).(gc.Object)
	return ok
}

// slotOf returns the place of a heap pointer as the heap engine wants it. REQUIRES: isObject[T], so that v is one
// pointer.
func slotOf[T any](v *T) *unsafe.Pointer { return (*unsafe.Pointer)(unsafe.Pointer(v)) }

// readObject copies the answer into the heap of the running actor.
func (c *cell[T]) readObject(ctx *rt.Ctx) (T, error) {
	v := c.value
	if ctx.Self() == nil {
		var none T
		return none, ErrNoHeap
	}
	copied := ctx.Space().NewFragment()
	if err := c.fragment.CopyTo(copied, slotOf(&v)); err != nil {
		copied.Free()
		panic(err)
	}
	gc.Adopt(ctx, copied)
	return v, nil
}

// hold puts a heap object that was read into a frame. REQUIRES: isObject[T].
func hold[T any](ctx *rt.Ctx, v *T) gc.Frame { return gc.Push(ctx, (*byte)(*slotOf(v))) }

// FulfilVal is Fulfil for a heap object that becomes immutable and is shared: each reader gets the object itself, not a copy, and the
// future is a holder of it until nobody can read it any more. For other values it is Fulfil. A leaf.
func (p Promise[T]) FulfilVal(ctx *rt.Ctx, v T) error {
	if !isObject[T]() {
		return p.Fulfil(ctx, v)
	}
	c := p.cell()
	c.check(ctx)
	rt.Flush(ctx)
	return c.fulfilObject(ctx, v, shareOut)
}

// SettleVal is Settle with FulfilVal. A leaf.
func (p Promise[T]) SettleVal(ctx *rt.Ctx, v T, err error) error {
	if err != nil {
		return p.Fail(ctx, err)
	}
	return p.FulfilVal(ctx, v)
}

func copyOut(ctx *rt.Ctx, slot *unsafe.Pointer) *gc.Fragment { return gc.CopyOut(ctx, slot) }

func shareOut(ctx *rt.Ctx, slot *unsafe.Pointer) *gc.Fragment { return gc.ShareOut(ctx, nil, slot) }
