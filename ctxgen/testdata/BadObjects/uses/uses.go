// Package uses has objects that their constructor has not made.
package uses

import "github.com/encorert/encorert/rt"

//encore:object
type node struct {
	next *node
	n    int
}

//encore:actor
type actor struct{}

type (
	pair struct {
		first node
		*other
	}
	other      node
	box[T any] struct{ value T }
	row        [3]node
	link       = *node
	embeds     struct{ node }
)

var (
	global  node
	literal = node{n: 1}
	list    = []node{{}, {n: 2}}
	links   = []*node{{}, {n: 2}}
	byName  = map[string]*node{"a": {}}
	aliases = []link{{}}
	boxed   box[node]
	right   box[*node]
	_       = func(n node) (m node) { return m }
)

//encore:behaviour
func (a *actor) Do(cctx **rt.Ctx) {
	x, y := &node{}, new(node)
	var z node
	_ = make([]node, 3)
	_ = make(chan node)
	v := *x
	use(*x)
	*x = *y
	*x = node{n: 1}
	*x, v = *y, *x
	w := (*node)(&other{})
	o := (*other)(x)
	var any any = *x
	_, _ = any.(node)
	switch any.(type) {
	case node:
	}
	_ = clone(x)
	_ = deref(x)
	c := deref(x)
	_ = node(*o)
	for *x = range all {
	}
	_, _, _, _, _ = v, z, w, o, c
}

func all(yield func(node) bool) {}

func use(n any) {}

func clone[T any](p *T) *T { v := *p; return &v }

func deref[T any](p *T) T { return *p }

func (n node) size() int { return n.n }

func (n *node) good() int { return n.n }

type holds interface{ get() node }

func local() *node {
	type inner struct{ n [2]node }
	return &(node{})
}

var size = (*node).good
