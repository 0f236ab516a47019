// Package places keeps heap pointers where no collection sees them.
package places

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/helper"
	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/model"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

type actor struct {
	rt.Actor
	root   *model.Node
	byName map[string]*model.Node
	data   gc.Slice[int]
	any    any
}

type cache struct {
	node  *model.Node
	nodes []*model.Node
}

var (
	root   *model.Node
	byName = map[string]*model.Node{} // want `a pointer into an actor's heap is kept in a global variable`
	nodes  []*model.Node
	data   gc.Slice[int]
	shared cache
	behind *cache
	last   atomic.Pointer[model.Node]
	all    sync.Map
	pool   sync.Pool
)

func globals(ctx *rt.Ctx, s gc.Slice[int]) {
	n := model.NewNode(ctx, nil, nil, 1)
	root = n                 // want `a pointer into an actor's heap is kept in a global variable, where no collection sees it`
	byName["a"] = n          // want `a pointer into an actor's heap is kept in a global map`
	nodes = append(nodes, n) // want `a pointer into an actor's heap is kept in a global variable`
	data = s                 // want `a pointer into an actor's heap is kept in a global variable`
	shared.node = n          // want `a pointer into an actor's heap is kept in a global variable`
	behind.node = n          // want `a pointer into an actor's heap is kept in a global variable`
	last.Store(n)            // want `a pointer into an actor's heap is kept by Store`
	all.Store("a", n)        // want `a pointer into an actor's heap is kept by Store`
	pool.Put(n)              // want `a pointer into an actor's heap is kept by Put`
	root = nil
}

func (a *actor) state(ctx *rt.Ctx, s gc.Slice[int]) {
	n := model.NewNode(ctx, nil, nil, 1)
	a.root = n
	a.byName["a"] = n
	a.data = s
	a.any = n // want `a pointer into an actor's heap is kept in an interface`
	local := map[*model.Node]bool{n: true}
	fmt.Println(len(local), n)
	var o gc.Object = n
	o.EncoreObject()
}

func channels(ctx *rt.Ctx, c chan *model.Node, d chan any) {
	n := model.NewNode(ctx, nil, nil, 1)
	c <- n // want `a pointer into an actor's heap is kept in a channel`
	d <- n // want `a pointer into an actor's heap is kept in an interface`
	select {
	case c <- n: // want `a pointer into an actor's heap is kept in a channel`
	default:
	}
}

func goroutines(ctx *rt.Ctx) {
	n := model.NewNode(ctx, nil, nil, 1)
	go n.Size() // want `a pointer into an actor's heap is kept by another goroutine`
	go func() { // want `a function that captures n, which points into an actor's heap, is kept by another goroutine`
		n.I++
	}()
	i := n.I
	go func() { fmt.Println(i) }()
}

func literals(cctx **rt.Ctx, f futures.Future[int]) func() int64 {
	ctx := *cctx
	n := model.NewNode(ctx, nil, nil, 1)
	futures.Chain(ctx, f, func(cctx **rt.Ctx, v int) (int, error) { // want `a function that captures n, which points into an actor's heap, is kept by futures.Chain .*ChainWith`
		return int(n.I), nil
	})
	futures.ChainWith(ctx, f, n, func(cctx **rt.Ctx, v int, n *model.Node) (int, error) { return int(n.I), nil })
	helper.Each(func(i int) bool { return n.I > 0 })
	return func() int64 { return n.I } // want `a function that captures n, which points into an actor's heap, is kept by the caller`
}
