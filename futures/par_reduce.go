package futures

import "github.com/encorert/encorert/rt"

// Extract returns the future of all values, in the order of the elements: Encore's extract. It fails with the first error in that
// order. A leaf.
func Extract[T any](ctx *rt.Ctx, p Par[T]) Future[[]T] {
	return detach(ctx, func(cctx **rt.Ctx) ([]T, error) {
		var values []T
		err := p.fold(cctx, func(v T) error { values = append(values, v); return nil })
		return values, err
	})
}

// Results returns the future of all elements, errors included, in their order. A leaf.
func Results[T any](ctx *rt.Ctx, p Par[T]) Future[[]Result[T]] {
	return detach(ctx, func(cctx **rt.Ctx) (results []Result[T], err error) {
		err = p.elements(cctx, func(v T, err error) { results = append(results, Result[T]{v, err}) })
		return results, err
	})
}

// fold calls f with each value in order, and returns the first error among elements and f's. It waits for all elements in any
// case.
func (p Par[T]) fold(cctx **rt.Ctx, f func(v T) error) error {
	var first error
	err := p.elements(cctx, func(v T, err error) {
		if first == nil && err == nil {
			err = f(v)
		}
		if first == nil {
			first = err
		}
	})
	if err != nil {
		return err
	}
	return first
}

// Fold returns the future of what fn makes of initial and the first value, of that and the second, and so on: one after the
// other, in the order of the elements, so fn may be anything. It fails with the first error. A leaf.
func Fold[T, A any](ctx *rt.Ctx, p Par[T], initial A, fn func(cctx **rt.Ctx, a A, v T) (A, error)) Future[A] {
	if fn == nil {
		panic("futures: Fold with a nil function")
	}
	return detach(ctx, func(cctx **rt.Ctx) (A, error) {
		a := initial
		err := p.fold(cctx, func(v T) (err error) {
			a, err = fn(cctx, a, v)
			return err
		})
		return a, err
	})
}

// Reduce is Fold for an fn that is associative, with zero its neutral element: neighbouring values are put together first, in
// several places at a time. The order of the elements is kept, so fn need not be commutative. A leaf.
func Reduce[T any](ctx *rt.Ctx, p Par[T], zero T, fn func(cctx **rt.Ctx, a, b T) (T, error)) Future[T] {
	if fn == nil {
		panic("futures: Reduce with a nil function")
	}
	parts := transform(ctx, p, func(cctx **rt.Ctx, in batch[T]) (out batch[T]) {
		a, first := zero, error(nil)
		in.each(nil, func(v T, err error) {
			if first != nil {
				return
			}
			if first = err; err == nil {
				a, first = call(cctx, v, func(cctx **rt.Ctx, v T) (T, error) { return fn(cctx, a, v) })
			}
		})
		out.add(a, first)
		return out
	})
	return Fold(ctx, parts, zero, fn)
}

// Count returns the future of the number of elements, errors included. A leaf.
func Count[T any](ctx *rt.Ctx, p Par[T]) Future[int] {
	return detach(ctx, func(cctx **rt.Ctx) (n int, err error) {
		err = p.elements(cctx, func(T, error) { n++ })
		return n, err
	})
}
