package heaps

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

// Names of the variants.
const (
	variantActors = "encorert"
	variantGo     = "go"
)

// Keys of harness.Repetition.Values.
const (
	valueCollections = "collections"
	valuePauseP95    = "pause_p95_us"
	valueMaxPause    = "max_pause_us"
)

// size is a flag of a job.
type size struct {
	name        string
	value       int // default
	least, most int
	usage       string
}

// params is what a child gets: the sizes by the names of their flags.
type params struct {
	Sizes   map[string]int `json:"sizes"`
	Workers int            `json:"workers"`
}

// job is a workload of one actor, or goroutine.
type job struct {
	name, summary, description string
	sizes                      []size
	validate                   func(p params) error // nil: sizes are free of each other
	ops                        func(p params) int64 // pieces of work that a repetition counts
	want                       func(p params) uint64
	// spawn makes the actor and returns what starts it; done gets its checksum.
	spawn func(ctx *rt.Ctx, p params) func(ctx *rt.Ctx, done futures.Promise[uint64])
	// plain does the job on Go's heap and returns the checksum.
	plain func(p params) uint64
}

const figuresText = `
Variants:
  encorert   an actor on its own traced heap
  go         a goroutine on Go's heap, GOGC=100

--json prints, as medians of the counted repetitions:
  workload, workers, runs, flags             what was run; flags are %s
  ms, plain_go_ms                            encorert, go
  speedup_vs_go                              plain_go_ms / ms, higher is better
  rss_mb, plain_go_rss_mb                    peak resident memory of the processes, MiB
  collections, pause_p95_us, max_pause_us    of encorert in a repetition
  variants                                   by name: median_ms, min_ms, max_ms, spread_pct, rss_mb, and
                                             slower, the paired difference to the first one (mean_ms, low_ms, high_ms)
  unit, samples                              "ms", and by variant those of each counted repetition
  machine                                    cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
A field whose variant did not run is left out, and so is what the system does not tell.`

// workload offers the job to the benchmark program.
func (j job) workload() harness.Workload {
	names := make([]string, len(j.sizes))
	for i, s := range j.sizes {
		names[i] = strings.ReplaceAll(s.name, "-", "_")
	}
	return harness.Workload{
		Name:        j.name,
		Summary:     j.summary,
		Description: j.description + "\n" + fmt.Sprintf(figuresText, strings.Join(names, ", ")),
		Flags:       func() []cli.Flag { return flagsOf(j.sizes) },
		Runs:        5,
		Warmup:      1,
		Plan:        j.plan,
		Child: harness.Players[params]{
			variantActors: j.repeatActors,
			variantGo:     j.repeatPlain,
		}.Child,
	}
}

func flagsOf(sizes []size) (list []cli.Flag) {
	for _, s := range sizes {
		list = append(list, &cli.IntFlag{Name: s.name, Value: s.value, Usage: s.usage})
	}
	return list
}

// read takes the sizes from the command line.
func read(cmd *cli.Command, sizes []size, workers int) (params, error) {
	p := params{Sizes: map[string]int{}, Workers: workers}
	for _, s := range sizes {
		v := cmd.Int(s.name)
		if v < s.least || v > s.most {
			return p, fmt.Errorf("--%s must be between %d and %d, got %d", s.name, s.least, s.most, v)
		}
		p.Sizes[s.name] = v
	}
	return p, nil
}

func (j job) plan(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
	p, err := read(cmd, j.sizes, common.Workers)
	if err != nil {
		return nil, err
	}
	if j.validate != nil {
		if err := j.validate(p); err != nil {
			return nil, err
		}
	}
	variant := func(v string) harness.Variant {
		return harness.Variant{Name: v, Count: j.ops(p), Launch: harness.Self(j.name, v, common.Workers, p)}
	}
	return &harness.Plan{
		Variants: []harness.Variant{variant(variantActors), variant(variantGo)},
		Report: func(res *harness.Results) (harness.Report, error) {
			return newReport(j.name, common, res), nil
		},
	}, nil
}

// checked makes repetitions of a job that must compute what the simulation does.
func (j job) checked(p params, run func() (uint64, time.Duration, map[string]float64, error)) harness.Repeat {
	want := sync.OnceValue(func() uint64 { return j.want(p) })
	return func() (harness.Repetition, error) {
		runtime.GC() // the garbage of the repetition before is not this one's to collect
		sum, took, values, err := run()
		if err == nil && sum != want() {
			err = fmt.Errorf("%s: the checksum is %d instead of %d", j.name, sum, want())
		}
		return harness.Repetition{Millis: took.Seconds() * 1000, Count: j.ops(p), Values: values}, err
	}
}

func (j job) repeatPlain(p params) harness.Repeat {
	return j.checked(p, func() (uint64, time.Duration, map[string]float64, error) {
		start := time.Now()
		sum := j.plain(p)
		return sum, time.Since(start), nil, nil
	})
}

// repeatActors runs each repetition in a runtime of its own, whose start and end are not timed.
func (j job) repeatActors(p params) harness.Repeat {
	return j.checked(p, func() (sum uint64, took time.Duration, values map[string]float64, err error) {
		r, err := rt.New(rt.Config{Workers: p.Workers})
		if err != nil {
			return 0, 0, nil, err
		}
		defer func() {
			if closed := r.Close(); err == nil {
				err = closed
			}
		}()
		var done futures.Future[uint64]
		var start time.Time
		if err := r.Do(context.Background(), func(cctx **rt.Ctx) {
			ctx := *cctx
			begin := j.spawn(ctx, p)
			answer := futures.NewPromise[uint64](ctx, nil)
			done = answer.Future()
			start = time.Now()
			begin(ctx, answer)
		}); err != nil {
			return 0, 0, nil, err
		}
		sum, err = done.Wait(context.Background())
		took = time.Since(start)
		stats := r.Stats().Heap
		micros := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
		return sum, took, map[string]float64{
			valueCollections: float64(stats.Minor + stats.Full),
			valuePauseP95:    micros(stats.Pauses.Quantile(0.95)),
			valueMaxPause:    micros(stats.Pauses.Max),
		}, err
	})
}

// report is the JSON object. Pointers are nil, and left out, where the variant that they come from did not run.
type report struct {
	harness.Head
	Millis         *float64 `json:"ms,omitempty"`
	PlainGoMillis  *float64 `json:"plain_go_ms,omitempty"`
	SpeedupVsGo    *float64 `json:"speedup_vs_go,omitempty"`
	RSSMB          *float64 `json:"rss_mb,omitempty"`
	PlainGoRSSMB   *float64 `json:"plain_go_rss_mb,omitempty"`
	Collections    *float64 `json:"collections,omitempty"`
	PauseP95Micros *float64 `json:"pause_p95_us,omitempty"`
	MaxPauseMicros *float64 `json:"max_pause_us,omitempty"`

	order []string
}

func newReport(name string, common harness.Common, res *harness.Results) *report {
	r := &report{Head: harness.NewHead(name, common, res, harness.Millis), order: res.Order}
	r.Millis, r.PlainGoMillis = r.Median(variantActors), r.Median(variantGo)
	r.SpeedupVsGo = harness.Quotient(r.PlainGoMillis, r.Millis)
	r.RSSMB, r.PlainGoRSSMB = resident(r.Head, variantActors), resident(r.Head, variantGo)
	r.Collections = res.Figure(variantActors, valueCollections, 0)
	r.PauseP95Micros = res.Figure(variantActors, valuePauseP95, 1)
	r.MaxPauseMicros = res.Figure(variantActors, valueMaxPause, 1)
	return r
}

// resident is a variant's peak memory in MiB, nil where it did not run or the system does not tell.
func resident(h harness.Head, variant string) *float64 {
	if mb := h.Variants[variant].RSSMB; mb != 0 {
		return &mb
	}
	return nil
}

// Table prints the report for people.
func (r *report) Table(w io.Writer) error {
	fmt.Fprintf(w, "%s, %s, %s of each variant\n\n", r.Workload, harness.Counted(r.Workers, "worker"), harness.Counted(r.Runs, "run"))
	if err := r.Head.Table(w, r.order); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if r.SpeedupVsGo != nil {
		fmt.Fprintf(w, "%.2f times as fast as plain Go\n", *r.SpeedupVsGo)
	}
	if r.Collections != nil {
		fmt.Fprintf(w, "collections %.0f, pauses: 95th percentile %.0f us, median of the runs' longest %.0f us\n",
			*r.Collections, *r.PauseP95Micros, *r.MaxPauseMicros)
	}
	return nil
}

// random is xorshift64: the same numbers for the actor, the goroutine and the simulation.
type random uint64

func (x *random) next() uint64 {
	v := uint64(*x)
	v ^= v << 13
	v ^= v >> 7
	v ^= v << 17
	*x = random(v)
	return v
}

const seed random = 0x9E3779B97F4A7C15
