// Package stores stores references without setters.
package stores

import (
	"sort"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

//encore:object
type node struct {
	next *node
	kids many
	data gc.Slice[int32]
	pair struct{ first *node }
	n    int
	*base
}

//encore:object
type base struct{ up *base }

type many [4]*node

func (m *many) Len() int           { return len(m) }
func (m *many) Less(i, j int) bool { return i < j }
func (m *many) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }

//encore:actor
type actor struct {
	root *node
	list []*node
}

type wrap struct{ *node }

//encore:behaviour
func (a *actor) Do(cctx **rt.Ctx) {
	x, y, i := a.root, a.root.next, 1
	x.next = y
	(*x).next = y
	x.next.next = nil
	a.root.next = y
	a.list[0].next = y
	x.kids[i] = y
	x.kids[i+1], x.next = y, y
	x.kids = many{}
	x.data = gc.MakeSlice[int32](*cctx, 1)
	x.pair.first = y
	x.pair = struct{ first *node }{}
	x.next, y = y, x
	w := wrap{x}
	w.next = y
	w.node = y
	x.base = nil
	x.up = nil
	x.base.up = nil
	for x.next = range seq {
	}
	for i, x.kids[0] = range a.list {
	}
	p := &x.next
	*p = y
	q := &x.kids[2]
	k := x.kids[:]
	k[0] = y
	x.kids[:][1] = y
	copy(x.kids[:], k)
	clear(x.kids[1:2])
	sort.Sort(&x.kids)
	x.kids.Swap(0, 1)
	f := x.kids.Len
	select {
	case x.next = <-make(chan *node):
	}
	a.root, a.list[0], x.n = y, y, 1
	_, _ = q, f
}

func seq(yield func(*node) bool) {}
