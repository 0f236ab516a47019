package futures

import (
	"sync/atomic"

	"github.com/encorert/encorert/rt"
)

// All returns the future of the answers of all fs, in their order. It fails with the first error that one of them has, as
// soon as that is there. A leaf; of no futures, it is answered at once. Until each of fs is answered, 60 bytes stay with
// it, also if All has failed.
//
// T may not be a pointer to a heap object: a slice cannot hold those. Settled serves for them.
func All[T any](ctx *rt.Ctx, fs ...Future[T]) Future[[]T] {
	if isObject[T]() {
		panic("futures: All of heap objects, which a slice cannot hold; use Settled, and read each of them then")
	}
	a := &all[T, []T]{values: make([]T, len(fs)), judge: allValues[T]}
	return a.start(ctx, fs)
}

// Settled returns a future that is answered when all fs are, with how many of them have failed. Each can then be read without
// a wait. A leaf; otherwise as All.
func Settled[T any](ctx *rt.Ctx, fs ...Future[T]) Future[int] {
	a := &all[T, int]{judge: allSettled[T]}
	return a.start(ctx, fs)
}

// all is what waits for several futures. It is apart from the cell that it answers, so that a future that is kept does not
// keep it.
type all[T, U any] struct {
	derived *cell[U]
	// judge is called when i is answered, or once with none, if there are no futures. It reports whether it has claimed the
	// derived one and written its answer.
	judge func(a *all[T, U], i int, from *cell[T], none bool) bool
	// values are those of All. Writers: each part its own, before it takes itself from missing. Readers: the last part.
	values []T
	failed atomic.Int64 // of Settled; pairs with missing, as values
	// missing is how many are not answered. Writers: parts, by read-modify-write, which makes visible to the last part what the
	// others have written before.
	missing atomic.Int64
}

// part is one of the futures. It is a relay to the derived one.
type part[T, U any] struct {
	node
	all  *all[T, U]
	from *cell[T]
	i    int
}

func (a *all[T, U]) start(ctx *rt.Ctx, fs []Future[T]) Future[U] {
	ctx.CheckLeaf()
	a.derived = new(cell[U])
	a.derived.init(ctx, nil, nil)
	a.missing.Store(int64(len(fs)))
	derived := a.derived
	parts := make([]part[T, U], len(fs))
	for i, f := range fs {
		p := &parts[i]
		p.all, p.from, p.i = a, f.cell(), i
		p.from.check(ctx)
		p.reaction = p
	}
	for i := range parts {
		parts[i].from.react(ctx, &parts[i].node)
	}
	if len(fs) == 0 && a.judge(a, -1, nil, true) {
		rt.Flush(ctx)
		derived.publish(ctx)
	}
	return Future[U]{derived}
}

func (p *part[T, U]) told(*rt.Ctx) *rt.Waiter { return &p.Waiter }

func (p *part[T, U]) pass(*rt.Ctx) *header {
	a := p.all
	if !a.judge(a, p.i, p.from, false) {
		return nil
	}
	return &a.derived.header
}

// counted counts a part, and reports whether it was the last. none says that there are no parts.
func (a *all[T, U]) counted(none bool) bool { return none || a.missing.Add(-1) == 0 }

func allValues[T any](a *all[T, []T], i int, from *cell[T], none bool) bool {
	if !none {
		if from.err != nil {
			if !a.derived.claim() {
				return false
			}
			a.derived.err = from.err
			return true
		}
		a.values[i] = from.value
	}
	if !a.counted(none) || !a.derived.claim() {
		return false
	}
	a.derived.value = a.values
	return true
}

func allSettled[T any](a *all[T, int], _ int, from *cell[T], none bool) bool {
	if !none && from.err != nil {
		a.failed.Add(1)
	}
	if !a.counted(none) || !a.derived.claim() {
		return false
	}
	a.derived.value = int(a.failed.Load())
	return true
}
