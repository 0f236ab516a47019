package gcbench

import (
	"fmt"
	"unsafe"

	"github.com/encorert/encorert/bench/harness"
)

// bumpNode is a node outside Go's heap. Addresses in it are stored without Go's write barrier (see link):
// nothing here is the collector's.
type bumpNode struct {
	left, right *bumpNode
	i, j        int32
}

const bumpNodeSize = unsafe.Sizeof(bumpNode{})

// bump does the job with a bump allocator over memory outside Go's heap: one region for the short-lived
// trees, reset before each tree, and one for what is kept. No collector, no header, nothing is freed by
// itself: the limit that encorert's heap is compared with.
type bump struct {
	job   Job
	nodes int64 // constructed so far
	// base+off is where the next node goes; base is one of the two regions.
	base       unsafe.Pointer
	off, limit uintptr
	// Owner: the process, for its whole life, so that repetitions find warm memory.
	short, long region
	kept        *bumpNode
	array       []float64
}

// region is memory outside Go's heap.
type region struct {
	base unsafe.Pointer
	size uintptr
}

// newBump maps memory for the largest short-lived tree and for what is kept.
func newBump(job Job) (*bump, error) {
	b := &bump{job: job}
	arrayBytes := uintptr(job.Array) * unsafe.Sizeof(float64(0))
	largest := max(job.StretchDepth, job.MaxDepth)
	var err error
	if b.short, err = mapRegion(uintptr(TreeSize(largest)) * bumpNodeSize); err != nil {
		return nil, err
	}
	if b.long, err = mapRegion(uintptr(TreeSize(job.LongDepth))*bumpNodeSize + arrayBytes); err != nil {
		return nil, err
	}
	return b, nil
}

func mapRegion(size uintptr) (region, error) {
	base, err := mapMemory(size)
	if err != nil {
		return region{}, fmt.Errorf("mapping %d bytes: %w", size, err)
	}
	return region{base: base, size: size}, nil
}

// use lets allocation go on at the start of r: all that was in r is free.
func (b *bump) use(r region) { b.base, b.off, b.limit = r.base, 0, r.size }

// alloc inlines (cost 31 of 80); it does not clear.
func (b *bump) alloc(size uintptr) unsafe.Pointer {
	if b.off+size > b.limit {
		full()
	}
	p := unsafe.Add(b.base, b.off)
	b.off += size
	return p
}

// full is apart because the text would count against alloc's inlining.
func full() { panic("gcbench: bump region too small for its tree") }

// node inlines as well.
func (b *bump) node(left, right *bumpNode) *bumpNode {
	n := (*bumpNode)(b.alloc(bumpNodeSize))
	b.nodes++
	*(*bumpBits)(unsafe.Pointer(n)) = bumpBits{left: uintptr(unsafe.Pointer(left)), right: uintptr(unsafe.Pointer(right))}
	return n
}

// bumpBits is bumpNode with its addresses as integers. NB: same layout.
type bumpBits struct {
	left, right uintptr
	i, j        int32
}

// populate builds a tree top-down below n.
func (b *bump) populate(depth int, n *bumpNode) {
	if depth <= 0 {
		return
	}
	depth--
	left := b.node(nil, nil)
	right := b.node(nil, nil)
	bits := (*bumpBits)(unsafe.Pointer(n))
	bits.left, bits.right = uintptr(unsafe.Pointer(left)), uintptr(unsafe.Pointer(right))
	b.populate(depth, left)
	b.populate(depth, right)
}

// makeTree builds a tree bottom-up.
func (b *bump) makeTree(depth int) *bumpNode {
	if depth <= 0 {
		return b.node(nil, nil)
	}
	left := b.makeTree(depth - 1)
	right := b.makeTree(depth - 1)
	return b.node(left, right)
}

func (b *bump) run() {
	b.use(b.short)
	b.makeTree(b.job.StretchDepth)
	b.use(b.long)
	b.kept = b.node(nil, nil)
	b.populate(b.job.LongDepth, b.kept)
	b.array = unsafe.Slice((*float64)(b.alloc(uintptr(b.job.Array)*unsafe.Sizeof(float64(0)))), b.job.Array)
	clear(b.array)
	for i := 1; i < len(b.array)/2; i++ {
		b.array[i] = 1 / float64(i)
	}
	for d := b.job.MinDepth; d <= b.job.MaxDepth; d += depthStep {
		iterations := b.job.Iterations(d)
		for range iterations {
			b.use(b.short)
			b.populate(d, b.node(nil, nil))
		}
		for range iterations {
			b.use(b.short)
			b.makeTree(d)
		}
	}
}

func (b *bump) check() error {
	if err := b.job.checkTree(b.kept.size()); err != nil {
		return err
	}
	return b.job.checkArray(b.array)
}

func (n *bumpNode) size() int64 {
	if n == nil {
		return 0
	}
	return 1 + n.left.size() + n.right.size()
}

func (b *bump) counted() int64 { return b.nodes }

func repeatBump(job Job) (harness.Repeat, error) {
	bumps := make([]*bump, job.Actors)
	for i := range bumps {
		b, err := newBump(job)
		if err != nil {
			return nil, err
		}
		bumps[i] = b
	}
	return func() (harness.Repetition, error) {
		workers := make([]worker, len(bumps))
		for i, b := range bumps {
			b.nodes = 0
			workers[i] = b
		}
		return atOnce(workers)
	}, nil
}
