// Package model has what ctxgen generates for an object type, for the other inputs.
package model

import (
	"unsafe"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

type Node struct {
	left, right *Node
	Kids        [2]*Node
	I           int64
}

type nodeBits struct {
	left, right uintptr
	kids        [2]uintptr
	I           int64
}

var (
	nodeType   = gc.NewType("model.Node", unsafe.Sizeof(Node{}), 0, 8, 16, 24)
	nodeHeader = nodeType.Header()
)

const nodeSize = gc.HeaderSize + unsafe.Sizeof(Node{})

func (*Node) EncoreObject() {}

func NewNode(ctx *rt.Ctx, left, right *Node, i int64) *Node {
	n := gc.Alloc(ctx, nodeSize, nodeHeader, gc.Refill)
	*(*nodeBits)(n) = nodeBits{left: uintptr(unsafe.Pointer(left)), right: uintptr(unsafe.Pointer(right)), I: i}
	return (*Node)(n)
}

func (n *Node) SetLeft(ctx *rt.Ctx, v *Node) {
	gc.Barrier(ctx, unsafe.Pointer(n), unsafe.Pointer(v))
	*(*uintptr)(unsafe.Pointer(&n.left)) = uintptr(unsafe.Pointer(v))
}

func (n *Node) SetKids(ctx *rt.Ctx, i int, v *Node) {
	gc.Barrier(ctx, unsafe.Pointer(n), unsafe.Pointer(v))
	*(*uintptr)(unsafe.Pointer(&n.Kids[i])) = uintptr(unsafe.Pointer(v))
}

func (n *Node) Left() *Node { return n.left }
func (n *Node) Size() int64 {
	if n == nil {
		return 0
	}
	return 1 + n.left.Size() + n.right.Size()
}

type Leaf struct{ A, B int64 }

func (*Leaf) EncoreObject() {}

func NewLeaf(ctx *rt.Ctx, a, b int64) *Leaf {
	n := gc.Alloc(ctx, nodeSize, nodeHeader, gc.Refill)
	*(*Leaf)(n) = Leaf{A: a, B: b}
	return (*Leaf)(n)
}

// Keeper is the handle of an actor that objects are given to.
type Keeper struct{ a *keeperActor }

type keeperActor struct {
	rt.Actor
	state struct{}
}

func (Keeper) EncoreGiven(NewKeeper struct{ p1 bool }, Give struct{ p2 bool }) {}

func NewKeeper(ctx *rt.Ctx, n *Node) Keeper        { return Keeper{} }
func (Keeper) Give(ctx *rt.Ctx, i int, n *Node)    {}
func (Keeper) AskGive(ctx *rt.Ctx, i int, n *Node) {}
func (Keeper) Keep(ctx *rt.Ctx, n *Node)           {}
