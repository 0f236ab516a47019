package messages

import (
	"context"
	"time"

	"github.com/encorert/encorert/rt"
)

// node is an actor of a ring.
//
//encore:actor
type node struct {
	next  Node
	hops  int64           // that ended here
	ended chan<- struct{} // has room for every token
}

//encore:new
func (n *node) init(cctx **rt.Ctx, ended chan<- struct{}) { n.ended = ended }

// Meet closes the ring.
//
//encore:behaviour
func (n *node) Meet(cctx **rt.Ctx, next Node) { n.next = next }

// Pass passes a token on that has left more hops to make.
//
//encore:behaviour
func (n *node) Pass(cctx **rt.Ctx, left int64) {
	n.hops++
	if left == 0 {
		n.ended <- struct{}{}
		return
	}
	n.next.Pass(*cctx, left-1)
}

// Hops returns how many hops ended here.
//
//encore:behaviour
func (n *node) Hops(cctx **rt.Ctx) int64 { return n.hops }

// await receives from an actor's channel, unless the runtime has stopped.
func await[T any](r *rt.Runtime, from <-chan T) (value T, _ error) {
	select {
	case value = <-from:
		return value, nil
	case <-r.Done():
		return value, r.Err()
	}
}

// runRing runs a repetition on a runtime of its own.
func runRing(p ringParams) (hops int64, took time.Duration, _ error) {
	r, err := rt.New(rt.Config{Workers: p.Workers})
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	nodes := make([]Node, p.Nodes)
	ended := make(chan struct{}, p.Tokens)
	err = r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		for i := range nodes {
			nodes[i] = NewNode(ctx, ended)
		}
		for i, n := range nodes {
			n.Meet(ctx, nodes[(i+1)%len(nodes)])
		}
	})
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	err = r.Do(context.Background(), func(cctx **rt.Ctx) {
		for i := range p.Tokens {
			nodes[i%len(nodes)].Pass(*cctx, p.Hops-1)
		}
	})
	if err != nil {
		return 0, 0, err
	}
	for range p.Tokens {
		if _, err := await(r, ended); err != nil {
			return 0, 0, err
		}
	}
	took = time.Since(start)
	var failed error
	err = r.Run(func(cctx **rt.Ctx) {
		for _, n := range nodes {
			h, err := n.AskHops(*cctx).Get(cctx)
			if err != nil {
				failed = err
			}
			hops += h
		}
	})
	if err == nil {
		err = failed
	}
	return hops, took, err
}
