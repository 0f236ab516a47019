package gc

import (
	"unsafe"

	"github.com/encorert/encorert/rt"
)

// Frame is a mark on the strand's shadow stack of heap pointers.
type Frame struct{ top int }

// Push keeps a alive until the frame is popped. A leaf, 3 ns, no Go allocation. Frames are popped in reverse order; a
// behaviour that panics leaves its frames to the runtime.
func Push[A any](ctx *rt.Ctx, a *A) Frame {
	s := ctx.Shadow
	f := Frame{s.Top}
	if s.Top+1 > len(s.Slots) {
		s.Grow()
	}
	s.Slots[s.Top] = unsafe.Pointer(a)
	s.Top++
	return f
}

// Push2 keeps a and b alive until the frame is popped.
func Push2[A, B any](ctx *rt.Ctx, a *A, b *B) Frame {
	f := Push(ctx, a)
	Push(ctx, b)
	return f
}

// Push3 keeps a, b and c alive until the frame is popped.
func Push3[A, B, C any](ctx *rt.Ctx, a *A, b *B, c *C) Frame {
	f := Push(ctx, a)
	Push(ctx, b)
	Push(ctx, c)
	return f
}

// Pop ends the frame. A leaf: ctx is the context after the calls in between.
func (f Frame) Pop(ctx *rt.Ctx) { ctx.Shadow.Top = f.top }

// Safepoint collects the running actor's heap if that is due.
func Safepoint(cctx **rt.Ctx) { rt.Safepoint(cctx) }

// Collect collects the running actor's heap now, old objects included.
func Collect(cctx **rt.Ctx) { rt.Collect(cctx) }
