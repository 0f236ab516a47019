package heaps

import (
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
)

// Actors is very many actors with a heap of one object each.
func Actors() harness.Workload {
	return harness.Workload{
		Name:        "actors",
		Summary:     "100,000 actors with one object each: the bytes of an actor and of its heap",
		Description: manyText,
		Flags:       func() []cli.Flag { return flagsOf(manySizes) },
		Runs:        5,
		Plan:        planMany,
		Child: harness.Players[params]{
			variantActors:     func(p params) harness.Repeat { return p.checkedMany(p.manyActors) },
			variantGoroutines: func(p params) harness.Repeat { return p.checkedMany(p.manyGoroutines) },
		}.Child,
	}
}

const manyText = `Actors are spawned, and each gets one message, on which it makes an object on its heap and keeps it. The time ends when all have. Then
the memory is counted, after Go's collector has run.

Variants:
  encorert     actors, each with a heap of its own
  goroutines   goroutines with a channel each, and the object on Go's heap

--json prints, as medians of the counted repetitions:
  workload, workers, runs, flags        what was run; the flag is actors
  ms, goroutines_ms                     encorert, goroutines
  speedup_vs_goroutines                 goroutines_ms / ms, higher is better
  heap_bytes                            outside Go's heap, for each actor: the heap that has its object
  bytes, goroutine_bytes                in all, for each actor and goroutine: Go's heap and stacks, and what is outside
  variants                              by name: median_ms, min_ms, max_ms, spread_pct, rss_mb, and
                                        slower, the paired difference to the first one (mean_ms, low_ms, high_ms)
  unit, samples                         "ms", and by variant those of each counted repetition
  machine                               cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
A field whose variant did not run is left out, and so is what the system does not tell.`

const variantGoroutines = "goroutines"

const (
	valueBytes     = "bytes"
	valueHeapBytes = "heap_bytes"
)

var manySizes = []size{{"actors", 100_000, 1, 10_000_000, "actors with one object each"}}

func planMany(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
	p, err := read(cmd, manySizes, common.Workers)
	if err != nil {
		return nil, err
	}
	variant := func(v string) harness.Variant {
		return harness.Variant{Name: v, Count: int64(p.Sizes["actors"]), Launch: harness.Self("actors", v, common.Workers, p)}
	}
	return &harness.Plan{
		Variants: []harness.Variant{variant(variantActors), variant(variantGoroutines)},
		Report: func(res *harness.Results) (harness.Report, error) {
			return newManyReport(common, res), nil
		},
	}, nil
}

// crowd is what one repetition gave.
type crowd struct {
	took      time.Duration
	made      int    // objects
	sum       uint64 // of what they hold
	goBytes   uint64 // of Go's heap and stacks, for all
	heapBytes int64  // outside, for all
}

// checkedMany makes repetitions, each of which starts from a collected heap.
func (p params) checkedMany(run func(before uint64) (crowd, error)) harness.Repeat {
	n := uint64(p.Sizes["actors"])
	return func() (harness.Repetition, error) {
		c, err := run(goBytes())
		if want := n * (n - 1) / 2; err == nil && c.sum != want {
			err = fmt.Errorf("actors: the objects hold %d in sum instead of %d", c.sum, want)
		}
		each := func(bytes float64) float64 { return bytes / float64(n) }
		return harness.Repetition{Millis: c.took.Seconds() * 1000, Count: int64(c.made), Values: map[string]float64{
			valueBytes:     each(float64(c.goBytes) + float64(c.heapBytes)),
			valueHeapBytes: each(float64(c.heapBytes)),
		}}, err
	}
}

// goBytes is what Go's heap and stacks hold after a collection.
func goBytes() uint64 {
	runtime.GC()
	runtime.GC() // the second one has nothing of the first left to sweep
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// since is how much more is held now.
func since(before uint64) uint64 {
	if now := goBytes(); now > before {
		return now - before
	}
	return 0
}

type plainObject struct {
	n    uint64
	next *plainObject
}

func (p params) manyGoroutines(before uint64) (crowd, error) {
	n := p.Sizes["actors"]
	channels := make([]chan uint64, n)
	var all, ended sync.WaitGroup
	all.Add(n)
	end := make(chan struct{})
	var mu sync.Mutex
	var c crowd
	start := time.Now()
	for i := range channels {
		mail := make(chan uint64, 1)
		channels[i] = mail
		ended.Go(func() {
			var kept *plainObject
			for {
				select {
				case v := <-mail:
					kept = &plainObject{v, kept}
					all.Done()
				case <-end:
					mu.Lock()
					for ; kept != nil; kept = kept.next {
						c.made++
						c.sum += kept.n
					}
					mu.Unlock()
					return
				}
			}
		})
		mail <- uint64(i)
	}
	all.Wait()
	c.took = time.Since(start)
	c.goBytes = since(before)
	close(end)
	ended.Wait()
	return c, nil
}

// manyReport is the JSON object. Pointers are nil, and left out, where the variant that they come from did not run.
type manyReport struct {
	harness.Head
	Millis           *float64 `json:"ms,omitempty"`
	GoroutinesMillis *float64 `json:"goroutines_ms,omitempty"`
	Speedup          *float64 `json:"speedup_vs_goroutines,omitempty"`
	HeapBytes        *float64 `json:"heap_bytes,omitempty"`
	Bytes            *float64 `json:"bytes,omitempty"`
	GoroutineBytes   *float64 `json:"goroutine_bytes,omitempty"`

	order []string
}

func newManyReport(common harness.Common, res *harness.Results) *manyReport {
	r := &manyReport{Head: harness.NewHead("actors", common, res, harness.Millis), order: res.Order}
	r.Millis, r.GoroutinesMillis = r.Median(variantActors), r.Median(variantGoroutines)
	r.Speedup = harness.Quotient(r.GoroutinesMillis, r.Millis)
	r.HeapBytes = res.Figure(variantActors, valueHeapBytes, 0)
	r.Bytes, r.GoroutineBytes = res.Figure(variantActors, valueBytes, 0), res.Figure(variantGoroutines, valueBytes, 0)
	return r
}

// Table prints the report for people.
func (r *manyReport) Table(w io.Writer) error {
	fmt.Fprintf(w, "actors, %s, %s of each variant\n\n", harness.Counted(r.Workers, "worker"), harness.Counted(r.Runs, "run"))
	if err := r.Head.Table(w, r.order); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if r.Speedup != nil {
		fmt.Fprintf(w, "%.2f times as fast as goroutines with channels\n", *r.Speedup)
	}
	if r.Bytes != nil {
		fmt.Fprintf(w, "%.0f bytes for an actor, of which %.0f are its heap outside of Go's\n", *r.Bytes, *r.HeapBytes)
	}
	if r.GoroutineBytes != nil {
		fmt.Fprintf(w, "%.0f bytes for a goroutine with a channel\n", *r.GoroutineBytes)
	}
	return nil
}
