// Package heap has objects of every form and actors that hold and send them.
package heap

import (
	"fmt"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

// Node is a tree node.
//
//encore:object
type Node struct {
	left, right *Node
	I, J        int32
}

//encore:object
type wide struct {
	Kids    [3]*Node
	samples gc.Slice[float64]
	next    link
	place
	_       int8
	n, ctx  uint16
	ID      [2]complex64
	URLPath bool
}

type link *wide

type place struct{ x, y float32 }

//encore:object
type leaf struct{ A, B int64 }

//encore:object
type huge struct {
	next  *huge
	table [4096]int64
}

//encore:object
type entry struct {
	Name   gc.String
	value  gc.Ref
	trees  gc.Array[Node]
	counts [4]int32
}

type pair struct {
	first  *Node
	second box[*Node]
}

type box[T any] struct{ value T }

type forest struct {
	tree  *Node
	trees []forest
}

//encore:actor
type keeper struct {
	pair
	root    *Node
	alias   link
	data    gc.Slice[int32]
	list    []*Node
	grid    [2][]*Node
	byName  map[string]*Node
	byNode  map[*Node]pair
	sets    []map[*Node]*Node
	woods   forest
	any     struct{ hidden *Node }
	_       *Node
	pending futures.Future[*Node]
	other   Keeper
	f       func(*Node)
	numbers map[string][]int
	title   gc.String
	refs    map[int]gc.Ref
	rows    []gc.Array[Node]
}

// Keep takes a copy of a tree.
//
//encore:behaviour
func (k *keeper) Keep(cctx **rt.Ctx, name string, n *Node) {
	if k.byName == nil {
		k.byName = map[string]*Node{}
	}
	k.byName[name] = n
	k.root = n
}

//encore:behaviour
func (k *keeper) Many(cctx **rt.Ctx, a, b *Node, c *leaf, data gc.Slice[int32], p pair, two [2]*Node) error {
	k.root, k.data, k.pair = b, data, p
	k.list = append(k.list, a, two[0], two[1])
	return nil
}

// Enter keeps what is in an entry, and what goes beside it.
//
//encore:behaviour
func (k *keeper) Enter(cctx **rt.Ctx, e *entry, title gc.String, r gc.Ref, trees gc.Array[Node]) *entry {
	k.title = gc.Concat(*cctx, e.Name, title)
	k.refs = map[int]gc.Ref{0: e.value, 1: r}
	k.rows = []gc.Array[Node]{e.trees, trees}
	return e
}

// Title returns what is kept as one text.
//
//encore:behaviour
func (k *keeper) Title(cctx **rt.Ctx) string {
	text := k.title.String()
	for i := range len(k.refs) {
		text += fmt.Sprint(" ", gc.Cast[Node](k.refs[i]).I)
	}
	for _, row := range k.rows {
		for _, n := range row.All() {
			text += fmt.Sprint(" ", n.I)
		}
	}
	return text
}

// Size counts what Keep was given last.
//
//encore:behaviour
func (k *keeper) Size(cctx **rt.Ctx) int { return k.root.size() }

//encore:behaviour
func (k *keeper) Root(cctx **rt.Ctx) *Node { return k.root }

func (n *Node) size() int {
	if n == nil {
		return 0
	}
	return 1 + n.left.size() + n.right.size()
}

func build(ctx *rt.Ctx, depth int) *Node {
	if depth == 0 {
		return nil
	}
	n := NewNode(ctx, nil, nil, int32(depth), 0)
	n.setLeft(ctx, build(ctx, depth-1))
	n.setRight(ctx, build(ctx, depth-1))
	return n
}

func all(ctx *rt.Ctx, data gc.Slice[float64], n *Node) *wide {
	w := newWide(ctx, [3]*Node{n, nil, n}, data, nil, place{1, 2}, 3, 4, [2]complex64{5, 6}, true)
	w.SetKids(ctx, 1, n)
	w.setNext(ctx, w)
	w.setSamples(ctx, data)
	h := newHuge(ctx, nil, [4096]int64{7})
	h.setNext(ctx, h)
	_ = newLeaf(ctx, 1, 2)
	return w
}

//encore:actor
type builder struct{}

// Build has a tree made and kept, and returns its size as the keeper sees it.
//
//encore:behaviour
func (*builder) Build(cctx **rt.Ctx, to Keeper, depth int) (int, error) {
	ctx := *cctx
	n := build(ctx, depth)
	to.Keep(ctx, "tree", n)
	w := all(ctx, gc.MakeSlice[float64](ctx, 10), n)
	f := gc.Push2(ctx, n, w)
	defer func() { f.Pop(*cctx) }()
	if _, err := to.AskMany(ctx, n, n.left, nil, gc.MakeSlice[int32](ctx, 3), pair{first: n}, [2]*Node{n, n.right}).Await(cctx); err != nil {
		return 0, err
	}
	to.Keep(*cctx, "again", w.Kids[1])
	return to.AskSize(*cctx).Await(cctx)
}

// Churn makes n objects, each of which replaces the one before.
//
//encore:behaviour
func (k *keeper) Churn(cctx **rt.Ctx, n int) int {
	ctx := *cctx
	for i := range n {
		k.root = NewNode(ctx, nil, nil, int32(i), 0)
		k.root.setLeft(ctx, NewNode(ctx, nil, nil, 0, 0))
		if i%10_000 == 0 {
			gc.Safepoint(cctx)
			ctx = *cctx
		}
	}
	return k.root.size()
}

// Hold collects and reuses what was freed before it looks at its arguments, which only its frames hold.
//
//encore:behaviour
func (k *keeper) Hold(cctx **rt.Ctx, a, b, c *Node, p pair, two [2]*Node, data gc.Slice[int32]) int {
	gc.Collect(cctx)
	build(*cctx, 10)
	size := int(data.At(50)) + data.Len()
	for _, n := range []*Node{a, b, c, p.first, p.second.value, two[0], two[1]} {
		size += n.size()
	}
	return size
}

// depth makes trees of so many lines that one which is freed shares none with another.
const depth = 6

// Fill puts an object into every place of the state.
//
//encore:behaviour
func (k *keeper) Fill(cctx **rt.Ctx) {
	ctx := *cctx
	node := func() *Node { return build(ctx, depth) }
	k.root, k.pair = node(), pair{node(), box[*Node]{node()}}
	k.alias = newWide(ctx, [3]*Node{node(), node(), node()}, gc.MakeSlice[float64](ctx, 100), nil, place{}, 0, 0, [2]complex64{}, false)
	k.data = gc.MakeSlice[int32](ctx, 100)
	k.list = append(k.list[:0], node(), node())[:1] // the second is behind the length
	k.grid = [2][]*Node{{node()}, {node(), node()}}
	k.byName = map[string]*Node{"a": node(), "b": node()}
	k.byNode = map[*Node]pair{node(): {node(), box[*Node]{node()}}}
	k.sets = []map[*Node]*Node{{node(): node()}, nil}
	k.woods = forest{node(), []forest{{node(), []forest{{tree: node()}}}}}
	k.any.hidden = node()
}

// Sum collects, reuses what was freed, and counts what Fill has put into the state.
//
//encore:behaviour
func (k *keeper) Sum(cctx **rt.Ctx) int {
	gc.Collect(cctx)
	build(*cctx, 10)
	nodes := []*Node{k.root, k.first, k.second.value, k.list[:2][0], k.list[:2][1], k.byName["a"], k.byName["b"]}
	for _, row := range k.grid {
		nodes = append(nodes, row...)
	}
	for n, p := range k.byNode {
		nodes = append(nodes, n, p.first, p.second.value)
	}
	for n, m := range k.sets[0] {
		nodes = append(nodes, n, m)
	}
	nodes = append(nodes, k.alias.Kids[:]...)
	for f := k.woods; ; f = f.trees[0] {
		if nodes = append(nodes, f.tree); f.trees == nil {
			break
		}
	}
	size := k.alias.samples.Len() + k.data.Len() + k.any.hidden.size()
	for _, n := range nodes {
		size += n.size()
	}
	return size
}

// Held has arguments held across a collection of their receiver.
//
//encore:behaviour
func (*builder) Held(cctx **rt.Ctx, to Keeper) (int, error) {
	ctx := *cctx
	node := func() *Node { return build(ctx, depth) }
	data := gc.MakeSlice[int32](ctx, 100)
	data.Set(50, 5)
	return to.AskHold(ctx, node(), node(), nil, pair{node(), box[*Node]{node()}}, [2]*Node{node(), node()}, data).Await(cctx)
}
