package gcbench

import "github.com/encorert/encorert/bench/harness"

// plainNode is the node as a Go programmer writes it: 24 bytes.
type plainNode struct {
	left, right *plainNode
	i, j        int32
}

// plain does the job on Go's heap.
type plain struct {
	job   Job
	nodes int64 // constructed so far
	kept  *plainNode
	array []float64
	// last makes each short-lived tree reachable until the next one is there, so that no compiler can
	// find it unused.
	last *plainNode
}

func (p *plain) node(left, right *plainNode) *plainNode {
	p.nodes++
	return &plainNode{left: left, right: right}
}

// populate builds a tree top-down below n.
func (p *plain) populate(depth int, n *plainNode) {
	if depth <= 0 {
		return
	}
	depth--
	n.left = p.node(nil, nil)
	n.right = p.node(nil, nil)
	p.populate(depth, n.left)
	p.populate(depth, n.right)
}

// makeTree builds a tree bottom-up.
func (p *plain) makeTree(depth int) *plainNode {
	if depth <= 0 {
		return p.node(nil, nil)
	}
	left := p.makeTree(depth - 1)
	right := p.makeTree(depth - 1)
	return p.node(left, right)
}

func (p *plain) run() {
	p.last = p.makeTree(p.job.StretchDepth)
	p.last = nil
	p.kept = p.node(nil, nil)
	p.populate(p.job.LongDepth, p.kept)
	p.array = make([]float64, p.job.Array)
	for i := 1; i < len(p.array)/2; i++ {
		p.array[i] = 1 / float64(i)
	}
	for d := p.job.MinDepth; d <= p.job.MaxDepth; d += depthStep {
		iterations := p.job.Iterations(d)
		for range iterations {
			p.last = p.node(nil, nil)
			p.populate(d, p.last)
		}
		for range iterations {
			p.last = p.makeTree(d)
		}
		p.last = nil
	}
}

func (p *plain) check() error {
	if err := p.job.checkTree(p.kept.size()); err != nil {
		return err
	}
	return p.job.checkArray(p.array)
}

func (n *plainNode) size() int64 {
	if n == nil {
		return 0
	}
	return 1 + n.left.size() + n.right.size()
}

func (p *plain) counted() int64 { return p.nodes }

func repeatPlain(job Job) harness.Repeat {
	return func() (harness.Repetition, error) {
		workers := make([]worker, job.Actors)
		for i := range workers {
			workers[i] = &plain{job: job}
		}
		return atOnce(workers)
	}
}
