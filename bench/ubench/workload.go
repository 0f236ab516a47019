package ubench

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/goroutines"
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/versus"
)

// Workload is message-ubench for the benchmark program.
func Workload() harness.Workload {
	return versus.Contest[params]{
		Name:        "ubench",
		Summary:     "Pony's message-ubench: pingers send pings on at random, beside goroutines",
		Description: description,
		Piece:       "ping",
		Form:        versus.Rate,
		Flags:       flags,
		Params:      read,
		Title:       params.title,
		Takes:       params.takes,
		Actors:      repeatActors,
		Goroutines:  repeatGoroutines,
	}.Workload()
}

const description = `Pingers send pings on to random pingers, as in Pony's message-ubench. A repetition is a sequence of
intervals; in each, all pingers start, get their initial pings, and at its end stop and report how many pings they
got. The line of each interval goes to stderr, unless --json is given: its time and its rate.

Variants:
  encorert          annotated actors
  goroutines-chan   a goroutine with a buffered channel for each pinger
  goroutines-mutex  a goroutine with a slice guarded by a mutex, which the goroutine swaps out whole
All carry messages of 48 bytes and dispatch them by a call through a descriptor. Every ping that was started must
be there when the pingers have stopped, or the run fails.

--json prints, with rates from the median times of the counted repetitions:
  workload, workers, runs, flags                what was run; flags are pingers, initial_pings, ...`

func flags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "pingers", Value: 8, Usage: "number of pingers"},
		&cli.IntFlag{Name: "initial-pings", Value: 5, Usage: "pings sent to each pinger when an interval begins"},
		&cli.FloatFlag{Name: "seconds", Value: 1, Usage: "length of a repetition; the last interval is cut there"},
		&cli.IntFlag{Name: "report-interval", Value: 10, Usage: "length of an interval in `tenths` of a second, as in Pony"},
		&cli.IntFlag{Name: "report-count", Usage: "intervals of a repetition, instead of --seconds; 0: by --seconds"},
	}
}

// params is what a child gets.
type params struct {
	Pingers   int             `json:"pingers"`
	Pings     int             `json:"initial_pings"`
	Workers   int             `json:"workers"`
	Intervals []time.Duration `json:"intervals_ns"`
}

// Bounds, picked: a million pings at once are 48 MB of messages, and a day of reports is 86400.
const (
	mostPings     = 1_000_000
	mostIntervals = 100_000
)

func read(cmd *cli.Command, common harness.Common) (params, error) {
	p := params{Pingers: cmd.Int("pingers"), Pings: cmd.Int("initial-pings"), Workers: common.Workers}
	seconds, count := cmd.Float("seconds"), cmd.Int("report-count")
	interval := time.Duration(cmd.Int("report-interval")) * time.Second / 10
	switch {
	case p.Pingers < 1 || p.Pingers > mostPings:
		return p, fmt.Errorf("--pingers must be between 1 and %d", mostPings)
	case p.Pings < 1 || p.Pings > mostPings/p.Pingers:
		return p, fmt.Errorf("--initial-pings must be 1 or more, and at most %d for all pingers together", mostPings)
	case interval <= 0:
		return p, errors.New("--report-interval must be 1 or more")
	case count < 0 || count > mostIntervals:
		return p, fmt.Errorf("--report-count must be between 0 and %d", mostIntervals)
	case !(seconds > 0) || seconds > interval.Seconds()*mostIntervals:
		return p, fmt.Errorf("--seconds must be above 0, and at most %d intervals", mostIntervals)
	}
	if count > 0 {
		for range count {
			p.Intervals = append(p.Intervals, interval)
		}
		return p, nil
	}
	for left := time.Duration(seconds * float64(time.Second)); left > 0; left -= interval {
		p.Intervals = append(p.Intervals, min(left, interval))
	}
	return p, nil
}

func (p params) title() string {
	return fmt.Sprintf("%s x %s", harness.Counted(p.Pingers, "pinger"), harness.Counted(p.Pings, "ping"))
}

func (p params) takes() time.Duration {
	var sum time.Duration
	for _, d := range p.Intervals {
		sum += d
	}
	return sum
}

// tally is what the pingers report at the end of an interval, in sum.
type tally struct {
	pings int64 // handled while the pingers were going
	late  int64 // after they had stopped
}

// LostError says that not all pings were there when the pingers had stopped.
type LostError struct{ Late, Want int64 }

func (e *LostError) Error() string {
	return fmt.Sprintf("ubench: %d pings arrived after the stop, where %d were on their way", e.Late, e.Want)
}

// field is one set of pingers and their leader.
type field interface {
	begin() error        // lets the pingers go and sends the pings
	end() (tally, error) // stops them
	close() error
}

// run runs the intervals of one repetition.
func (p params) run(f field, say func(string)) (harness.Repetition, error) {
	var rep harness.Repetition
	for _, interval := range p.Intervals {
		start := time.Now()
		if err := f.begin(); err != nil {
			return rep, err
		}
		time.Sleep(interval)
		t, err := f.end()
		if err != nil {
			return rep, err
		}
		took := time.Since(start)
		if want := int64(p.Pingers) * int64(p.Pings); t.late != want {
			return rep, &LostError{Late: t.late, Want: want}
		}
		pings := t.pings + t.late
		rep.Count += pings
		rep.Millis += took.Seconds() * 1000
		say(fmt.Sprintf("%.3f s, %.0f pings/s", took.Seconds(), float64(pings)/took.Seconds()))
	}
	return rep, nil
}

// repeat runs each repetition on a field of its own.
func (p params) repeat(say func(string), plant func() (field, error)) harness.Repeat {
	return func() (harness.Repetition, error) {
		f, err := plant()
		if err != nil {
			return harness.Repetition{}, err
		}
		rep, err := p.run(f, say)
		return rep, errors.Join(err, f.close())
	}
}

func repeatGoroutines(p params, kind goroutines.Kind, say func(string)) harness.Repeat {
	return p.repeat(say, func() (field, error) { return plantGoroutines(p, kind), nil })
}
