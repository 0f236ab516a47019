package gcbench

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/encorert/encorert/bench/harness"
)

// Job is the size of the benchmark. All depths are of binary trees whose root has depth 0.
type Job struct {
	StretchDepth int `json:"stretch_depth"` // of the first tree, which is dropped at once
	LongDepth    int `json:"long_depth"`    // of the tree that is kept
	Array        int `json:"array"`         // doubles in the array that is kept
	MinDepth     int `json:"min_depth"`     // of the short-lived trees
	MaxDepth     int `json:"max_depth"`
	Actors       int `json:"actors"` // how many do the whole job at once
}

// Classic is the size that Boehm's, Ellis' and Kovac's program has.
var Classic = Job{StretchDepth: 18, LongDepth: 16, Array: 500_000, MinDepth: 4, MaxDepth: 16, Actors: 1}

// depthStep is the distance between the depths of short-lived trees, as in the original.
const depthStep = 2

// deepest bounds the depths: a tree of depth 24 has 33 million nodes, 1 GiB on encorert's heap.
const deepest = 24

// Validate reports the first parameter that makes no sense.
func (j Job) Validate() error {
	for _, d := range []struct {
		name  string
		depth int
	}{{"stretch", j.StretchDepth}, {"long", j.LongDepth}, {"min", j.MinDepth}, {"max", j.MaxDepth}} {
		if d.depth < 0 || d.depth > deepest {
			return fmt.Errorf("--%s-depth must be between 0 and %d, got %d", d.name, deepest, d.depth)
		}
	}
	switch {
	case j.MinDepth > j.MaxDepth:
		return fmt.Errorf("--min-depth %d is above --max-depth %d", j.MinDepth, j.MaxDepth)
	case j.Array < 1:
		return errors.New("--array must be 1 or more")
	case j.Actors < 1:
		return errors.New("--actors must be 1 or more")
	}
	return nil
}

// TreeSize is the number of nodes of a full binary tree.
func TreeSize(depth int) int64 { return 1<<(depth+1) - 1 }

// Iterations is how many trees of a depth are built in each of the two ways.
func (j Job) Iterations(depth int) int64 { return 2 * TreeSize(j.StretchDepth) / TreeSize(depth) }

// Nodes is how many nodes all actors together construct.
func (j Job) Nodes() int64 {
	n := TreeSize(j.StretchDepth) + TreeSize(j.LongDepth)
	for d := j.MinDepth; d <= j.MaxDepth; d += depthStep {
		n += 2 * j.Iterations(d) * TreeSize(d)
	}
	return n * int64(j.Actors)
}

// element is what the kept array holds at i: the original fills the first half of it, from 1.
func (j Job) element(i int) float64 {
	if i < 1 || i >= j.Array/2 {
		return 0
	}
	return 1 / float64(i)
}

// CheckError says that what was kept during the job is not what was built.
type CheckError struct{ Text string }

func (e *CheckError) Error() string { return "gcbench: " + e.Text }

// checkTree compares the nodes found in the long-lived tree with those it must have.
func (j Job) checkTree(found int64) error {
	if want := TreeSize(j.LongDepth); found != want {
		return &CheckError{fmt.Sprintf("the long-lived tree has %d nodes instead of %d", found, want)}
	}
	return nil
}

// checkArray compares the kept array with what was written to it.
func (j Job) checkArray(array []float64) error {
	if len(array) != j.Array {
		return &CheckError{fmt.Sprintf("the array has %d elements instead of %d", len(array), j.Array)}
	}
	for i, v := range array {
		if want := j.element(i); v != want {
			return &CheckError{fmt.Sprintf("element %d of the array is %v instead of %v", i, v, want)}
		}
	}
	return nil
}

// worker is one of the K that do the job at once in the variants without actors.
type worker interface {
	run()           // the job
	check() error   // what was kept
	counted() int64 // nodes constructed
}

// atOnce runs the job of all workers, a goroutine each, and times it from the first start to the last end.
func atOnce(workers []worker) (harness.Repetition, error) {
	// The garbage of the repetition before is not this one's to collect.
	runtime.GC()
	start := time.Now()
	if len(workers) == 1 {
		workers[0].run()
	} else {
		var all sync.WaitGroup
		for _, w := range workers {
			all.Go(w.run)
		}
		all.Wait()
	}
	rep := harness.Repetition{Millis: millis(time.Since(start))}
	for _, w := range workers {
		if err := w.check(); err != nil {
			return rep, err
		}
		rep.Count += w.counted()
	}
	return rep, nil
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
