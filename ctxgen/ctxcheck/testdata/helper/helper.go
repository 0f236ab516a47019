// Package helper has functions in another package, whose parameters say what they do.
package helper

import "github.com/encorert/encorert/rt"

// Wait may switch.
func Wait(cctx **rt.Ctx) int { return 0 }

// Leaf does not.
func Leaf(ctx *rt.Ctx) int { return ctx.Worker() }

// Current returns the context of now.
func Current(cctx **rt.Ctx) *rt.Ctx { return *cctx }

// Same returns what it is given.
func Same(ctx *rt.Ctx) *rt.Ctx { return ctx }

// Waiter may switch, or not, who knows.
type Waiter interface{ Wait(cctx **rt.Ctx) error }

// Each calls f for some numbers.
func Each(f func(int) bool) {
	for i := range 3 {
		if !f(i) {
			return
		}
	}
}

// EachWith calls f for some numbers, and may wait in between.
func EachWith(cctx **rt.Ctx, f func(int)) {
	Wait(cctx)
	f(1)
}

// EachLeaf calls f for some numbers, and uses its context in between.
func EachLeaf(ctx *rt.Ctx, f func(int)) {
	f(Leaf(ctx))
	f(Leaf(ctx))
}

// Numbers is an iterator.
func Numbers(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// With holds a context.
type With struct {
	Ctx *rt.Ctx
	N   int
}

func (w *With) Leaf() int { return Leaf(w.Ctx) }

// Apply calls f.
func Apply[T, U any](x T, f func(T) U) U { return f(x) }
