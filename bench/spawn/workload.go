package spawn

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
)

const name = "spawn"

// Names of the variants.
const (
	variantActors         = "encorert"
	variantGoroutines     = "goroutines"
	variantIdleActors     = "encorert-idle"
	variantIdleGoroutines = "goroutines-idle"
)

// valueBytes is the memory of each one that is idle.
const valueBytes = "bytes_each"

// Workload is the benchmark of actors' lives for the benchmark program.
func Workload() harness.Workload {
	return harness.Workload{
		Name:        name,
		Summary:     "actors made for one message, and the memory of idle ones, beside goroutines",
		Description: description,
		Flags:       flags,
		Plan:        plan,
		Child:       players.Child,
	}
}

const description = `Actors are made, get one message each, and are dropped; the time ends when all messages are handled. Other
actors are kept, and the memory of Go's heap and stacks is measured when they have handled a message and are idle.

Variants:
  encorert          annotated actors, without objects in a heap of their own
  goroutines        a goroutine for each message, which is its argument: no channel
  encorert-idle     actors that are kept
  goroutines-idle   goroutines that are kept, each waiting at its channel for the next message

--json prints, with times as medians of the counted repetitions, for each actor or goroutine:
  workload, workers, runs, flags                       what was run; flags are actors, idle
  ns_per_actor, goroutine_ns                           made, messaged and dropped
  ratio                                                goroutine_ns / ns_per_actor, higher is better
  bytes_per_idle_actor, bytes_per_idle_goroutine       memory
  variants                                             by name: median_ns, min_ns, max_ns, spread_pct, rss_mb, and
                                                       slower, the paired difference to the first one (mean_ns, low_ns, high_ns)
  unit, samples                                        "ns", and by variant those of each counted repetition
  machine                                              cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
A field whose variant did not run is left out, and so is what the system does not tell.`

func flags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "actors", Value: 300_000, Usage: "actors, or goroutines, of a repetition that drops them"},
		&cli.IntFlag{Name: "idle", Value: 100_000, Usage: "actors, or goroutines, of a repetition that keeps them"},
	}
}

// params is what a child gets.
type params struct {
	Actors  int `json:"actors"`
	Idle    int `json:"idle"`
	Workers int `json:"workers"`
}

// Most of each, picked: a million idle goroutines are 3 GB.
const (
	mostActors = 1_000_000_000
	mostIdle   = 1_000_000
)

func plan(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
	p := params{Actors: cmd.Int("actors"), Idle: cmd.Int("idle"), Workers: common.Workers}
	switch {
	case p.Actors < 1 || p.Actors > mostActors:
		return nil, fmt.Errorf("--actors must be between 1 and %d", mostActors)
	case p.Idle < 1 || p.Idle > mostIdle:
		return nil, fmt.Errorf("--idle must be between 1 and %d", mostIdle)
	}
	variant := func(v string, count int) harness.Variant {
		return harness.Variant{Name: v, Count: int64(count), Launch: harness.Self(name, v, common.Workers, p)}
	}
	return &harness.Plan{
		Variants: []harness.Variant{
			variant(variantActors, p.Actors), variant(variantGoroutines, p.Actors),
			variant(variantIdleActors, p.Idle), variant(variantIdleGoroutines, p.Idle),
		},
		Report: func(res *harness.Results) (harness.Report, error) { return newReport(p, common, res), nil },
	}, nil
}

var players = harness.Players[params]{
	variantActors:         func(p params) harness.Repeat { return p.actors },
	variantGoroutines:     func(p params) harness.Repeat { return p.goroutines },
	variantIdleActors:     func(p params) harness.Repeat { return p.idleActors },
	variantIdleGoroutines: func(p params) harness.Repeat { return p.idleGoroutines },
}

// report is the JSON object. Pointers are nil, and left out, where the variant that they come from did not run.
type report struct {
	harness.Head
	Actor          *float64 `json:"ns_per_actor,omitempty"`
	Goroutine      *float64 `json:"goroutine_ns,omitempty"`
	Ratio          *float64 `json:"ratio,omitempty"`
	ActorBytes     *float64 `json:"bytes_per_idle_actor,omitempty"`
	GoroutineBytes *float64 `json:"bytes_per_idle_goroutine,omitempty"`

	params params
	order  []string
}

func newReport(p params, common harness.Common, res *harness.Results) *report {
	r := &report{Head: harness.NewHead(name, common, res, harness.NanosEach), params: p, order: res.Order}
	r.Actor, r.Goroutine = r.Median(variantActors), r.Median(variantGoroutines)
	r.Ratio = harness.Quotient(r.Goroutine, r.Actor)
	r.ActorBytes = res.Figure(variantIdleActors, valueBytes, 0)
	r.GoroutineBytes = res.Figure(variantIdleGoroutines, valueBytes, 0)
	return r
}

// Table prints the report for people.
func (r *report) Table(w io.Writer) error {
	fmt.Fprintf(w, "spawn, %s dropped, %d kept, %s, %s of each variant\n\n", harness.Counted(r.params.Actors, "actor"), r.params.Idle,
		harness.Counted(r.Workers, "worker"), harness.Counted(r.Runs, "run"))
	if err := r.Head.Table(w, r.order); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if r.Ratio != nil {
		fmt.Fprintf(w, "a goroutine takes %v times what an actor does\n", *r.Ratio)
	}
	if r.ActorBytes != nil {
		fmt.Fprintf(w, "an idle actor takes %v bytes\n", *r.ActorBytes)
	}
	if r.GoroutineBytes != nil {
		fmt.Fprintf(w, "an idle goroutine with its channel takes %v bytes\n", *r.GoroutineBytes)
	}
	return nil
}
