package messages

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/goroutines"
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/versus"
)

// faninParams is what a child of fanin gets.
type faninParams struct {
	Senders int   `json:"senders"`
	Burst   int   `json:"burst"`
	Each    int64 `json:"each"` // messages of each sender
	Workers int   `json:"workers"`
}

func (p faninParams) count() int64 { return int64(p.Senders) * p.Each }

// FanIn is the workload fanin.
func FanIn() harness.Workload {
	return versus.Contest[faninParams]{
		Name:    "fanin",
		Summary: "many actors send to one, beside goroutines",
		Description: `Senders send bursts of messages to one receiver. After each burst the sender waits for the receiver's credit, so
that what waits is bounded. A piece of work is a message of a burst; credits, one message each way for each burst,
are not counted.
` + variants + `
--json prints, with rates from the median times of the counted repetitions:
  workload, workers, runs, flags                what was run; flags are senders, burst, messages`,
		Piece: "message",
		Form:  versus.Rate,
		Flags: func() []cli.Flag {
			return []cli.Flag{
				&cli.IntFlag{Name: "senders", Value: 8, Usage: "number of senders"},
				&cli.IntFlag{Name: "burst", Value: 100, Usage: "messages before a sender waits for credit"},
				&cli.IntFlag{Name: "messages", Value: 500_000, Usage: "messages of a repetition, of each sender"},
			}
		},
		Params: func(cmd *cli.Command, common harness.Common) (faninParams, error) {
			p := faninParams{Senders: cmd.Int("senders"), Burst: cmd.Int("burst"), Each: int64(cmd.Int("messages")), Workers: common.Workers}
			switch {
			case p.Senders < 1 || p.Senders > mostActors:
				return p, fmt.Errorf("--senders must be between 1 and %d", mostActors)
			case p.Burst < 1 || p.Burst > mostActors/p.Senders:
				return p, fmt.Errorf("--burst must be 1 or more, and at most %d for all senders together", mostActors)
			case p.Each < 1 || p.Each > mostMessages/int64(p.Senders):
				return p, fmt.Errorf("--messages must be 1 or more, and at most %d for all senders together", int64(mostMessages))
			}
			return p, nil
		},
		Title: func(p faninParams) string {
			return fmt.Sprintf("%s, bursts of %d", harness.Counted(p.Senders, "sender"), p.Burst)
		},
		Count:      faninParams.count,
		Actors:     faninParams.repeatActors,
		Goroutines: faninParams.repeatGoroutines,
	}.Workload()
}

func (p faninParams) repeatActors(func(string)) harness.Repeat {
	return func() (harness.Repetition, error) {
		count, took, err := runFanIn(p)
		return repetition(count, took), err
	}
}

func (p faninParams) repeatGoroutines(kind goroutines.Kind, _ func(string)) harness.Repeat {
	return func() (harness.Repetition, error) { return repetition(runGoFanIn(p, kind)), nil }
}

func repetition(count int64, took time.Duration) harness.Repetition {
	return harness.Repetition{Millis: took.Seconds() * 1000, Count: count}
}
