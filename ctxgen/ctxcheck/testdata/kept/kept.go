// Package kept keeps contexts and context cells where they may not be.
package kept

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"
	"unsafe"

	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/helper"
	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/model"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

type server struct {
	cctx  **rt.Ctx
	ctx   *rt.Ctx
	then  func()
	thens []func()
}

var (
	global     **rt.Ctx
	globalCtx  *rt.Ctx
	globalThen func()
	servers    map[string]*server
	theServer  server
)

func stored(cctx **rt.Ctx, s *server) {
	s.cctx = cctx                 // want `a context cell is kept in the field cctx: the context cell is passed down as an argument and nothing else`
	global = cctx                 // want `a context cell is kept in the global variable global`
	_ = &server{cctx: cctx}       // want `a context cell is kept in the field cctx`
	_ = []**rt.Ctx{cctx}          // want `a context cell is kept in an element`
	_ = map[int]**rt.Ctx{1: cctx} // want `a context cell is kept in a map`
	var local server
	local.cctx = cctx // want `a context cell is kept in the field cctx`
	other := cctx     // another name is none of it
	helper.Wait(other)
}

func given(cctx **rt.Ctx, c chan **rt.Ctx) {
	c <- cctx            // want `a context cell is kept in a channel`
	go helper.Wait(cctx) // want `a context cell is kept by another goroutine`
	fmt.Println(cctx)    // want `a context cell is kept in an interface`
	select {
	case c <- cctx: // want `a context cell is kept in a channel`
	default:
	}
}

func returned(cctx **rt.Ctx) **rt.Ctx {
	return cctx // want `a context cell is kept by the caller`
}

func written(cctx **rt.Ctx, ctx *rt.Ctx) {
	*cctx = ctx // want `a write to the context cell: only the runtime writes it`
	old := *cctx
	old = ctx
	_ = old
}

func address(cctx **rt.Ctx) {
	ctx := *cctx
	helper.Wait(&ctx) // want `the address of a variable that a context is cached in is no context cell`
	s := helper.With{Ctx: *cctx}
	helper.Wait(&s.Ctx) // want `the address of a variable that a context is cached in is no context cell`
	helper.Wait(cctx)
}

func context_(cctx **rt.Ctx, c chan *rt.Ctx) {
	ctx := *cctx
	globalCtx = ctx                                      // want `a context is kept in a global variable, where nobody sees when it is stale`
	theServer.ctx = ctx                                  // want `a context is kept in a global variable`
	servers["a"].ctx = ctx                               // want `a context is kept in a global variable`
	c <- ctx                                             // want `a context is kept in a channel`
	go helper.Leaf(ctx)                                  // want `a context is kept by another goroutine`
	_ = map[string]*rt.Ctx{"": ctx}                      // want `a context is kept in a map`
	_ = context.WithValue(context.Background(), "", ctx) // want `a context is kept by WithValue`
	fmt.Println(ctx == *cctx, ctx)
	var any any = ctx // want `a context is kept in an interface`
	servers[fmt.Sprint()].then = func() { fmt.Println(any) }
}

func literals(cctx **rt.Ctx, s *server, c chan func()) {
	ctx := *cctx
	wait := func() { helper.Wait(cctx) }
	use := func() { helper.Leaf(ctx) }
	use()
	s.then = wait                  // want `a function that captures the context cell cctx is kept in the field then`
	s.then = use                   // want `a function that captures the context ctx is kept in the field then, and may run when that is stale`
	globalThen = wait              // want `a function that captures the context cell cctx is kept in the global variable globalThen`
	s.thens = append(s.thens, use) // want `a function that captures the context ctx is kept in an element`
	c <- wait                      // want `a function that captures the context cell cctx is kept in a channel`
	go wait()                      // want `a function that captures the context cell cctx is kept by another goroutine`
	go func() {                    // want `a function that captures the context ctx is kept by another goroutine`
		helper.Leaf(ctx)
	}()
	time.AfterFunc(1, use) // want `a function that captures the context ctx is kept by time.AfterFunc`
	var group sync.WaitGroup
	group.Go(wait) // want `a function that captures the context cell cctx is kept by group.Go`
	wait()
}

func returnedLiteral(cctx **rt.Ctx) func() {
	return func() { helper.Wait(cctx) } // want `a function that captures the context cell cctx is kept by the caller`
}

func returnedIterator(ctx *rt.Ctx) iter.Seq[int] {
	return func(yield func(int) bool) { // want `a function that captures the context ctx is kept by the caller`
		yield(helper.Leaf(ctx))
	}
}

func pulled(cctx **rt.Ctx) {
	next, stop := iter.Pull(func(yield func(int) bool) { // want `a function that captures the context cell cctx is kept by iter.Pull`
		yield(helper.Wait(cctx))
	})
	defer stop()
	next()
}

func chained(cctx **rt.Ctx, f futures.Future[int]) {
	ctx := *cctx
	futures.Chain(ctx, f, func(cctx **rt.Ctx, v int) (int, error) { return helper.Wait(cctx), nil })
	futures.Chain(ctx, f, func(own **rt.Ctx, v int) (int, error) { return helper.Wait(cctx), nil }) // want `a function that captures the context cell cctx is kept by futures.Chain`
	futures.Chain(ctx, f, func(own **rt.Ctx, v int) (int, error) { return helper.Leaf(ctx), nil })  // want `a function that captures the context ctx is kept by futures.Chain`
	rt.Blocking(cctx, func() { helper.Leaf(ctx) })                                                  // want `a function that captures the context ctx is kept by rt.Blocking`
	rt.Blocking(cctx, func() { time.Sleep(1) })
}

// whoever has no cell to call a function with keeps it for somebody who has.
func later(cctx **rt.Ctx, keep func(func(**rt.Ctx))) {
	ctx := *cctx
	keep(func(cctx **rt.Ctx) { helper.Wait(cctx) })
	keep(func(own **rt.Ctx) { helper.Leaf(ctx) }) // want `a function that captures the context ctx is kept by keep`
}

func wait(fs ...func()) {
	for _, f := range fs {
		f()
	}
}

func variadic(cctx **rt.Ctx) {
	ctx := *cctx
	wait(func() { helper.Wait(cctx) }, func() { helper.Leaf(*cctx) })
	helper.Leaf(ctx) // want `stale context: ctx .*before helper.Wait`
	var fs []func()
	fs = append(fs, func() { helper.Wait(cctx) }) // want `a function that captures the context cell cctx is kept in an element`
	wait(fs...)
}

func hidden(cctx **rt.Ctx) {
	p := unsafe.Pointer(cctx)           // want `a context is converted to what is none`
	q := uintptr(unsafe.Pointer(*cctx)) // want `a context is converted to what is none`
	fmt.Println(p, q)
}

func copied(cctx **rt.Ctx) {
	c := **cctx // want `a copy of a context: it belongs to a worker` `a context that is no worker's`
	helper.Leaf(&c)
	helper.Leaf(new(rt.Ctx)) // want `a context that is no worker's: only the runtime makes them`
}

func both(cctx **rt.Ctx) {
	ctx := *cctx
	helper.EachLeaf(ctx, func(int) {})
	helper.EachLeaf(ctx, func(int) { helper.Wait(cctx) }) // want `helper.EachLeaf .* is given a context and a function that captures the context cell cctx`
}

type holder struct{ n *model.Node }

func (h *holder) with(cctx **rt.Ctx) {}

func methodValue(cctx **rt.Ctx, h *holder, c chan func(**rt.Ctx)) {
	c <- h.with
	n := model.NewNode(*cctx, nil, nil, 1)
	s := n.Size
	go s() // want `a pointer into an actor's heap is kept by another goroutine`
}
