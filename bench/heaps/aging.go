package heaps

import (
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

// Aging is a queue in which everything grows old before it dies: the opposite of what generations hope for.
func Aging() harness.Workload { return aging.workload() }

var aging = job{
	name:    "aging",
	summary: "a long queue, first in first out: everything grows old before it dies",
	description: `A list of length entries is built; then entries are added at its end and taken from its front. No object dies young, and each that is
added is stored into the one before.`,
	sizes: []size{
		{"length", 200_000, 1, 100_000_000, "entries in the queue"},
		{"passes", 10_000_000, 1, 1_000_000_000, "entries that are added and taken"},
	},
	ops:  func(p params) int64 { return int64(p.Sizes["passes"]) },
	want: agingWant,
	spawn: func(ctx *rt.Ctx, p params) func(*rt.Ctx, futures.Promise[uint64]) {
		return NewQueue(ctx, p.Sizes["length"], p.Sizes["passes"]).Start
	},
	plain: plainAging,
}

// weigh makes the checksum depend on the order in which entries are taken.
func weigh(sum, n uint64) uint64 { return sum*31 + n }

// agingWant takes the numbers from 0 on in order.
func agingWant(p params) (sum uint64) {
	for n := range uint64(p.Sizes["passes"]) {
		sum = weigh(sum, n)
	}
	return sum
}

type plainEntry struct {
	next *plainEntry
	n    uint64
}

func plainAging(p params) (sum uint64) {
	first := &plainEntry{}
	last, n := first, uint64(1)
	for ; n < uint64(p.Sizes["length"]); n++ {
		last.next = &plainEntry{n: n}
		last = last.next
	}
	for range p.Sizes["passes"] {
		last.next = &plainEntry{n: n}
		last = last.next
		n++
		sum = weigh(sum, first.n)
		first = first.next
	}
	return sum
}
