package messages

import (
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/goroutines"
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/versus"
)

// ringParams is what a child of pingpong or ring gets.
type ringParams struct {
	Nodes   int   `json:"nodes"`
	Tokens  int   `json:"tokens"`
	Hops    int64 `json:"hops"`  // of each token
	Piece   int64 `json:"piece"` // hops that are counted as one
	Workers int   `json:"workers"`
}

func (p ringParams) count() int64 { return int64(p.Tokens) * p.Hops / p.Piece }

// Most of everything, picked: a ring of a million goroutines is 3 GB, and 10^12 hops are a day.
const (
	mostActors   = 1_000_000
	mostMessages = 1_000_000_000_000
)

// PingPong is the workload pingpong.
func PingPong() harness.Workload {
	return versus.Contest[ringParams]{
		Name:    "pingpong",
		Summary: "one message back and forth between two actors, beside goroutines",
		Description: `Two actors send one message back and forth. A piece of work is a round trip: two messages.
` + variants + `
--json prints, with times as medians of the counted repetitions, for each round trip:
  workload, workers, runs, flags                what was run; flags are round_trips`,
		Piece: "round trip",
		Form:  versus.Nanos,
		Flags: func() []cli.Flag {
			return []cli.Flag{&cli.IntFlag{Name: "round-trips", Value: 500_000, Usage: "round trips of a repetition"}}
		},
		Params: func(cmd *cli.Command, common harness.Common) (ringParams, error) {
			p := ringParams{Nodes: 2, Tokens: 1, Hops: 2 * int64(cmd.Int("round-trips")), Piece: 2, Workers: common.Workers}
			if p.Hops < 2 || p.Hops > mostMessages {
				return p, fmt.Errorf("--round-trips must be between 1 and %d", int64(mostMessages)/2)
			}
			return p, nil
		},
		Title:      func(p ringParams) string { return harness.Counted(int(p.count()), "round trip") },
		Count:      ringParams.count,
		Actors:     ringParams.repeatActors,
		Goroutines: ringParams.repeatGoroutines,
	}.Workload()
}

const variants = `
Variants:
  encorert          annotated actors
  goroutines-chan   a goroutine with a buffered channel for each
  goroutines-mutex  a goroutine with a slice guarded by a mutex, which the goroutine swaps out whole
All carry messages of 48 bytes and dispatch them by a call through a descriptor. Messages are counted where they are
handled; a wrong count fails the run.
`

// Ring is the workload ring.
func Ring() harness.Workload {
	return versus.Contest[ringParams]{
		Name:    "ring",
		Summary: "a message round a ring of actors, beside goroutines",
		Description: `Actors in a ring pass tokens on to their neighbours. A piece of work is a hop: one message.
` + variants + `
--json prints, with times as medians of the counted repetitions, for each hop:
  workload, workers, runs, flags                what was run; flags are actors, tokens, hops`,
		Piece: "hop",
		Form:  versus.Nanos,
		Flags: func() []cli.Flag {
			return []cli.Flag{
				&cli.IntFlag{Name: "actors", Value: 100, Usage: "size of the ring"},
				&cli.IntFlag{Name: "tokens", Value: 1, Usage: "messages that go round at once"},
				&cli.IntFlag{Name: "hops", Value: 1_000_000, Usage: "hops of a repetition, of each token"},
			}
		},
		Params: func(cmd *cli.Command, common harness.Common) (ringParams, error) {
			p := ringParams{
				Nodes: cmd.Int("actors"), Tokens: cmd.Int("tokens"), Hops: int64(cmd.Int("hops")), Piece: 1, Workers: common.Workers,
			}
			switch {
			case p.Nodes < 2 || p.Nodes > mostActors:
				return p, fmt.Errorf("--actors must be between 2 and %d", mostActors)
			case p.Tokens < 1 || p.Tokens > mostActors:
				return p, fmt.Errorf("--tokens must be between 1 and %d", mostActors)
			case p.Hops < 1 || p.Hops > mostMessages/int64(p.Tokens):
				return p, fmt.Errorf("--hops must be 1 or more, and at most %d for all tokens together", int64(mostMessages))
			}
			return p, nil
		},
		Title: func(p ringParams) string {
			return fmt.Sprintf("%s, %s", harness.Counted(p.Nodes, "actor"), harness.Counted(p.Tokens, "token"))
		},
		Count:      ringParams.count,
		Actors:     ringParams.repeatActors,
		Goroutines: ringParams.repeatGoroutines,
	}.Workload()
}

func (p ringParams) repeatActors(func(string)) harness.Repeat {
	return func() (harness.Repetition, error) {
		hops, took, err := runRing(p)
		return repetition(hops/p.Piece, took), err
	}
}

func (p ringParams) repeatGoroutines(kind goroutines.Kind, _ func(string)) harness.Repeat {
	return func() (harness.Repetition, error) {
		hops, took := runGoRing(p, kind)
		return repetition(hops/p.Piece, took), nil
	}
}
