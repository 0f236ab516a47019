package rt_test

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/encorert/encorert/rt"
)

// greeter is what the generator makes of an annotated type, in short: the runtime's part first, then the state.
type greeter struct {
	rt.Actor
	greeted int
}

var (
	greeterType = rt.ActorType{Name: "example.greeter"}
	greet       = rt.Behaviour{Name: "Greet", Run: func(cctx **rt.Ctx, a *rt.Actor, m *rt.Message) {
		g := (*greeter)(unsafe.Pointer(a))
		g.greeted++
		fmt.Println("greeting", g.greeted, "with", m.W0)
	}}
)

// A run lasts until no actor can do anything any more. Do is for calls from other goroutines.
func Example() {
	r, err := rt.New(rt.Config{Workers: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	g := new(greeter)
	err = r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx // good for leaves, until something takes cctx
		rt.Spawn(ctx, &g.Actor, &greeterType)
		rt.Send(ctx, &g.Actor, rt.Message{B: &greet, W0: 7})
		rt.Send(ctx, &g.Actor, rt.Message{B: &greet, W0: 8})
	})
	fmt.Println("the run has ended:", err)
	err = r.Do(context.Background(), func(cctx **rt.Ctx) {
		fmt.Println("inside, on", (*cctx).Self())
	})
	fmt.Println(err)
	// Output:
	// greeting 1 with 7
	// greeting 2 with 8
	// the run has ended: <nil>
	// inside, on rt.Do
	// <nil>
}
