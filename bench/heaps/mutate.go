package heaps

import (
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

// Mutate is a large live heap that is written to: old objects get fresh ones all the time.
func Mutate() harness.Workload { return mutate.workload() }

var mutate = job{
	name:    "mutate",
	summary: "a large live tree whose old nodes get fresh values: stores from old to young",
	description: `A tree of depth is built, each node with a value of its own on the heap. Then, again and again, a random subtree of depth 4 gets fresh
values for all of its 31 nodes: they are stored into old objects, live through some collections and die old. Each is the sum of a list of
terms, which is built for that and dropped. At the end all values are summed.`,
	sizes: []size{
		{"depth", 18, graftDepth, 24, "depth of the tree; 18: half a million nodes and as many values"},
		{"grafts", 100_000, 1, 1_000_000_000, "subtrees that get fresh values"},
		{"terms", 4, 0, 1000, "objects of which a value is the sum, and which die at once; 0: none dies young"},
	},
	ops:  func(p params) int64 { return int64(p.Sizes["grafts"]) * int64(treeNodes(graftDepth)) },
	want: mutateWant,
	spawn: func(ctx *rt.Ctx, p params) func(*rt.Ctx, futures.Promise[uint64]) {
		return NewGrafter(ctx, p.Sizes["depth"], p.Sizes["grafts"], p.Sizes["terms"]).Start
	},
	plain: plainMutate,
}

// graftDepth is the depth of the subtrees that get fresh values.
const graftDepth = 4

// mutateWant does the grafts on an array in which node i has the children 2i+1 and 2i+2.
func mutateWant(p params) (sum uint64) {
	depth, terms := p.Sizes["depth"], uint64(p.Sizes["terms"])
	values := make([]uint64, treeNodes(depth))
	for i := range values {
		values[i] = 1
	}
	var graft func(i, depth int, v uint64)
	graft = func(i, depth int, v uint64) {
		values[i] = v + terms*v + terms*(terms-1)/2
		if depth > 0 {
			graft(2*i+1, depth-1, v+1)
			graft(2*i+2, depth-1, v+2)
		}
	}
	x := seed
	for range p.Sizes["grafts"] {
		path := x.next()
		i := 0
		for range depth - graftDepth {
			i = 2*i + 1 + int(path&1)
			path >>= 1
		}
		graft(i, graftDepth, path)
	}
	for _, v := range values {
		sum += v
	}
	return sum
}

type plainValue struct {
	n, version uint64
	of         *plainBranch
}

type plainBranch struct {
	left, right *plainBranch
	value       *plainValue
}

func plantPlain(depth int) *plainBranch {
	b := &plainBranch{}
	b.value = &plainValue{n: 1, of: b}
	if depth > 0 {
		b.left = plantPlain(depth - 1)
		b.right = plantPlain(depth - 1)
	}
	return b
}

// plainTerm is one of the numbers of which a value is the sum.
type plainTerm struct {
	next *plainTerm
	n    uint64
}

func (b *plainBranch) graft(depth, terms int, v uint64) {
	var list *plainTerm
	for i := range terms {
		list = &plainTerm{list, v + uint64(i)}
	}
	sum := v
	for ; list != nil; list = list.next {
		sum += list.n
	}
	b.value = &plainValue{n: sum, version: b.value.version + 1, of: b}
	if depth > 0 {
		b.left.graft(depth-1, terms, v+1)
		b.right.graft(depth-1, terms, v+2)
	}
}

func (b *plainBranch) sum() uint64 {
	if b == nil {
		return 0
	}
	return b.value.n + b.left.sum() + b.right.sum()
}

func plainMutate(p params) uint64 {
	depth := p.Sizes["depth"]
	root := plantPlain(depth)
	x := seed
	for range p.Sizes["grafts"] {
		path := x.next()
		b := root
		for range depth - graftDepth {
			if path&1 == 0 {
				b = b.left
			} else {
				b = b.right
			}
			path >>= 1
		}
		b.graft(graftDepth, p.Sizes["terms"], path)
	}
	return root.sum()
}
