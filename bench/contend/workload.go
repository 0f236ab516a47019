package contend

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/stats"
)

const name = "contend"

// Names of the variants.
const (
	variantOne   = "one"
	variantEight = "eight"
)

const valueWakes = "wakes"

// Workload is contend for the benchmark program.
func Workload() harness.Workload {
	return harness.Workload{
		Name:        name,
		Summary:     "one and eight actors increment a number under one lock",
		Description: description,
		Flags:       flags,
		Plan:        plan,
		Child:       players.Child,
	}
}

const description = `Actors increment one number, each 100,000 times, under one rt.Mutex. What is asked for is --workers 8.

Variants:
  one     one actor
  eight   eight actors at once

--json prints, as medians of the counted repetitions:
  workload, workers, runs, flags     what was run; the flag is increments
  one_ms, eight_ms                   the two variants
  ratio                              eight_ms / (8 x one_ms): what an increment costs more when eight contend
  wakes                              how often workers slept and were woken in a repetition of eight
  variants                           by name: median_ms, min_ms, max_ms, spread_pct, rss_mb, and
                                     slower, the paired difference to the first one (mean_ms, low_ms, high_ms)
  unit, samples                      "ms", and by variant those of each counted repetition
  machine                            cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
A field whose variant did not run is left out, and so is what the system does not tell.`

func flags() []cli.Flag {
	return []cli.Flag{&cli.IntFlag{Name: "increments", Value: 100_000, Usage: "increments of each actor"}}
}

// params is what a child gets.
type params struct {
	Increments int `json:"increments"`
	Workers    int `json:"workers"`
}

const (
	mostIncrements = 1_000_000_000 // picked
	eight          = 8
)

func plan(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
	p := params{Increments: cmd.Int("increments"), Workers: common.Workers}
	if p.Increments < 1 || p.Increments > mostIncrements {
		return nil, fmt.Errorf("--increments must be between 1 and %d", mostIncrements)
	}
	variant := func(v string, actors int) harness.Variant {
		return harness.Variant{
			Name: v, Count: int64(actors) * int64(p.Increments), Launch: harness.Self(name, v, common.Workers, p),
		}
	}
	return &harness.Plan{
		Variants: []harness.Variant{variant(variantOne, 1), variant(variantEight, eight)},
		Report: func(res *harness.Results) (harness.Report, error) {
			return newReport(p, common, res), nil
		},
	}, nil
}

var players = harness.Players[params]{
	variantOne:   func(p params) harness.Repeat { return p.actors(1) },
	variantEight: func(p params) harness.Repeat { return p.actors(eight) },
}

// report is the JSON object. Pointers are nil, and left out, where the variant that they come from did not run.
type report struct {
	harness.Head
	One   *float64 `json:"one_ms,omitempty"`
	Eight *float64 `json:"eight_ms,omitempty"`
	Ratio *float64 `json:"ratio,omitempty"`
	Wakes *float64 `json:"wakes,omitempty"`

	params params
	order  []string
}

func newReport(p params, common harness.Common, res *harness.Results) *report {
	r := &report{Head: harness.NewHead(name, common, res, harness.Millis), params: p, order: res.Order}
	r.One, r.Eight = r.Median(variantOne), r.Median(variantEight)
	if r.One != nil && r.Eight != nil {
		ratio := stats.Round(*r.Eight/(eight**r.One), 3)
		r.Ratio = &ratio
	}
	r.Wakes = res.Figure(variantEight, valueWakes, 1)
	return r
}

// Table prints the report for people.
func (r *report) Table(w io.Writer) error {
	fmt.Fprintf(w, "contend, %s of each actor, %s, %s of each variant\n\n", harness.Counted(r.params.Increments, "increment"),
		harness.Counted(r.Workers, "worker"), harness.Counted(r.Runs, "run"))
	if err := r.Head.Table(w, r.order); err != nil {
		return err
	}
	if r.Ratio != nil {
		fmt.Fprintf(w, "\nan increment of one of eight takes %v times that of one alone\n", *r.Ratio)
	}
	if r.Wakes != nil {
		fmt.Fprintf(w, "workers slept and woke %v times while eight ran\n", *r.Wakes)
	}
	return nil
}
