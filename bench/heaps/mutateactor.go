package heaps

import (
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

//encore:object
type value struct {
	n, version uint64
	of         *branch
}

//encore:object
type term struct {
	next *term
	n    uint64
}

//encore:object
type branch struct {
	left, right *branch
	value       *value
}

// grafter does mutate.
//
//encore:actor
type grafter struct {
	depth, grafts, terms int
	done                 futures.Promise[uint64]
	root                 *branch
	x                    random
}

//encore:new
func (g *grafter) init(cctx **rt.Ctx, depth, grafts, terms int) {
	g.depth, g.grafts, g.terms, g.x = depth, grafts, terms, seed
}

// Start plants the tree.
//
//encore:behaviour
func (g *grafter) Start(cctx **rt.Ctx, done futures.Promise[uint64]) {
	ctx := *cctx
	g.done = done
	g.root = plant(ctx, g.depth)
	g.Self(ctx).Graft(ctx)
}

// Graft gives the next subtrees fresh values.
//
//encore:behaviour
func (g *grafter) Graft(cctx **rt.Ctx) {
	ctx := *cctx
	for made := uint64(0); made < piece; made += treeNodes(graftDepth) {
		if g.grafts == 0 {
			// The promise is fulfilled here and nowhere else: no error is possible.
			_ = g.done.Fulfil(ctx, g.root.sum())
			return
		}
		g.grafts--
		path := g.x.next()
		b := g.root
		for range g.depth - graftDepth {
			if path&1 == 0 {
				b = b.left
			} else {
				b = b.right
			}
			path >>= 1
		}
		b.graft(ctx, graftDepth, g.terms, path)
	}
	g.Self(ctx).Graft(ctx)
}

func plant(ctx *rt.Ctx, depth int) *branch {
	b := newBranch(ctx, nil, nil, nil)
	b.setValue(ctx, newValue(ctx, 1, 0, b))
	if depth > 0 {
		b.setLeft(ctx, plant(ctx, depth-1))
		b.setRight(ctx, plant(ctx, depth-1))
	}
	return b
}

func (b *branch) graft(ctx *rt.Ctx, depth, terms int, v uint64) {
	var list *term
	for i := range terms {
		list = newTerm(ctx, list, v+uint64(i))
	}
	sum := v
	for ; list != nil; list = list.next {
		sum += list.n
	}
	b.setValue(ctx, newValue(ctx, sum, b.value.version+1, b))
	if depth > 0 {
		b.left.graft(ctx, depth-1, terms, v+1)
		b.right.graft(ctx, depth-1, terms, v+2)
	}
}

func (b *branch) sum() uint64 {
	if b == nil {
		return 0
	}
	return b.value.n + b.left.sum() + b.right.sum()
}
