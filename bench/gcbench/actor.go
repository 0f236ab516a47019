package gcbench

import (
	"runtime"
	"time"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

// node is a tree node on an actor's heap: 24 bytes and a header of 8.
//
//encore:object
type node struct {
	left, right *node
	I, J        int32
}

// builder does the job. Each behaviour does a part of it, short enough that the collections, which happen
// between behaviours, come when a nursery is full, and sends itself the next.
//
//encore:actor
type builder struct {
	job   Job
	done  futures.Promise[int64]
	nodes int64 // constructed so far
	kept  *node
	array gc.Slice[float64]

	// The short-lived trees that are still to be built.
	depth    int
	topDown  int64 // of this depth
	bottomUp int64
}

// batchNodes is how many nodes a behaviour builds at least: 1 MiB of them, a quarter of a nursery.
const batchNodes = 1 << 15

//encore:new
func (b *builder) init(cctx **rt.Ctx, job Job) { b.job = job }

// Start begins the job. done gets the number of nodes when all is built.
//
//encore:behaviour
func (b *builder) Start(cctx **rt.Ctx, done futures.Promise[int64]) {
	ctx := *cctx
	b.done = done
	b.makeTree(ctx, b.job.StretchDepth) // dropped at once
	b.Self(ctx).Keep(ctx)
}

// Keep builds what lives until the end.
//
//encore:behaviour
func (b *builder) Keep(cctx **rt.Ctx) {
	ctx := *cctx
	b.nodes++
	b.kept = newNode(ctx, nil, nil, 0, 0)
	b.populate(ctx, b.job.LongDepth, b.kept)
	b.array = gc.MakeSlice[float64](ctx, b.job.Array)
	array := b.array.Data()
	for i := 1; i < len(array)/2; i++ {
		array[i] = 1 / float64(i)
	}
	b.depth = b.job.MinDepth - depthStep
	b.Self(ctx).Batch(ctx)
}

// Batch builds the next short-lived trees.
//
//encore:behaviour
func (b *builder) Batch(cctx **rt.Ctx) {
	ctx := *cctx
	for end := b.nodes + batchNodes; b.nodes < end; {
		switch {
		case b.topDown > 0:
			b.topDown--
			b.nodes++
			b.populate(ctx, b.depth, newNode(ctx, nil, nil, 0, 0))
		case b.bottomUp > 0:
			b.bottomUp--
			b.makeTree(ctx, b.depth)
		case b.depth+depthStep <= b.job.MaxDepth:
			b.depth += depthStep
			b.topDown = b.job.Iterations(b.depth)
			b.bottomUp = b.topDown
		default:
			// The promise is fulfilled here and nowhere else: no error is possible.
			_ = b.done.Fulfil(ctx, b.nodes)
			return
		}
	}
	b.Self(ctx).Batch(ctx)
}

// Check walks what was kept.
//
//encore:behaviour
func (b *builder) Check(cctx **rt.Ctx) error {
	if err := b.job.checkTree(b.kept.size()); err != nil {
		return err
	}
	return b.job.checkArray(b.array.Data())
}

// populate builds a tree top-down below n.
func (b *builder) populate(ctx *rt.Ctx, depth int, n *node) {
	if depth <= 0 {
		return
	}
	depth--
	b.nodes++
	left := newNode(ctx, nil, nil, 0, 0)
	n.setLeft(ctx, left)
	b.nodes++
	right := newNode(ctx, nil, nil, 0, 0)
	n.setRight(ctx, right)
	b.populate(ctx, depth, left)
	b.populate(ctx, depth, right)
}

// makeTree builds a tree bottom-up. It only allocates, which never collects: left needs no frame.
func (b *builder) makeTree(ctx *rt.Ctx, depth int) *node {
	if depth <= 0 {
		b.nodes++
		return newNode(ctx, nil, nil, 0, 0)
	}
	left := b.makeTree(ctx, depth-1)
	right := b.makeTree(ctx, depth-1)
	b.nodes++
	return newNode(ctx, left, right, 0, 0)
}

func (n *node) size() int64 {
	if n == nil {
		return 0
	}
	return 1 + n.left.size() + n.right.size()
}

// repeatActors runs each repetition in a runtime of its own, so that its figures are its own and no actor of
// the one before is left. The runtime's start and end are not timed.
func repeatActors(p params, say func(line string)) harness.Repeat {
	return func() (harness.Repetition, error) {
		runtime.GC() // as the variants without actors do
		config := rt.Config{Workers: p.Workers}
		var past *history
		if p.GCTrace || p.Plot != "" {
			past = newHistory()
			config.OnCollect = past.add
		}
		r, err := rt.New(config)
		if err != nil {
			return harness.Repetition{}, err
		}
		var rep harness.Repetition
		var failed error
		err = r.Run(func(cctx **rt.Ctx) { rep, failed = drive(cctx, p.Job) })
		for _, e := range []error{err, failed, r.Close()} {
			if e != nil {
				return rep, e
			}
		}
		if p.GCTrace {
			past.tell(say)
		}
		if p.Plot != "" {
			return rep, past.draw(p.Plot, p.Job)
		}
		return rep, nil
	}
}

// drive lets job.Actors builders work at once.
func drive(cctx **rt.Ctx, job Job) (harness.Repetition, error) {
	ctx := *cctx
	one := job
	one.Actors = 1
	builders := make([]Builder, job.Actors)
	counts := make([]futures.Future[int64], job.Actors)
	for i := range builders {
		builders[i] = NewBuilder(ctx, one)
	}
	start := time.Now()
	for i, b := range builders {
		count := futures.NewPromise[int64](ctx, nil)
		counts[i] = count.Future()
		b.Start(ctx, count)
	}
	var rep harness.Repetition
	for _, count := range counts {
		n, err := count.Get(cctx)
		if err != nil {
			return rep, err
		}
		rep.Count += n
	}
	rep.Millis = millis(time.Since(start))
	ctx = *cctx
	rep.Values = heapFigures(ctx)
	for _, b := range builders {
		if _, err := b.AskCheck(ctx).Get(cctx); err != nil {
			return rep, err
		}
		ctx = *cctx
	}
	return rep, nil
}

// heapFigures are those of all heaps since the runtime was made.
func heapFigures(ctx *rt.Ctx) map[string]float64 {
	stats := ctx.Runtime().Stats().Heap
	micros := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	return map[string]float64{
		valueCollections: float64(stats.Minor + stats.Full),
		valuePauseP95:    micros(stats.Pauses.Quantile(0.95)),
		valueMaxPause:    micros(stats.Pauses.Max),
	}
}
