package futures

import (
	"iter"

	"github.com/encorert/encorert/rt"
)

// Par is a parallel collection: elements of which some are there and others will be, in an order that does not depend on which
// comes first. An element is a value or an error. The zero value is empty. A Par is never changed, so it may be copied, shared
// and sent; what is computed of it is computed once, whoever reads it.
//
// Operations that call functions (Map, Filter, Reduce and so on) return at once. Their functions run beside each other, on actors
// of their own: they may capture nothing that anybody changes, and no heap objects. T may be no heap object either. A function
// that returns an error or panics makes an element of that error (an *rt.PanicError), and no other function is called
// with it; Extract, Reduce and others that make one answer of all elements fail with the first error in the order of the elements.
//
// The operations and their signs are those of ParT (Fernandez-Reyes, Clarke, McCain: ParT, an asynchronous parallel abstraction
// for speculative pipeline computations, 2016).
type Par[T any] struct{ root *par[T] }

// par is a node of the tree: one of values, of something that will be there, or of two others. It is not changed once it is made.
type par[T any] struct {
	left, right *par[T]
	values      []T
	coming      coming // one[T], batched[T] or later[T]
}

// coming is what a leaf waits for. Each holds just a future, so that it lies in the interface itself.
type coming interface{ coming() }

type (
	one[T any]     struct{ f Future[T] }        // one element
	batched[T any] struct{ f Future[batch[T]] } // what functions have made of some elements
	later[T any]   struct{ f Future[Par[T]] }   // a collection
)

func (one[T]) coming()     {}
func (batched[T]) coming() {}
func (later[T]) coming()   {}

// batch is some elements whose order is settled.
type batch[T any] struct {
	values []T          // the zero value where there is an error
	errs   []indexedErr // in the order of index
}

type indexedErr struct {
	index int
	err   error
}

// Result is one element.
type Result[T any] struct {
	Value T
	Err   error
}

// Value returns the collection of one value.
func Value[T any](v T) Par[T] { return Each([]T{v}) }

// Each returns the collection of some values, in their order: Encore's each. The slice is the collection's from then on.
func Each[T any](vs []T) Par[T] {
	checkElement[T]()
	if len(vs) == 0 {
		return Par[T]{}
	}
	return Par[T]{&par[T]{values: vs[:len(vs):len(vs)]}}
}

// Lift returns the collection of what a future will be: a value or an error.
func Lift[T any](f Future[T]) Par[T] {
	checkElement[T]()
	f.cell()
	return Par[T]{&par[T]{coming: one[T]{f}}}
}

// LiftPar returns the collection that a future will be. If the future fails, it has one element, the error.
func LiftPar[T any](f Future[Par[T]]) Par[T] {
	checkElement[T]()
	f.cell()
	return Par[T]{&par[T]{coming: later[T]{f}}}
}

func checkElement[T any]() {
	if isObject[T]() {
		panic("futures: a parallel collection of heap objects, which no function could be given beside their actor")
	}
}

// mergeValues is up to how many values of neighbours Merge copies into one leaf: ten million values that are merged one by one
// take 10 bytes each beside themselves, not 136; for each of them half of it are copied.
const mergeValues = 64

// Merge returns the elements of all ps, those of the first first: a ||| b. It takes no time that depends on their sizes.
func Merge[T any](ps ...Par[T]) Par[T] {
	var all Par[T]
	for _, p := range ps {
		all.root = merge(all.root, p.root)
	}
	return all
}

func merge[T any](a, b *par[T]) *par[T] {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case len(a.values) > 0 && len(b.values) > 0 && len(a.values)+len(b.values) <= mergeValues:
		return join(a, b)
	case a.right != nil && len(a.right.values) > 0 && len(b.values) > 0 && len(a.right.values)+len(b.values) <= mergeValues:
		return &par[T]{left: a.left, right: join(a.right, b)}
	}
	return &par[T]{left: a, right: b}
}

func join[T any](a, b *par[T]) *par[T] {
	values := make([]T, 0, len(a.values)+len(b.values))
	return &par[T]{values: append(append(values, a.values...), b.values...)}
}

// walk is what is still to be visited, the next one last. It is a stack of its own, so that a collection may be as deep as memory
// allows.
type walk[T any] []*par[T]

func (w *walk[T]) push(n *par[T]) {
	if n != nil {
		*w = append(*w, n)
	}
}

// next returns the next leaf, in order, or nil behind the last.
func (w *walk[T]) next() *par[T] {
	k := len(*w) - 1
	if k < 0 {
		return nil
	}
	n := (*w)[k]
	*w = (*w)[:k]
	for n.left != nil {
		w.push(n.right)
		n = n.left
	}
	return n
}

// leaves yields the leaves in order.
func (p Par[T]) leaves() iter.Seq[*par[T]] {
	return func(yield func(leaf *par[T]) bool) {
		var w walk[T]
		w.push(p.root)
		for n := w.next(); n != nil && yield(n); n = w.next() {
		}
	}
}

// elements calls f with each element, in order, and waits for those that are not there: in an actor that is there for that. It
// reports an error only if the wait itself has failed.
func (p Par[T]) elements(cctx **rt.Ctx, f func(v T, err error)) error {
	var w walk[T]
	w.push(p.root)
	for n := w.next(); n != nil; n = w.next() {
		switch c := n.coming.(type) {
		case nil:
			for _, v := range n.values {
				f(v, nil)
			}
		case one[T]:
			v, err := c.f.Get(cctx)
			if closing(err) {
				return err
			}
			f(v, err)
		case batched[T]:
			b, err := c.f.Get(cctx)
			if closing(err) {
				return err
			}
			b.each(err, f)
		case later[T]:
			q, err := c.f.Get(cctx)
			switch {
			case closing(err):
				return err
			case err != nil:
				var none T
				f(none, err)
			default:
				w.push(q.root)
			}
		}
	}
	return nil
}

// each calls f with each element of a batch, or with the error that there is instead of it.
func (b batch[T]) each(err error, f func(v T, err error)) {
	if err != nil {
		var none T
		f(none, err)
		return
	}
	errs := b.errs
	for i, v := range b.values {
		if len(errs) > 0 && errs[0].index == i {
			f(v, errs[0].err)
			errs = errs[1:]
			continue
		}
		f(v, nil)
	}
}

func (b *batch[T]) add(v T, err error) {
	if err != nil {
		var none T
		v = none
		b.errs = append(b.errs, indexedErr{len(b.values), err})
	}
	b.values = append(b.values, v)
}
