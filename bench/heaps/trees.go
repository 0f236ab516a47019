package heaps

import (
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

// BinaryTrees is the binary-trees of the Benchmarks Game: trees are built bottom-up, walked once and dropped, while a large
// one lives.
func BinaryTrees() harness.Workload { return binaryTrees.workload() }

var binaryTrees = job{
	name:    "binarytrees",
	summary: "binary trees of many depths, built, walked and dropped (the Benchmarks Game's)",
	description: `A tree of depth + 1 is built, walked and dropped; one of depth is kept; then trees of depths 4, 6, ... depth are built, walked and
dropped, as many of each as make about the same number of nodes; then the kept one is walked.`,
	sizes: []size{{"depth", 18, treesLeast, 24, "depth of the tree that is kept"}},
	ops:   func(p params) int64 { return int64(treesWant(p)) },
	want:  treesWant,
	spawn: func(ctx *rt.Ctx, p params) func(*rt.Ctx, futures.Promise[uint64]) {
		return NewForester(ctx, p.Sizes["depth"]).Start
	},
	plain: plainTrees,
}

// treesLeast is the depth of the smallest trees.
const treesLeast = 4

func treeNodes(depth int) uint64 { return 1<<(depth+1) - 1 }

func treesOf(most, depth int) uint64 { return 1 << (most - depth + treesLeast) }

// treesWant is the number of nodes that are found on all walks.
func treesWant(p params) uint64 {
	most := p.Sizes["depth"]
	n := treeNodes(most+1) + treeNodes(most)
	for d := treesLeast; d <= most; d += 2 {
		n += treesOf(most, d) * treeNodes(d)
	}
	return n
}

type plainTree struct{ left, right *plainTree }

func growPlain(depth int) *plainTree {
	if depth <= 0 {
		return &plainTree{}
	}
	return &plainTree{growPlain(depth - 1), growPlain(depth - 1)}
}

func (t *plainTree) count() uint64 {
	if t.left == nil {
		return 1
	}
	return 1 + t.left.count() + t.right.count()
}

func plainTrees(p params) uint64 {
	most := p.Sizes["depth"]
	n := growPlain(most + 1).count()
	kept := growPlain(most)
	for d := treesLeast; d <= most; d += 2 {
		for range treesOf(most, d) {
			n += growPlain(d).count()
		}
	}
	return n + kept.count()
}
