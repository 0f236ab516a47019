package futures

import (
	"errors"
	"runtime"
	"runtime/debug"

	"github.com/encorert/encorert/rt"
)

// closing reports whether a wait has failed because the runtime closes: then there is nothing to go on for.
func closing(err error) bool { return errors.Is(err, rt.ErrClosed) }

// detach runs fn on an actor of its own.
func detach[U any](ctx *rt.Ctx, fn func(cctx **rt.Ctx) (U, error)) Future[U] {
	return ChainDetached(ctx, answered(ctx, struct{}{}, nil), func(cctx **rt.Ctx, _ struct{}) (U, error) { return fn(cctx) })
}

// answered returns a future that has its answer.
func answered[T any](ctx *rt.Ctx, v T, err error) Future[T] {
	p := NewPromise[T](ctx, nil)
	_ = p.Settle(ctx, v, err) // nobody else has it
	return p.Future()
}

// mostValues is how many values at most are given to one actor; few enough that all workers have some where there are fewer.
// Picked: an actor costs about a microsecond.
const mostValues = 1024

// grain returns how many values one actor gets.
func (p Par[T]) grain() int {
	n := 0
	for leaf := range p.leaves() {
		n += len(leaf.values)
	}
	return min(max(n/(8*runtime.GOMAXPROCS(0)), 1), mostValues)
}

// transform makes a collection of another, batch by batch, in the same order: fn makes a batch of each. A leaf.
func transform[T, U any](ctx *rt.Ctx, p Par[T], fn func(cctx **rt.Ctx, in batch[T]) batch[U]) Par[U] {
	checkElement[U]()
	grain := p.grain()
	var made Par[U]
	var pending []T // values of neighbouring leaves
	add := func(f Future[batch[U]]) { made.root = merge(made.root, &par[U]{coming: batched[U]{f}}) }
	give := func(vs []T) {
		for len(vs) > 0 {
			n := min(grain, len(vs))
			in := batch[T]{values: vs[:n]}
			add(detach(ctx, func(cctx **rt.Ctx) (batch[U], error) { return fn(cctx, in), nil }))
			vs = vs[n:]
		}
	}
	flush := func() { give(pending); pending = nil }
	for leaf := range p.leaves() {
		switch c := leaf.coming.(type) {
		case nil:
			if len(leaf.values) >= grain {
				flush()
				give(leaf.values)
			} else if pending = append(pending, leaf.values...); len(pending) >= grain {
				flush()
			}
		case one[T]:
			flush()
			add(ChainDetached(ctx, Settled(ctx, c.f), func(cctx **rt.Ctx, _ int) (batch[U], error) {
				v, err := c.f.Get(cctx) // it is there
				var in batch[T]
				in.add(v, err)
				return fn(cctx, in), nil
			}))
		case batched[T]:
			flush()
			add(ChainDetached(ctx, c.f, func(cctx **rt.Ctx, in batch[T]) (batch[U], error) { return fn(cctx, in), nil }))
		case later[T]:
			flush()
			f := ChainDetached(ctx, c.f, func(cctx **rt.Ctx, q Par[T]) (Par[U], error) { return transform(*cctx, q, fn), nil })
			made.root = merge(made.root, &par[U]{coming: later[U]{f}})
		}
	}
	flush()
	return made
}

// Map returns what fn makes of each element, in the order of the elements: Encore's p >> fn. A leaf.
func Map[T, U any](ctx *rt.Ctx, p Par[T], fn func(cctx **rt.Ctx, v T) (U, error)) Par[U] {
	if fn == nil {
		panic("futures: Map with a nil function")
	}
	return transform(ctx, p, func(cctx **rt.Ctx, in batch[T]) (out batch[U]) {
		out.values = make([]U, 0, len(in.values))
		in.each(nil, func(v T, err error) {
			if err != nil {
				var none U
				out.add(none, err)
				return
			}
			out.add(call(cctx, v, fn))
		})
		return out
	})
}

// Filter returns the elements for which keep is true, in their order. Errors stay. A leaf.
func Filter[T any](ctx *rt.Ctx, p Par[T], keep func(cctx **rt.Ctx, v T) (bool, error)) Par[T] {
	if keep == nil {
		panic("futures: Filter with a nil function")
	}
	return transform(ctx, p, func(cctx **rt.Ctx, in batch[T]) (out batch[T]) {
		in.each(nil, func(v T, err error) {
			kept := true
			if err == nil {
				kept, err = call(cctx, v, keep)
			}
			if kept || err != nil {
				out.add(v, err)
			}
		})
		return out
	})
}

// call calls fn; a panic is its error.
func call[T, U any](cctx **rt.Ctx, v T, fn func(cctx **rt.Ctx, v T) (U, error)) (u U, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = &rt.PanicError{Actor: detachedType.Name, Behaviour: "Par", Value: x, Stack: debug.Stack()}
		}
	}()
	return fn(cctx, v)
}

// Join returns the elements of all collections in p, in the order of those: Encore's join. A collection that is an error is one
// element. A leaf.
func Join[T any](ctx *rt.Ctx, p Par[Par[T]]) Par[T] {
	return LiftPar(detach(ctx, func(cctx **rt.Ctx) (all Par[T], err error) {
		err = p.elements(cctx, func(q Par[T], err error) {
			if err != nil {
				q = failed[T](*cctx, err)
			}
			all.root = merge(all.root, q.root)
		})
		return all, err
	}))
}

// failed is the collection of an error.
func failed[T any](ctx *rt.Ctx, err error) Par[T] {
	var none T
	return Lift(answered(ctx, none, err))
}

// Zip returns what fn makes of the first elements of a and b, of the second, and so on, as long as both have some. Where one of
// the two is an error, that is the element; where both are, a's. A leaf.
func Zip[A, B, U any](ctx *rt.Ctx, a Par[A], b Par[B], fn func(cctx **rt.Ctx, x A, y B) (U, error)) Par[U] {
	if fn == nil {
		panic("futures: Zip with a nil function")
	}
	type pair struct {
		x A
		y B
	}
	lefts, rights := Results(ctx, a), Results(ctx, b)
	return LiftPar(detach(ctx, func(cctx **rt.Ctx) (Par[U], error) {
		xs, err := lefts.Get(cctx)
		if err != nil {
			return Par[U]{}, err
		}
		ys, err := rights.Get(cctx)
		if err != nil {
			return Par[U]{}, err
		}
		n := min(len(xs), len(ys))
		pairs := make([]Result[pair], n)
		for i := range pairs {
			pairs[i].Value = pair{xs[i].Value, ys[i].Value}
			if pairs[i].Err = xs[i].Err; pairs[i].Err == nil {
				pairs[i].Err = ys[i].Err
			}
		}
		return Map(*cctx, Each(pairs), func(cctx **rt.Ctx, r Result[pair]) (u U, err error) {
			if r.Err != nil {
				return u, r.Err
			}
			return fn(cctx, r.Value.x, r.Value.y)
		}), nil
	}))
}
