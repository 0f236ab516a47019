// Package clean is full of what looks like a fault and is none.
package clean

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/helper"
	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/model"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

var errNo = errors.New("no")

// Deferred clean-up loads the context when it runs.
func cleanup(cctx **rt.Ctx, mu *rt.Mutex, f futures.Future[*model.Node]) (size int64, err error) {
	if err := mu.Lock(cctx); err != nil {
		return 0, err
	}
	defer func() { mu.Unlock(*cctx) }()
	n, err := f.Get(cctx)
	if err != nil {
		return 0, err
	}
	frame := gc.Push(*cctx, n)
	defer func() {
		frame.Pop(*cctx)
		if recover() != nil {
			err = errNo
		}
	}()
	for range 3 {
		if err := rt.Suspend(cctx); err != nil {
			return 0, err
		}
		size += n.Size()
	}
	return size, nil
}

// Deferred calls that take the cell.
func ends(cctx **rt.Ctx, f futures.Future[int]) {
	defer helper.Wait(cctx)
	defer rt.Suspend(cctx)
	ctx := *cctx
	helper.Leaf(ctx)
}

// A deferred leaf with a context that nothing makes stale.
func leafs(ctx *rt.Ctx) {
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	defer helper.Leaf(ctx)
	helper.Leaf(ctx)
}

// Literals that leafs call use the context they capture.
func sorted(ctx *rt.Ctx, list []*model.Node) *model.Node {
	sort.Slice(list, func(i, j int) bool { return helper.Leaf(ctx) > 0 && list[i].I < list[j].I })
	slices.SortFunc(list, func(a, b *model.Node) int { return int(a.I - b.I) })
	i := slices.IndexFunc(list, func(n *model.Node) bool { return n.I > int64(helper.Leaf(ctx)) })
	if i < 0 {
		return nil
	}
	return list[i]
}

// Iterators over functions: leafs, nested, with every way out.
func iterate(cctx **rt.Ctx) (sum int) {
	ctx := *cctx
outer:
	for i := range helper.Numbers(3) {
		for j := range helper.Numbers(3) {
			switch {
			case i+j == 1:
				continue outer
			case i+j == 2:
				continue
			case i+j == 3:
				break outer
			}
			sum += helper.Leaf(ctx)
			defer helper.Leaf(ctx)
		}
		if i == 7 {
			return helper.Leaf(ctx)
		}
	}
	return sum + helper.Leaf(ctx)
}

func iterateAndWait(cctx **rt.Ctx, all []futures.Future[*model.Node]) (last *model.Node, err error) {
	for _, f := range all {
		for range helper.Numbers(2) {
			n, err := f.Await(cctx)
			if err != nil {
				return nil, err
			}
			last = model.NewNode(*cctx, n, nil, n.I)
			if last.I > 3 {
				break
			}
		}
		last = nil
	}
	return last, nil
}

// Generic code.
type tree[T any] struct {
	left, right *tree[T]
	value       T
}

func (t *tree[T]) each(cctx **rt.Ctx, f func(cctx **rt.Ctx, v T) error) error {
	if t == nil {
		return nil
	}
	if err := t.left.each(cctx, f); err != nil {
		return err
	}
	if err := f(cctx, t.value); err != nil {
		return err
	}
	return t.right.each(cctx, f)
}

func fold[T, U any, S ~[]T](ctx *rt.Ctx, list S, zero U, f func(*rt.Ctx, U, T) U) U {
	for _, v := range list {
		zero = f(ctx, zero, v)
	}
	return zero
}

func useFold(ctx *rt.Ctx) int {
	return fold(ctx, []int{1}, 0, func(ctx *rt.Ctx, sum, n int) int { return sum + n + helper.Leaf(ctx) })
}

// Actor state is traced: what is read from it anew needs no frame.
type actor struct {
	rt.Actor
	root  *model.Node
	list  []*model.Node
	names map[string]*model.Node
	done  func(cctx **rt.Ctx)
}

func (a *actor) work(cctx **rt.Ctx) error {
	ctx := *cctx
	a.root = model.NewNode(ctx, a.root, nil, 1)
	a.list = append(a.list, a.root)
	a.names["a"] = a.root
	a.done = func(cctx **rt.Ctx) { helper.Wait(cctx) }
	a.done(cctx)
	if a.root.Size() > 3 {
		return fmt.Errorf("%d nodes", a.root.Size())
	}
	for i := range a.list {
		helper.Wait(cctx)
		a.list[i].I++
	}
	return nil
}

// A new runtime, on a goroutine of its own, has contexts of its own.
func start(n int) error {
	r, err := rt.New(rt.Config{})
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		done <- r.Run(func(cctx **rt.Ctx) {
			ctx := *cctx
			for range n {
				helper.Leaf(ctx)
			}
			helper.Wait(cctx)
		})
	}()
	return <-done
}

// A goroutine gets what it needs, and no context.
func goroutine(cctx **rt.Ctx) (int, error) {
	ctx := *cctx
	runtime := ctx.Runtime()
	result := 0
	err := rt.Blocking(cctx, func() { result = runtime.Stats().Workers })
	return result, err
}

// Closures of closures.
func closures(cctx **rt.Ctx) int {
	ctx := *cctx
	helper.Leaf(ctx)
	get := func(ctx *rt.Ctx) func() int {
		n := helper.Leaf(ctx)
		return func() int { return n }
	}
	wait := func() {
		func() { helper.Wait(cctx) }()
		ctx = *cctx
	}
	wait()
	n := get(ctx)
	wait()
	return n() + get(ctx)()
}
