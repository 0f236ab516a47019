package spread

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/stats"
)

const name = "spread"

// Names of the variants.
const (
	variantActors = "encorert"
	variantIdeal  = "ideal"
)

// Workload is spread for the benchmark program.
func Workload() harness.Workload {
	return harness.Workload{
		Name:        name,
		Summary:     "one actor hands out work that computes: how busy are the workers?",
		Description: description,
		Flags:       flags,
		Plan:        plan,
		Child:       players.Child,
	}
}

const description = `One actor starts many others in one behaviour. Each computes once, for a fixed number of steps, and reports back.

Variants:
  encorert   annotated actors
  ideal      as many goroutines as there are workers, each with its equal share of the same work: nothing is handed out

Utilisation is the time inside behaviours over the number of workers times the time of the job. Time is taken by the
clock on the wall: a worker that other programs keep from its processor counts as busy.

--json prints, as medians of the counted repetitions:
  workload, workers, runs, flags                what was run; flags are units, steps
  ms, ideal_ms                                  encorert, ideal
  utilisation                                   of encorert's workers; 1 is the limit
  variants                                      by name: median_ms, min_ms, max_ms, spread_pct, rss_mb, and
                                                slower, the paired difference to the first one (mean_ms, low_ms, high_ms)
  unit, samples                                 "ms", and by variant those of each counted repetition
  machine                                       cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
A field whose variant did not run is left out, and so is what the system does not tell.`

func flags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "units", Value: 256, Usage: "actors that compute"},
		&cli.IntFlag{Name: "steps", Value: 500_000, Usage: "steps of each; 500,000 take about a millisecond"},
	}
}

// params is what a child gets.
type params struct {
	Units   int `json:"units"`
	Steps   int `json:"steps"`
	Workers int `json:"workers"`
}

// Bounds, picked.
const (
	mostUnits = 1_000_000
	mostSteps = 1_000_000_000
)

func plan(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
	p := params{Units: cmd.Int("units"), Steps: cmd.Int("steps"), Workers: common.Workers}
	switch {
	case p.Units < 1 || p.Units > mostUnits:
		return nil, fmt.Errorf("--units must be between 1 and %d", mostUnits)
	case p.Steps < 1 || p.Steps > mostSteps:
		return nil, fmt.Errorf("--steps must be between 1 and %d", mostSteps)
	}
	variant := func(v string) harness.Variant {
		return harness.Variant{Name: v, Count: int64(p.Units), Launch: harness.Self(name, v, common.Workers, p)}
	}
	return &harness.Plan{
		Variants: []harness.Variant{variant(variantActors), variant(variantIdeal)},
		Report: func(res *harness.Results) (harness.Report, error) {
			return newReport(p, common, res), nil
		},
	}, nil
}

var players = harness.Players[params]{
	variantActors: func(p params) harness.Repeat { return p.checked(p.actors) },
	variantIdeal:  func(p params) harness.Repeat { return p.checked(p.ideal) },
}

// outcome is what one repetition gave.
type outcome struct {
	took time.Duration
	busy time.Duration // inside behaviours, all together
	done int64         // units
	sum  uint64        // of what the units computed
}

// checked makes repetitions of a job whose units must all compute the same.
func (p params) checked(job func() (outcome, error)) harness.Repeat {
	want := compute(p.Steps) * uint64(p.Units)
	return func() (harness.Repetition, error) {
		o, err := job()
		if err == nil && o.sum != want {
			err = fmt.Errorf("spread: the units computed %d in sum instead of %d", o.sum, want)
		}
		return harness.Repetition{Millis: o.took.Seconds() * 1000, Count: o.done, Values: map[string]float64{
			valueUtilisation: o.busy.Seconds() / (o.took.Seconds() * float64(p.Workers)),
		}}, err
	}
}

const valueUtilisation = "utilisation"

// compute does steps that depend on each other (xorshift64).
func compute(steps int) uint64 {
	x := uint64(1)
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// ideal deals the units out beforehand.
func (p params) ideal() (outcome, error) {
	sums := make([]uint64, p.Workers)
	start := time.Now()
	var all sync.WaitGroup
	for w := range p.Workers {
		all.Go(func() {
			for range p.Units*(w+1)/p.Workers - p.Units*w/p.Workers {
				sums[w] += compute(p.Steps)
			}
		})
	}
	all.Wait()
	o := outcome{took: time.Since(start), done: int64(p.Units)}
	o.busy = o.took * time.Duration(p.Workers)
	for _, s := range sums {
		o.sum += s
	}
	return o, nil
}

// report is the JSON object. Pointers are nil, and left out, where the variant that they come from did not run.
type report struct {
	harness.Head
	Millis      *float64 `json:"ms,omitempty"`
	IdealMillis *float64 `json:"ideal_ms,omitempty"`
	Utilisation *float64 `json:"utilisation,omitempty"`

	params params
	order  []string
}

func newReport(p params, common harness.Common, res *harness.Results) *report {
	r := &report{Head: harness.NewHead(name, common, res, harness.Millis), params: p, order: res.Order}
	r.Millis, r.IdealMillis = r.Median(variantActors), r.Median(variantIdeal)
	r.Utilisation = res.Figure(variantActors, valueUtilisation, 4)
	return r
}

// Table prints the report for people.
func (r *report) Table(w io.Writer) error {
	fmt.Fprintf(w, "spread, %s of %d steps, %s, %s of each variant\n\n", harness.Counted(r.params.Units, "unit"), r.params.Steps,
		harness.Counted(r.Workers, "worker"), harness.Counted(r.Runs, "run"))
	if err := r.Head.Table(w, r.order); err != nil {
		return err
	}
	if r.Utilisation != nil {
		fmt.Fprintf(w, "\nutilisation of encorert's workers: %v\n", stats.Round(*r.Utilisation, 3))
	}
	return nil
}
