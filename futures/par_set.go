package futures

import "github.com/encorert/encorert/rt"

// Group is the values that have the same key.
type Group[K comparable, T any] struct {
	Key    K
	Values []T // in the order of the elements
}

// GroupBy returns a group for each key that fn gives to a value, in the order in which the keys come first. Errors, of elements and
// of fn, come behind the groups, in their order. A leaf.
func GroupBy[K comparable, T any](ctx *rt.Ctx, p Par[T], fn func(cctx **rt.Ctx, v T) (K, error)) Par[Group[K, T]] {
	if fn == nil {
		panic("futures: GroupBy with a nil function")
	}
	type keyed struct {
		key K
		v   T
	}
	all := Map(ctx, p, func(cctx **rt.Ctx, v T) (keyed, error) {
		k, err := fn(cctx, v)
		return keyed{k, v}, err
	})
	return LiftPar(detach(ctx, func(cctx **rt.Ctx) (Par[Group[K, T]], error) {
		var groups []Group[K, T]
		var errs Par[Group[K, T]]
		at := map[K]int{}
		err := all.elements(cctx, func(e keyed, err error) {
			if err != nil {
				errs = Merge(errs, failed[Group[K, T]](*cctx, err))
				return
			}
			i, ok := at[e.key]
			if !ok {
				i = len(groups)
				at[e.key] = i
				groups = append(groups, Group[K, T]{Key: e.key})
			}
			groups[i].Values = append(groups[i].Values, e.v)
		})
		return Merge(Each(groups), errs), err
	}))
}

// Distinct returns each value once, where it comes first. Errors stay, all of them. A leaf.
func Distinct[T comparable](ctx *rt.Ctx, p Par[T]) Par[T] {
	return sift(ctx, p, func(**rt.Ctx) (func(v T) bool, error) { return once[T](), nil })
}

// Union returns the values that are in a or in b, each once: a's in their order, then what only b has. Errors stay, all of them.
// A leaf.
func Union[T comparable](ctx *rt.Ctx, a, b Par[T]) Par[T] { return Distinct(ctx, Merge(a, b)) }

// Intersection returns the values that are in a and in b, each once, in the order of a. Errors of a stay; of b's the first makes the
// collection that one error, since nobody knows then what is in b. A leaf.
func Intersection[T comparable](ctx *rt.Ctx, a, b Par[T]) Par[T] {
	return sift(ctx, a, func(cctx **rt.Ctx) (func(v T) bool, error) {
		in := map[T]struct{}{}
		err := b.fold(cctx, func(v T) error { in[v] = struct{}{}; return nil })
		first := once[T]()
		return func(v T) bool {
			_, ok := in[v]
			return ok && first(v)
		}, err
	})
}

// once returns a function that is true for each value when it first comes.
func once[T comparable]() func(v T) bool {
	seen := map[T]struct{}{}
	return func(v T) bool {
		_, ok := seen[v]
		seen[v] = struct{}{}
		return !ok
	}
}

// sift returns the errors of p, and the values for which what begin returns is true: asked one after the other, in order.
func sift[T comparable](ctx *rt.Ctx, p Par[T], begin func(cctx **rt.Ctx) (keep func(v T) bool, err error)) Par[T] {
	f := detach(ctx, func(cctx **rt.Ctx) (out batch[T], err error) {
		keep, err := begin(cctx)
		if err != nil {
			return out, err
		}
		err = p.elements(cctx, func(v T, err error) {
			if err != nil || keep(v) {
				out.add(v, err)
			}
		})
		return out, err
	})
	return Par[T]{&par[T]{coming: batched[T]{f}}}
}
