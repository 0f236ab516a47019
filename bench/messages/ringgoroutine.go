package messages

import (
	"time"
	"unsafe"

	"github.com/encorert/encorert/bench/goroutines"
)

// goNode is the node as a goroutine.
type goNode struct {
	goroutines.Actor
	next  *goNode
	hops  int64
	ended chan<- struct{}
}

// Descriptors of the messages; init breaks the cycle between them and what they call.
var (
	chanPass  = goroutines.Behaviour{Name: "Pass"} // by channel
	slicePass = goroutines.Behaviour{Name: "Pass"} // by slice
)

func init() {
	chanPass.Run = func(a *goroutines.Actor, m *goroutines.Message) {
		if n := nodeAt(a); n.more(m.W0) {
			goroutines.SendChannel(a, &n.next.Actor, goroutines.Message{B: &chanPass, W0: m.W0 - 1})
		}
	}
	slicePass.Run = func(a *goroutines.Actor, m *goroutines.Message) {
		if n := nodeAt(a); n.more(m.W0) {
			goroutines.SendSlice(&n.next.Actor, goroutines.Message{B: &slicePass, W0: m.W0 - 1})
		}
	}
}

// nodeAt is the cast of generated code: both behaviours are sent to nodes only, which begin with their Actor.
func nodeAt(a *goroutines.Actor) *goNode { return (*goNode)(unsafe.Pointer(a)) }

// more counts a hop and reports whether there is another one.
func (n *goNode) more(left uint64) bool {
	n.hops++
	if left == 0 {
		n.ended <- struct{}{}
	}
	return left != 0
}

// runGoRing runs a repetition.
func runGoRing(p ringParams, kind goroutines.Kind) (hops int64, took time.Duration) {
	ended := make(chan struct{}, p.Tokens)
	nodes := make([]*goNode, p.Nodes)
	for i := range nodes {
		nodes[i] = &goNode{ended: ended}
	}
	group := goroutines.NewGroup(kind)
	for i, n := range nodes {
		n.next = nodes[(i+1)%len(nodes)]
		group.Start(&n.Actor, 2*p.Tokens/p.Nodes+4) // twice what waits on average
	}
	pass := &chanPass
	if kind == goroutines.Slice {
		pass = &slicePass
	}
	start := time.Now()
	for i := range p.Tokens {
		goroutines.Inject(&nodes[i%len(nodes)].Actor, goroutines.Message{B: pass, W0: uint64(p.Hops - 1)})
	}
	for range p.Tokens {
		<-ended
	}
	took = time.Since(start)
	group.Stop()
	for _, n := range nodes {
		hops += n.hops
	}
	return hops, took
}
