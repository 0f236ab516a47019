package own

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/peers/library"
	"github.com/encorert/encorert/bench/versus"
)

// Ask is the workload ask.
func Ask() harness.Workload {
	return workload("ask", "one actor asks another and waits for the answer", "ask", 20_000, ask)
}

// Spawn is the workload spawn.
func Spawn() harness.Workload {
	return workload("spawn", "actors are made, handle one message, and are gone", "actor", 5_000, spawn)
}

const most = 100_000_000 // picked

func workload(name, summary, piece string, times int, repetition func(library.Count) (harness.Repetition, error)) harness.Workload {
	return harness.Workload{
		Name:    name,
		Summary: summary,
		Description: "Times are for each " + piece + `.

--json prints: workload, workers, runs, flags, variants (by name: median_ns, ...), unit, samples, machine.`,
		Flags: func() []cli.Flag {
			return []cli.Flag{&cli.IntFlag{Name: "times", Value: times, Usage: "of a repetition"}}
		},
		Plan: func(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
			p := library.Count{Times: cmd.Int("times"), Workers: common.Workers}
			if p.Times < 1 || p.Times > most {
				return nil, fmt.Errorf("--times must be between 1 and %d", most)
			}
			return &harness.Plan{
				Variants: []harness.Variant{{
					Name: versus.Actors, Count: int64(p.Times), Launch: harness.Self(name, versus.Actors, common.Workers, p),
				}},
				Report: func(res *harness.Results) (harness.Report, error) {
					return report{harness.NewHead(name, common, res, harness.NanosEach), res.Order}, nil
				},
			}, nil
		},
		Child: harness.Players[library.Count]{versus.Actors: func(p library.Count) harness.Repeat {
			return func() (harness.Repetition, error) { return repetition(p) }
		}}.Child,
	}
}

type report struct {
	harness.Head
	order []string
}

// Table prints the report for people.
func (r report) Table(w io.Writer) error { return r.Head.Table(w, r.order) }
