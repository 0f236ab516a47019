// Package versus makes workloads that run the same messages through encorert's actors and through goroutines:
// with channels, and with slices guarded by mutexes (package goroutines).
package versus

import (
	"encoding/json"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/goroutines"
	"github.com/encorert/encorert/bench/harness"
)

// Names of the variants.
const (
	Actors = "encorert"
	Chan   = "goroutines-chan"
	Mutex  = "goroutines-mutex"
)

// Form says how the figures of a contest are reported.
type Form int

// Forms.
const (
	Nanos Form = iota // ns, goroutines_chan_ns, goroutines_mutex_ns
	Rate              // msgs_per_s, goroutines_chan_msgs_per_s, goroutines_mutex_msgs_per_s
)

// Contest is a workload whose repetitions count messages, or whatever else Piece names. P are its parameters; they
// go to the children as JSON.
type Contest[P any] struct {
	Name, Summary, Description string
	Piece                      string // what is counted, for the table: "round trip"
	Form                       Form
	Flags                      func() []cli.Flag
	// Params reads the flags. Its errors are the user's.
	Params func(cmd *cli.Command, common harness.Common) (P, error)
	Title  func(p P) string // what is run, for the table: "25 pingers x 10 pings"
	// Count, if set, is what each repetition has to count. Where it is not, repetitions check themselves.
	Count func(p P) int64
	// Takes, if set, is how long a repetition lasts by its parameters.
	Takes func(p P) time.Duration

	Actors     func(p P, say func(string)) harness.Repeat
	Goroutines func(p P, kind goroutines.Kind, say func(string)) harness.Repeat
}

// Workload is the contest for the benchmark program.
func (c Contest[P]) Workload() harness.Workload {
	return harness.Workload{
		Name: c.Name, Summary: c.Summary, Description: c.Description + fields[c.Form], Flags: c.Flags,
		Plan: c.plan, Child: c.child,
	}
}

func (c Contest[P]) plan(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
	p, err := c.Params(cmd, common)
	if err != nil {
		return nil, err
	}
	plan := &harness.Plan{Report: func(res *harness.Results) (harness.Report, error) {
		return newReport(c.Name, c.Title(p), c.Piece, c.Form, common, res), nil
	}}
	var count int64
	if c.Count != nil {
		count = c.Count(p)
	}
	if c.Takes != nil {
		plan.Takes = c.Takes(p)
	}
	for _, variant := range []string{Actors, Chan, Mutex} {
		plan.Variants = append(plan.Variants, harness.Variant{
			Name: variant, Count: count, Launch: harness.Self(c.Name, variant, common.Workers, p),
		})
	}
	return plan, nil
}

func (c Contest[P]) child(variant string, text json.RawMessage, say func(string)) (harness.Repeat, error) {
	goroutine := func(kind goroutines.Kind) func(P) harness.Repeat {
		return func(p P) harness.Repeat { return c.Goroutines(p, kind, say) }
	}
	return harness.Players[P]{
		Actors: func(p P) harness.Repeat { return c.Actors(p, say) },
		Chan:   goroutine(goroutines.Channel),
		Mutex:  goroutine(goroutines.Slice),
	}.Child(variant, text, say)
}
