package heap

import (
	"flag"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/encorert/encorert/internal/arena"
	"github.com/stretchr/testify/require"
)

// The allocation pattern of GCBench directly on Heap and Cursor, in the shape of generated code, beside an off-heap bump
// allocator that is reset per tree and collects nothing.

const (
	benchStretch, benchLong = 18, 16
	benchMin, benchMax      = 4, 16
	benchDoubles            = 500000
)

func benchTreeSize(depth int) int { return 1<<(depth+1) - 1 }

type benchNode struct {
	left, right *benchNode
	i, j        int32
}

type benchBits struct {
	left, right uintptr
	i, j        int32
}

var (
	benchType   = NewType("heap.benchNode", unsafe.Sizeof(benchNode{}), unsafe.Offsetof(benchNode{}.left), unsafe.Offsetof(benchNode{}.right))
	doublesType = NewArrayType("heap.doubles", 8)
	benchHeader = benchType.Header()
)

const benchSize = (HeaderSize + unsafe.Sizeof(benchNode{}) + 7) &^ 7

type benchContext struct {
	cursor Cursor
	heap   *Heap
	roots  [2]unsafe.Pointer
	trace  func(*Tracer)
	nodes  int
}

func newBenchContext(config Config) (*benchContext, *Space) {
	s := NewSpace(config)
	ctx := &benchContext{heap: New(s)}
	ctx.trace = func(t *Tracer) {
		for _, r := range ctx.roots {
			t.Mark(r)
		}
	}
	return ctx, s
}

func benchAlloc(ctx *benchContext, size uintptr, header uint64, slow func(*benchContext, uintptr)) unsafe.Pointer {
	if ctx.cursor.Off+size > ctx.cursor.Limit {
		slow(ctx, size)
	}
	p := unsafe.Add(ctx.cursor.Base, ctx.cursor.Off)
	ctx.cursor.Off += size
	*(*uint64)(p) = header
	return unsafe.Add(p, HeaderSize)
}

func benchRefill(ctx *benchContext, size uintptr) {
	if err := ctx.heap.Refill(&ctx.cursor, size); err != nil {
		panic(err)
	}
}

func benchNew(ctx *benchContext, left, right *benchNode, i, j int32) *benchNode {
	n := benchAlloc(ctx, benchSize, benchHeader, benchRefill)
	*(*benchBits)(n) = benchBits{uintptr(unsafe.Pointer(left)), uintptr(unsafe.Pointer(right)), i, j}
	return (*benchNode)(n)
}

func benchBarrier(ctx *benchContext, parent unsafe.Pointer) {
	if *(*uint64)(unsafe.Add(parent, -HeaderSize))&FlagOld != 0 {
		ctx.heap.Log(parent)
	}
}

func (n *benchNode) setLeft(ctx *benchContext, v *benchNode) {
	benchBarrier(ctx, unsafe.Pointer(n))
	*(*uintptr)(unsafe.Pointer(&n.left)) = uintptr(unsafe.Pointer(v))
}

func (n *benchNode) setRight(ctx *benchContext, v *benchNode) {
	benchBarrier(ctx, unsafe.Pointer(n))
	*(*uintptr)(unsafe.Pointer(&n.right)) = uintptr(unsafe.Pointer(v))
}

func benchPopulate(ctx *benchContext, depth int, n *benchNode) {
	if depth <= 0 {
		return
	}
	l := benchNew(ctx, nil, nil, 0, 0)
	n.setLeft(ctx, l)
	r := benchNew(ctx, nil, nil, 0, 0)
	n.setRight(ctx, r)
	benchPopulate(ctx, depth-1, l)
	benchPopulate(ctx, depth-1, r)
}

func benchMake(ctx *benchContext, depth int) *benchNode {
	if depth <= 0 {
		return benchNew(ctx, nil, nil, 0, 0)
	}
	l := benchMake(ctx, depth-1)
	r := benchMake(ctx, depth-1)
	return benchNew(ctx, l, r, 0, 0)
}

func (ctx *benchContext) safepoint() {
	if ctx.heap.Due() {
		ctx.heap.Collect(&ctx.cursor, ctx.trace)
	}
}

func runHeapBench(ctx *benchContext) time.Duration {
	start := time.Now()
	ctx.cursor, ctx.roots = Cursor{}, [2]unsafe.Pointer{}
	ctx.heap = New(ctx.heap.space) // each run is an actor of its own
	benchMake(ctx, benchStretch)
	ctx.safepoint()
	long := benchNew(ctx, nil, nil, 0, 0)
	ctx.roots[0] = unsafe.Pointer(long)
	benchPopulate(ctx, benchLong, long)
	array, err := ctx.heap.AllocArray(&ctx.cursor, doublesType, benchDoubles)
	if err != nil {
		panic(err)
	}
	ctx.roots[1] = array
	doubles := unsafe.Slice((*float64)(ArrayData(array)), benchDoubles)
	for i := 1; i < benchDoubles/2; i++ {
		doubles[i] = 1 / float64(i)
	}
	for depth := benchMin; depth <= benchMax; depth += 2 {
		times := 2 * benchTreeSize(benchStretch) / benchTreeSize(depth)
		for range times {
			benchPopulate(ctx, depth, benchNew(ctx, nil, nil, 0, 0))
			ctx.safepoint()
		}
		for range times {
			benchMake(ctx, depth)
			ctx.safepoint()
		}
	}
	return time.Since(start)
}

// bumper allocates 24-byte nodes without headers.
type bumper struct {
	base unsafe.Pointer
	off  uintptr
}

func (b *bumper) new(l, r *benchNode) *benchNode {
	p := unsafe.Add(b.base, b.off)
	b.off += unsafe.Sizeof(benchNode{})
	*(*benchBits)(p) = benchBits{uintptr(unsafe.Pointer(l)), uintptr(unsafe.Pointer(r)), 0, 0}
	return (*benchNode)(p)
}

func bumpPopulate(b *bumper, depth int, n *benchNode) {
	if depth <= 0 {
		return
	}
	l := b.new(nil, nil)
	*(*uintptr)(unsafe.Pointer(&n.left)) = uintptr(unsafe.Pointer(l))
	r := b.new(nil, nil)
	*(*uintptr)(unsafe.Pointer(&n.right)) = uintptr(unsafe.Pointer(r))
	bumpPopulate(b, depth-1, l)
	bumpPopulate(b, depth-1, r)
}

func bumpMake(b *bumper, depth int) *benchNode {
	if depth <= 0 {
		return b.new(nil, nil)
	}
	l := bumpMake(b, depth-1)
	r := bumpMake(b, depth-1)
	return b.new(l, r)
}

func runBumpBench(short, long *bumper) time.Duration {
	start := time.Now()
	short.off, long.off = 0, 0
	bumpMake(short, benchStretch)
	bumpPopulate(long, benchLong, long.new(nil, nil))
	doubles := unsafe.Slice((*float64)(unsafe.Add(long.base, 8<<20)), benchDoubles)
	clear(doubles)
	for i := 1; i < benchDoubles/2; i++ {
		doubles[i] = 1 / float64(i)
	}
	for depth := benchMin; depth <= benchMax; depth += 2 {
		times := 2 * benchTreeSize(benchStretch) / benchTreeSize(depth)
		for range times {
			short.off = 0
			bumpPopulate(short, depth, short.new(nil, nil))
		}
		for range times {
			short.off = 0
			bumpMake(short, depth)
		}
	}
	return time.Since(start)
}

var benchNursery = flag.Int("encorert.nursery", 0, "nursery of BenchmarkGCBench in KiB")

// BenchmarkGCBench reports the time on a heap over the time of the bump allocator, both warm, run in turns.
func BenchmarkGCBench(b *testing.B) {
	o := arena.NewOwner("bump")
	defer o.Close()
	var bumps [2]bumper
	for i := range bumps {
		var err error
		bumps[i].base, err = o.Blocks(16 << 20 / BlockSize)
		require.NoError(b, err)
	}
	ctx, s := newBenchContext(Config{Nursery: uintptr(*benchNursery) << 10})
	defer s.Close()
	runBumpBench(&bumps[0], &bumps[1])
	runHeapBench(ctx)
	var ours, bump []time.Duration
	for b.Loop() {
		bump = append(bump, runBumpBench(&bumps[0], &bumps[1]))
		ours = append(ours, runHeapBench(ctx))
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return d[len(d)/2].Seconds() * 1e3
	}
	stats := s.Stats()
	runs := float64(len(ours) + 1)
	b.ReportMetric(median(ours), "ms")
	b.ReportMetric(median(bump), "bump-ms")
	b.ReportMetric(median(ours)/median(bump), "ratio")
	b.ReportMetric(float64(stats.Minor)/runs, "minor/run")
	b.ReportMetric(float64(stats.Full)/runs, "full/run")
	b.ReportMetric(stats.Pauses.Max.Seconds()*1e3, "max-pause-ms")
	b.ReportMetric(stats.Pauses.Quantile(0.95).Seconds()*1e6, "p95-us")
	b.ReportMetric(float64(stats.Used)/(1<<20), "held-MB")
}
