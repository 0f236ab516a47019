// Package objects makes, copies and changes objects past their heap.
package objects

import (
	"unsafe"

	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/model"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

type box[T any] struct{ value T }

func made(ctx *rt.Ctx) {
	use(new(model.Node))  // want `model.Node is an object of an actor's heap, and here it would be on Go's: make it with its constructor`
	_ = &model.Node{I: 1} // want `model.Node is an object of an actor's heap, and here it would be on Go's`
	var n model.Node      // want `model.Node is an object of an actor's heap, and here it would be on Go's`
	n.I++
	_ = make([]model.Node, 3)    // want `model.Node is an object of an actor's heap and cannot be an element by value|here it would be on Go's`
	_ = make(map[int]model.Node) // want `model.Node is an object of an actor's heap and cannot be an element by value`
	use(new(box[model.Leaf]))    // want `model.Leaf is an object of an actor's heap, and here it would be on Go's`
	use(new(box[*model.Leaf]))
	_ = make([]*model.Node, 3)
	_ = model.NewNode(ctx, nil, nil, 1)
}

func use(any) {}

func copied(n *model.Node, l *model.Leaf) int64 {
	m := *n               // want `a copy of model.Node, an object of an actor's heap` `model.Node is an object of an actor's heap, and here it would be on Go's`
	*l = model.Leaf{A: 1} // want `a whole model.Leaf, an object of an actor's heap, is overwritten` `here it would be on Go's` `a copy of model.Leaf`
	return m.I
}

func overwritten(a, b *model.Leaf) {
	*a = *b // want `a copy of model.Leaf, an object` `a whole model.Leaf, an object of an actor's heap, is overwritten`
}

func assigned(ctx *rt.Ctx, n *model.Node) {
	n.Kids[0] = n                               // want `the pointer field Kids of an object is assigned: store it with its setter`
	n.Kids = [2]*model.Node{}                   // want `the pointer field Kids of an object is assigned`
	for _, n.Kids[1] = range []*model.Node{n} { // want `the pointer field Kids of an object is assigned`
	}
	n.I = 3
	n.SetKids(ctx, 0, n)
	n.SetLeft(ctx, n.Kids[1])
}

func addressed(ctx *rt.Ctx, n *model.Node) {
	set(&n.Kids[0])   // want `the address of the pointer field Kids of an object is taken`
	change(n.Kids[:]) // want `the address of the pointer field Kids of an object is taken`
	count(&n.I)
	list := append([]*model.Node(nil), n.Kids[:]...)
	for _, kid := range n.Kids[:] {
		list = append(list, kid)
	}
	copy(list, n.Kids[:1])
}

func change(list []*model.Node) { list[0] = nil }
func set(p **model.Node)        { *p = nil }
func count(i *int64)            { *i++ }

func withoutBarrier(ctx *rt.Ctx, n, v *model.Node) {
	*(*uintptr)(unsafe.Pointer(&n.Kids[0])) = uintptr(unsafe.Pointer(v)) // want `the pointer field Kids of an object is stored without gc.Barrier`
}

func barrierOfAnother(ctx *rt.Ctx, n, v *model.Node) {
	gc.Barrier(ctx, unsafe.Pointer(v), unsafe.Pointer(v))
	*(*uintptr)(unsafe.Pointer(&n.Kids[0])) = uintptr(unsafe.Pointer(v)) // want `the pointer field Kids of an object is stored without gc.Barrier`
}

func barrierOnOneWay(ctx *rt.Ctx, n, v *model.Node, c bool) {
	if c {
		gc.Barrier(ctx, unsafe.Pointer(n), unsafe.Pointer(v))
	}
	*(*uintptr)(unsafe.Pointer(&n.Kids[0])) = uintptr(unsafe.Pointer(v)) // want `the pointer field Kids of an object is stored without gc.Barrier`
}

func withBarrier(ctx *rt.Ctx, n, v *model.Node) {
	gc.Barrier(ctx, unsafe.Pointer(n), unsafe.Pointer(v))
	*(*uintptr)(unsafe.Pointer(&n.Kids[0])) = uintptr(unsafe.Pointer(v))
	_ = unsafe.Sizeof(*n)
}
