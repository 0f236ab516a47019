package heaps

import (
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

// piece is how many objects a behaviour makes at least before it sends itself the next part of the job. Collections happen
// between behaviours.
const piece = 1 << 15

// tree is a node.
//
//encore:object
type tree struct{ left, right *tree }

// forester does binarytrees.
//
//encore:actor
type forester struct {
	most  int
	done  futures.Promise[uint64]
	found uint64 // nodes, on all walks so far
	kept  *tree
	depth int
	left  uint64 // trees of this depth that are still to be built
}

//encore:new
func (f *forester) init(cctx **rt.Ctx, depth int) { f.most = depth }

// Start begins the job.
//
//encore:behaviour
func (f *forester) Start(cctx **rt.Ctx, done futures.Promise[uint64]) {
	ctx := *cctx
	f.done = done
	f.found += grow(ctx, f.most+1).count()
	f.Self(ctx).Keep(ctx)
}

// Keep grows the tree that is kept.
//
//encore:behaviour
func (f *forester) Keep(cctx **rt.Ctx) {
	ctx := *cctx
	f.kept = grow(ctx, f.most)
	f.depth, f.left = treesLeast, treesOf(f.most, treesLeast)
	f.Self(ctx).Plant(ctx)
}

// Plant grows, walks and drops the next trees.
//
//encore:behaviour
func (f *forester) Plant(cctx **rt.Ctx) {
	ctx := *cctx
	for made := uint64(0); made < piece; made += treeNodes(f.depth) {
		if f.left == 0 {
			if f.depth += 2; f.depth > f.most {
				// The promise is fulfilled here and nowhere else: no error is possible.
				_ = f.done.Fulfil(ctx, f.found+f.kept.count())
				return
			}
			f.left = treesOf(f.most, f.depth)
		}
		f.left--
		f.found += grow(ctx, f.depth).count()
	}
	f.Self(ctx).Plant(ctx)
}

// grow only allocates, which never collects: left needs no frame.
func grow(ctx *rt.Ctx, depth int) *tree {
	if depth <= 0 {
		return newTree(ctx, nil, nil)
	}
	left := grow(ctx, depth-1)
	return newTree(ctx, left, grow(ctx, depth-1))
}

func (t *tree) count() uint64 {
	if t.left == nil {
		return 1
	}
	return 1 + t.left.count() + t.right.count()
}
