package gc_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

// Node and its glue are what ctxgen generates for a type with two references, written by hand.
type Node struct {
	left, right *Node
	I, J        int32
}

type nodeBits struct {
	left, right uintptr
	I, J        int32
}

var (
	nodeType   = gc.NewType("test.Node", unsafe.Sizeof(Node{}), unsafe.Offsetof(Node{}.left), unsafe.Offsetof(Node{}.right))
	nodeHeader = nodeType.Header()
)

const nodeSize = gc.HeaderSize + unsafe.Sizeof(Node{})

func (*Node) EncoreObject() {}

func NewNode(ctx *rt.Ctx, left, right *Node, i, j int32) *Node {
	n := gc.Alloc(ctx, nodeSize, nodeHeader, gc.Refill)
	*(*nodeBits)(n) = nodeBits{uintptr(unsafe.Pointer(left)), uintptr(unsafe.Pointer(right)), i, j}
	return (*Node)(n)
}

func (n *Node) setLeft(ctx *rt.Ctx, v *Node) {
	gc.Barrier(ctx, unsafe.Pointer(n), unsafe.Pointer(v))
	*(*uintptr)(unsafe.Pointer(&n.left)) = uintptr(unsafe.Pointer(v))
}

// tree builds a full tree whose nodes are numbered, bottom up.
func tree(ctx *rt.Ctx, depth int, next *int32) *Node {
	if depth < 0 {
		return nil
	}
	l := tree(ctx, depth-1, next)
	r := tree(ctx, depth-1, next)
	*next++
	return NewNode(ctx, l, r, *next, -*next)
}

// sum counts the nodes of a tree and checks each.
func sum(t *testing.T, n *Node) int {
	if n == nil {
		return 0
	}
	require.Equal(t, n.I, -n.J, "the node was overwritten")
	return sum(t, n.left) + sum(t, n.right) + 1
}

// holder is an actor that keeps one tree in its state.
type holder struct {
	rt.Actor
	root *Node
	data gc.Slice[float64]
}

var holderType = rt.ActorType{Name: "test.holder", Trace: func(a *rt.Actor, t *gc.Tracer) {
	h := (*holder)(unsafe.Pointer(a))
	t.Mark(unsafe.Pointer(h.root))
	t.Mark(h.data.Root())
}}

type step struct {
	f    func(cctx **rt.Ctx, h *holder, arg *Node)
	frag *gc.Fragment
	arg  *Node
}

var runStep = rt.Behaviour{Name: "Step", Run: func(cctx **rt.Ctx, a *rt.Actor, m *rt.Message) {
	s := (*step)(m.P0)
	m.P0 = nil
	ctx := *cctx
	gc.Adopt(ctx, s.frag)
	arg := s.arg
	f := gc.Push(ctx, arg)
	s.f(cctx, (*holder)(unsafe.Pointer(a)), arg)
	f.Pop(*cctx)
}}

func newHolder(ctx *rt.Ctx) *holder {
	h := new(holder)
	rt.Spawn(ctx, &h.Actor, &holderType)
	return h
}

// step sends h a behaviour to run, with a tree that is copied to it.
func (h *holder) step(ctx *rt.Ctx, arg *Node, f func(cctx **rt.Ctx, h *holder, arg *Node)) {
	s := &step{f: f, arg: arg}
	s.frag = gc.CopyOut(ctx, (*unsafe.Pointer)(unsafe.Pointer(&s.arg)))
	rt.Send(ctx, &h.Actor, rt.Message{B: &runStep, P0: unsafe.Pointer(s)})
}

// in runs f as the behaviour of a holder, to the end of the run.
func in(t *testing.T, cfg rt.Config, f func(cctx **rt.Ctx, h *holder)) (rt.Stats, error) {
	t.Helper()
	r, err := rt.New(cfg)
	require.NoError(t, err)
	defer r.Close()
	ended := make(chan error, 1)
	go func() {
		ended <- r.Run(func(cctx **rt.Ctx) {
			newHolder(*cctx).step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) { f(cctx, h) })
		})
	}()
	select {
	case err = <-ended:
	case <-time.After(60 * time.Second):
		require.FailNow(t, "it hangs")
	}
	return r.Stats(), err
}
