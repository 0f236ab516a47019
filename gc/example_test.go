package gc_test

import (
	"fmt"

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
