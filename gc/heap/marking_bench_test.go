package heap

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/encorert/encorert/internal/gang"
)

// shape builds a heap of about n nodes and returns its root.
type shape func(ctx *benchContext, n int) *benchNode

var shapes = map[string]shape{
	"tree": func(ctx *benchContext, n int) *benchNode {
		depth := 0
		for benchTreeSize(depth+1) <= n {
			depth++
		}
		return benchMake(ctx, depth)
	},
	"list": func(ctx *benchContext, n int) (head *benchNode) {
		for range n {
			head = benchNew(ctx, head, nil, 0, 0)
		}
		return head
	},
	// A tree whose nodes lie in memory in another order than they are visited: nearly every look at one misses the cache.
	"scattered": func(ctx *benchContext, n int) *benchNode {
		nodes := make([]*benchNode, n)
		for i := range nodes {
			nodes[i] = benchNew(ctx, nil, nil, 0, 0)
		}
		random := rand.New(rand.NewPCG(1, 2))
		random.Shuffle(n, func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		for i := 1; i < n; i++ {
			if parent := nodes[(i-1)/2]; i%2 == 1 {
				parent.setLeft(ctx, nodes[i])
			} else {
				parent.setRight(ctx, nodes[i])
			}
		}
		return nodes[0]
	},
}

// helpOf has a gang of some workers help.
func helpOf(g *gang.Gang) func(*Marking) {
	return func(m *Marking) {
		if err := g.Run(1, func(s *gang.Share) { m.MarkShare(s.Add) }); err != nil {
			panic(err)
		}
	}
}

// Full collections alone, with a gang of two participants, with a gang that nobody else takes part in, and with nobody
// who has time to help.
func BenchmarkMarkShare(b *testing.B) {
	helps := []struct {
		name    string
		workers int
		help    bool
	}{{"alone", 0, false}, {"gang", 1, true}, {"lone", 0, true}, {"declined", -1, true}}
	for _, name := range []string{"tree", "list", "scattered"} {
		for _, n := range []int{50_000, 100_000, 300_000, 3_000_000} {
			for _, h := range helps {
				b.Run(fmt.Sprintf("%s/%d/%s", name, n, h.name), func(b *testing.B) {
					g := gang.New(max(h.workers, 0))
					defer g.Close()
					config := Config{}
					switch {
					case h.workers < 0:
						config.Help = func(*Marking) {}
					case h.help:
						config.Help = helpOf(g)
					}
					ctx, s := newBenchContext(config)
					defer s.Close()
					ctx.roots[0] = unsafe.Pointer(shapes[name](ctx, n))
					ctx.heap.CollectFull(&ctx.cursor, ctx.trace)
					for b.Loop() {
						ctx.heap.CollectFull(&ctx.cursor, ctx.trace)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
				})
			}
		}
	}
}
