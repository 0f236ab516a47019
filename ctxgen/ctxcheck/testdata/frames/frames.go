// Package frames uses heap pointers after calls that may collect.
package frames

import (
	"unsafe"

	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/helper"
	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/model"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

func bare(cctx **rt.Ctx, f futures.Future[int]) int64 {
	n := model.NewNode(*cctx, nil, nil, 1)
	f.Get(cctx) // want `n points into the heap, is used after f.Get \(frames.go:16\), which may collect, and is in no frame: push it before`
	return n.I
}

func framed(cctx **rt.Ctx, f futures.Future[int]) int64 {
	ctx := *cctx
	n := model.NewNode(ctx, nil, nil, 1)
	frame := gc.Push(ctx, n)
	f.Get(cctx)
	ctx = *cctx
	f.Get(cctx)
	i := n.I
	frame.Pop(*cctx)
	return i
}

func poppedTooEarly(cctx **rt.Ctx, f futures.Future[int]) int64 {
	n := model.NewNode(*cctx, nil, nil, 1)
	frame := gc.Push(*cctx, n)
	f.Get(cctx)
	frame.Pop(*cctx)
	f.Get(cctx) // want `n points into the heap`
	return n.I
}

func pushedTooLate(cctx **rt.Ctx, f futures.Future[int]) int64 {
	n := model.NewNode(*cctx, nil, nil, 1)
	f.Get(cctx) // want `n points into the heap`
	frame := gc.Push(*cctx, n)
	defer func() { frame.Pop(*cctx) }()
	f.Get(cctx)
	return n.I
}

func another(cctx **rt.Ctx, f futures.Future[int]) int64 {
	n, m := model.NewNode(*cctx, nil, nil, 1), model.NewNode(*cctx, nil, nil, 2)
	frame := gc.Push(*cctx, m)
	f.Get(cctx) // want `n points into the heap`
	frame.Pop(*cctx)
	return n.I + m.I
}

func assigned(cctx **rt.Ctx, f futures.Future[int]) int64 {
	n := model.NewNode(*cctx, nil, nil, 1)
	frame := gc.Push(*cctx, n)
	n = model.NewNode(*cctx, nil, nil, 2)
	f.Get(cctx) // want `n points into the heap`
	frame.Pop(*cctx)
	return n.I
}

func parameter(cctx **rt.Ctx, n *model.Node) int64 {
	helper.Wait(cctx) // want `n points into the heap`
	return n.Size()
}

func notUsedAfterwards(cctx **rt.Ctx, n *model.Node) int {
	n.SetLeft(*cctx, nil)
	return helper.Wait(cctx)
}

func onlyCompared(cctx **rt.Ctx, n *model.Node) bool {
	helper.Wait(cctx)
	return n == nil
}

func loop(cctx **rt.Ctx, n *model.Node) (size int64) {
	for n != nil {
		size += n.I
		helper.Wait(cctx) // want `n points into the heap`
		n = n.Left()
	}
	return size
}

func loopFramed(cctx **rt.Ctx, n *model.Node) (size int64) {
	for n != nil {
		frame := gc.Push(*cctx, n)
		size += n.I
		helper.Wait(cctx)
		n = n.Left()
		frame.Pop(*cctx)
	}
	return size
}

func outOfSomeWays(cctx **rt.Ctx, n *model.Node, c bool) int64 {
	frame := gc.Push(*cctx, n)
	if c {
		frame.Pop(*cctx)
	}
	helper.Wait(cctx) // want `n points into the heap`
	return n.I
}

func stacked(cctx **rt.Ctx, a, b, c *model.Node) int64 {
	outer := gc.Push2(*cctx, a, b)
	inner := gc.Push(*cctx, c)
	helper.Wait(cctx)
	sum := c.I
	inner.Pop(*cctx)
	helper.Wait(cctx)
	sum += a.I + b.I
	outer.Pop(*cctx)
	return sum
}

func poppedWithTheOuter(cctx **rt.Ctx, a, b *model.Node) int64 {
	outer := gc.Push(*cctx, a)
	gc.Push(*cctx, b)
	helper.Wait(cctx)
	outer.Pop(*cctx)
	helper.Wait(cctx) // want `a points into the heap` `b points into the heap`
	return a.I + b.I
}

func interior(cctx **rt.Ctx, n *model.Node) int64 {
	i := &n.I
	helper.Wait(cctx) // want `n points into the heap`
	return *i
}

func converted(cctx **rt.Ctx, n *model.Node) int64 {
	p := unsafe.Pointer(n)
	helper.Wait(cctx) // want `n points into the heap`
	return (*model.Node)(p).I
}

func arrays(cctx **rt.Ctx, s gc.Slice[int]) int {
	helper.Wait(cctx) // want `s points into the heap`
	return s.At(1)
}

func arraysFramed(cctx **rt.Ctx, s gc.Slice[int]) int {
	frame := gc.Push(*cctx, (*byte)(s.Root()))
	helper.Wait(cctx)
	i := s.At(1)
	frame.Pop(*cctx)
	return i
}

func arraysData(cctx **rt.Ctx, s gc.Slice[int]) int {
	data := s.Data()
	helper.Wait(cctx) // want `s points into the heap`
	return data[0]
}

type pair struct {
	first  *model.Node
	second [2]*model.Node
	n      int
}

func structs(cctx **rt.Ctx, p pair) int64 {
	frame := gc.Push2(*cctx, p.first, p.second[1])
	helper.Wait(cctx) // want `p points into the heap`
	i := p.first.I + p.second[0].I
	frame.Pop(*cctx)
	return i
}

func structsFramed(cctx **rt.Ctx, p pair) int64 {
	frame := gc.Push3(*cctx, p.first, p.second[0], p.second[1])
	helper.Wait(cctx)
	i := sum(p)
	frame.Pop(*cctx)
	return i
}

func sum(p pair) int64 { return p.first.I + p.second[0].I }

func scalarOfStruct(cctx **rt.Ctx, p pair) int {
	helper.Wait(cctx)
	return p.n
}

func slices(cctx **rt.Ctx, list []*model.Node) (size int64) {
	for _, n := range list {
		size += n.I
		helper.Wait(cctx) // want `list has pointers into the heap and is used after helper.Wait \(.*, which may collect: no frame can hold all of them`
	}
	return size
}

type actor struct {
	rt.Actor
	root *model.Node
	list []*model.Node
}

func (a *actor) state(cctx **rt.Ctx) int64 {
	root := a.root
	helper.Wait(cctx) // want `root points into the heap`
	return root.I
}

func (a *actor) stateAgain(cctx **rt.Ctx) (size int64) {
	for i := range len(a.list) {
		helper.Wait(cctx)
		size += a.list[i].I
	}
	return a.root.I + size
}

func captured(cctx **rt.Ctx) int64 {
	n := model.NewNode(*cctx, nil, nil, 1)
	for range helper.Numbers(3) {
		helper.Wait(cctx) // want `n points into the heap`
		n.I++
	}
	return n.I
}

func capturedFramed(cctx **rt.Ctx) int64 {
	n := model.NewNode(*cctx, nil, nil, 1)
	frame := gc.Push(*cctx, n)
	for range helper.Numbers(3) {
		helper.Wait(cctx)
		n.I++
	}
	i := n.I
	frame.Pop(*cctx)
	return i
}

func framedWithin(cctx **rt.Ctx) (sum int64) {
	var n *model.Node
	for i := range helper.Numbers(3) {
		n = model.NewNode(*cctx, n, nil, int64(i))
		frame := gc.Push(*cctx, n)
		helper.Wait(cctx)
		frame.Pop(*cctx)
	}
	return n.Size()
}

func outside(cctx **rt.Ctx, n *model.Node) int64 {
	for range helper.Numbers(3) {
		helper.Wait(cctx) // want `n points into the heap, is used after helper.Wait`
	}
	return n.I
}

func found(cctx **rt.Ctx, n *model.Node) int64 {
	for i := range helper.Numbers(3) {
		if i == 2 {
			helper.Wait(cctx)
			return 0
		}
	}
	return n.I
}

func deferred(cctx **rt.Ctx, n *model.Node) {
	defer func() { n.I++ }()
	helper.Wait(cctx) // want `n points into the heap`
}

func deferredArgument(cctx **rt.Ctx, n *model.Node) {
	defer n.Size()
	helper.Wait(cctx) // want `n points into the heap`
}

func deferredPop(cctx **rt.Ctx, n *model.Node) int64 {
	frame := gc.Push(*cctx, n)
	defer func() { frame.Pop(*cctx) }()
	helper.Wait(cctx)
	return n.I
}

func anInterface(cctx **rt.Ctx, o gc.Object) {
	helper.Wait(cctx) // want `o points into the heap`
	o.EncoreObject()
}

func generic[T gc.Object](cctx **rt.Ctx, o T) {
	helper.Wait(cctx) // want `o points into the heap`
	o.EncoreObject()
}

func argument(cctx **rt.Ctx) int64 {
	n := model.NewNode(*cctx, nil, nil, 1)
	return within(cctx, n) + n.I // want `n points into the heap`
}

func within(cctx **rt.Ctx, n *model.Node) int64 { return n.I }

func nothing(cctx **rt.Ctx, c bool) int64 {
	var n *model.Node
	helper.Wait(cctx)
	if c {
		return n.Size()
	}
	n = model.NewNode(*cctx, nil, nil, 1)
	return n.Size()
}

func result(cctx **rt.Ctx, f futures.Future[*model.Node]) int64 {
	n, err := f.Get(cctx)
	if err != nil {
		return 0
	}
	return n.I
}

func held(ctx *rt.Ctx, n *model.Node) gc.Frame { return gc.Push(ctx, n) }

func byAnother(cctx **rt.Ctx, n *model.Node) int64 {
	frame := held(*cctx, n)
	helper.Wait(cctx)
	i := n.I
	frame.Pop(*cctx)
	return i
}

func neverPopped(cctx **rt.Ctx, n *model.Node) int64 {
	frame := gc.Push(*cctx, n)
	if helper.Wait(cctx) > 3 {
		return 0 // want `the frame of gc.Push \(frames.go:\d+\) is not popped on the way out here`
	}
	i := n.I
	frame.Pop(*cctx)
	return i
}

func neverPoppedAtAll(cctx **rt.Ctx, n *model.Node) {
	gc.Push(*cctx, n) // want `the frame of gc.Push .* is not popped on the way out here`
	helper.Wait(cctx)
	n.I++
}

func ranges(cctx **rt.Ctx, byName map[string]*model.Node) (size int64) {
	for _, n := range byName {
		size += n.I
		helper.Wait(cctx) // want `byName has pointers into the heap`
	}
	return size
}

func ranged(cctx **rt.Ctx, names map[string]int) (size int) {
	for _, n := range names {
		size += n
		helper.Wait(cctx)
	}
	return size
}

type box[T any] struct{ value T }

func (b *box[T]) swap(cctx **rt.Ctx, v T) T {
	helper.Wait(cctx) // want `v points into the heap`
	old := b.value
	b.value = v
	return old
}

func instance(cctx **rt.Ctx, b *box[*model.Node], c *box[int]) {
	b.swap(cctx, nil)
	c.swap(cctx, 1)
}

// What a behaviour is given is held by the function that runs it.
func run(cctx **rt.Ctx, a *rt.Actor, m *rt.Message) {
	ctx := *cctx
	n := (*model.Node)(m.P0)
	frame := gc.Push(ctx, n)
	(*actor)(unsafe.Pointer(a)).behaviour(cctx, n)
	ctx = *cctx
	frame.Pop(ctx)
}

func (a *actor) behaviour(cctx **rt.Ctx, n *model.Node) {
	helper.Wait(cctx)
	n.I++
	n = model.NewNode(*cctx, nil, nil, 1)
	helper.Wait(cctx) // want `n points into the heap`
	n.I++
}

func runBare(cctx **rt.Ctx, a *rt.Actor, m *rt.Message) {
	n := (*model.Node)(m.P0)
	(*actor)(unsafe.Pointer(a)).behaviour(cctx, n) // want `n points into the heap and goes to a behaviour, in no frame|n points into the heap and goes to a behaviour, .*behaviour`
}

func chained(ctx *rt.Ctx, f futures.Future[*model.Node]) {
	futures.Chain(ctx, f, func(cctx **rt.Ctx, n *model.Node) (int64, error) {
		helper.Wait(cctx)
		return n.I, nil
	})
	own := func(cctx **rt.Ctx, n *model.Node) int64 {
		helper.Wait(cctx) // want `n points into the heap`
		return n.I
	}
	_ = own
}
