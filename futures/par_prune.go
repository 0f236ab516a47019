package futures

import (
	"errors"

	"github.com/encorert/encorert/rt"
)

// ErrEmpty is the answer of First where there are no elements.
var ErrEmpty = errors.New("futures: a parallel collection without elements has no first")

// First returns the future of the value of p that is there first, in time; of several that are there already, one of them. If
// all elements are errors it fails with an *AllFailedError, and if there are none with ErrEmpty, perhaps wrapped. A leaf.
//
// The losers are cancelled: the futures that p was made of (Lift, and what functions were to make), whoever else waits for them.
// A behaviour that has not begun does not run then, nor a function that has not; one that has may look at Wanted.
func First[T any](ctx *rt.Ctx, p Par[T]) Future[T] {
	var fs []Future[T]
	var there *T
	for leaf := range p.leaves() {
		switch c := leaf.coming.(type) {
		case nil:
			there = &leaf.values[0]
		case one[T]:
			fs = append(fs, c.f)
		case batched[T]:
			fs = append(fs, ChainDetached(ctx, c.f, func(cctx **rt.Ctx, b batch[T]) (T, error) { return b.first() }))
		case later[T]:
			fs = append(fs, firstOf(ctx, c.f))
		}
		if there != nil {
			break
		}
	}
	var first Future[T]
	switch {
	case there != nil:
		first = answered(ctx, *there, nil)
	case len(fs) == 0:
		var none T
		return answered(ctx, none, ErrEmpty)
	default:
		first = FirstSuccess(ctx, fs...)
	}
	ChainDetached(ctx, Settled(ctx, first), func(cctx **rt.Ctx, _ int) (struct{}, error) {
		ctx := *cctx
		for _, f := range fs {
			f.Cancel(ctx)
		}
		p.cancel(ctx)
		return struct{}{}, nil
	})
	return first
}

// firstOf is First of a collection that is not there yet.
func firstOf[T any](ctx *rt.Ctx, f Future[Par[T]]) Future[T] {
	return ChainDetached(ctx, f, func(cctx **rt.Ctx, q Par[T]) (T, error) { return First(*cctx, q).Get(cctx) })
}

// Prune calls fn with the value of p that is there first, and cancels what is left of p: Encore's fn << p. What First fails with,
// the one element of the collection fails with. A leaf.
func Prune[T, U any](ctx *rt.Ctx, p Par[T], fn func(cctx **rt.Ctx, v T) (U, error)) Par[U] {
	return Map(ctx, Lift(First(ctx, p)), fn)
}

// cancel cancels what is not there.
func (p Par[T]) cancel(ctx *rt.Ctx) {
	for leaf := range p.leaves() {
		switch c := leaf.coming.(type) {
		case one[T]:
			c.f.Cancel(ctx)
		case batched[T]:
			c.f.Cancel(ctx)
		case later[T]:
			c.f.Cancel(ctx)
		}
	}
}

// first returns the first value of a batch, or why there is none.
func (b batch[T]) first() (v T, err error) {
	found := false
	failed := &AllFailedError{}
	b.each(nil, func(w T, e error) {
		switch {
		case e != nil:
			failed.Errors = append(failed.Errors, e)
		case !found:
			v, found = w, true
		}
	})
	switch {
	case found:
		return v, nil
	case len(b.values) == 0:
		return v, ErrEmpty
	}
	return v, failed
}
