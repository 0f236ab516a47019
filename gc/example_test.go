package gc_test

import (
	"fmt"
	"unsafe"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

// Node is an object type, NewNode its generated constructor. A pointer that is held across a call that may collect
// needs a frame; one that is in the actor's state, or reached from such a one, does not.
func Example() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	err = r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		leaf := NewNode(ctx, nil, nil, 1, 10)
		root := NewNode(ctx, leaf, nil, 2, 20) // allocation never collects
		f := gc.Push(ctx, root)                // leaf is reached from root
		gc.Collect(cctx)
		fmt.Println(root.I, root.left.J)
		f.Pop(*cctx)
	})
	fmt.Println(err)
	// Output:
	// 2 10
	// <nil>
}

// What Isolate builds lies apart, so that MoveOut can give it to another actor without a copy; what ShareOut sends is not copied either, and
// immutable from then on. Generated sends call these for parameters that are annotated iso and val.
func ExampleIsolate() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	err = r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		given := gc.Isolate(ctx, func(ctx *rt.Ctx) *Node { return NewNode(ctx, nil, nil, 1, 10) })
		shared := NewNode(ctx, nil, nil, 2, 20)
		a, b := unsafe.Pointer(given), unsafe.Pointer(shared)
		message := gc.MoveOut(ctx, gc.ShareOut(ctx, nil, &b), &a)
		gc.Adopt(ctx, message) // the receiver does; here it comes back
		fmt.Println((*Node)(a).I, a == unsafe.Pointer(given), (*Node)(b).I, b == unsafe.Pointer(shared))
	})
	fmt.Println(err)
	// Output:
	// 1 true 2 true
	// <nil>
}
