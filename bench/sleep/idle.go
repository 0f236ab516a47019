package sleep

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/goroutines"
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/stats"
)

// Names of the variants, of both workloads.
const (
	variantActors     = "encorert"
	variantGoroutines = "goroutines"
)

const idleName = "idle"

// Idle is the workload idle.
func Idle() harness.Workload {
	return harness.Workload{
		Name:        idleName,
		Summary:     "processor time while all workers sleep",
		Description: idleDescription,
		Runs:        3, // of 5 s each
		Warmup:      1,
		Flags: func() []cli.Flag {
			return []cli.Flag{
				&cli.FloatFlag{Name: "seconds", Value: 5, Usage: "how long to idle"},
				&cli.IntFlag{Name: "hops", Value: 1_000_000, Usage: "messages of the load before"},
			}
		},
		Plan:  planIdle,
		Child: idlePlayers.Child,
	}
}

const idleDescription = `After a load (messages that go round among 64 actors at random) and a pause of 0.1 s, the process does nothing for
--seconds, with its actors and workers still there, and the processor time is read that it used meanwhile, in user
code and in the system. The times of the table are that, in microseconds.

Variants:
  encorert     annotated actors
  goroutines   a goroutine with a channel for each: what Go's own scheduler takes

--json prints, as medians of the counted repetitions:
  workload, workers, runs, flags                what was run; flags are seconds, hops
  cpu_pct, goroutines_cpu_pct                   processor time while idle, in per cent of one core
  variants                                      by name: median_us, min_us, max_us, spread_pct, rss_mb, and
                                                slower, the paired difference to the first one (mean_us, low_us, high_us)
  unit, samples                                 "us", and by variant those of each counted repetition
  machine                                       cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
A field whose variant did not run is left out, and so is what the system does not tell.`

// idleParams is what a child of idle gets.
type idleParams struct {
	Idle    time.Duration `json:"idle_ns"`
	Hops    int           `json:"hops"`
	Workers int           `json:"workers"`
}

const (
	walkers     = 64                     // actors of the load; picked
	settle      = 100 * time.Millisecond // after the load; picked
	longestIdle = 24 * time.Hour
	mostHops    = 1_000_000_000
)

// Figures of a repetition.
const (
	valueCPUMicros = "cpu_us"
	valueCPUPct    = "cpu_pct"
)

func planIdle(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
	seconds := cmd.Float("seconds")
	if !(seconds > 0) || seconds > longestIdle.Seconds() {
		return nil, fmt.Errorf("--seconds must be above 0, and at most %.0f", longestIdle.Seconds())
	}
	p := idleParams{Idle: time.Duration(seconds * float64(time.Second)), Hops: cmd.Int("hops"), Workers: common.Workers}
	if p.Hops < walkers || p.Hops > mostHops {
		return nil, fmt.Errorf("--hops must be between %d and %d", walkers, mostHops)
	}
	if _, known := harness.CPUTime(); !known {
		return nil, errors.New("idle needs the processor time of a process, which is unknown on " + runtime.GOOS)
	}
	variant := func(v string) harness.Variant {
		return harness.Variant{Name: v, Count: int64(p.Hops), Launch: harness.Self(idleName, v, common.Workers, p)}
	}
	return &harness.Plan{
		Variants: []harness.Variant{variant(variantActors), variant(variantGoroutines)},
		Takes:    p.Idle + settle,
		Report: func(res *harness.Results) (harness.Report, error) {
			return newIdleReport(seconds, common, res), nil
		},
	}, nil
}

var idlePlayers = harness.Players[idleParams]{
	variantActors:     func(p idleParams) harness.Repeat { return p.idleActors },
	variantGoroutines: func(p idleParams) harness.Repeat { return p.idleGoroutines },
}

// measure idles.
func (p idleParams) measure() harness.Repetition {
	runtime.GC() // the load's garbage is not idling
	time.Sleep(settle)
	start := time.Now()
	before, _ := harness.CPUTime()
	time.Sleep(p.Idle)
	after, _ := harness.CPUTime()
	took := time.Since(start)
	return harness.Repetition{Millis: took.Seconds() * 1000, Values: map[string]float64{
		valueCPUMicros: float64((after - before).Microseconds()),
		valueCPUPct:    100 * float64(after-before) / float64(took),
	}}
}

// goWalker is the walker as a goroutine.
type goWalker struct {
	goroutines.Actor
	all  []*goWalker
	hops int64
	done chan<- struct{}
}

func (p idleParams) idleGoroutines() (harness.Repetition, error) {
	all := make([]*goWalker, walkers)
	done := make(chan struct{}, walkers)
	walk := &goroutines.Behaviour{Name: "Walk"}
	walk.Run = func(a *goroutines.Actor, m *goroutines.Message) {
		w := walkerAt(a)
		w.hops++
		if m.W0 == 0 {
			w.done <- struct{}{}
			return
		}
		goroutines.SendChannel(a, &w.all[a.Pick(len(w.all))].Actor, goroutines.Message{B: walk, W0: m.W0 - 1})
	}
	group := goroutines.NewGroup(goroutines.Channel)
	for i := range all {
		all[i] = &goWalker{all: all, done: done}
	}
	for _, w := range all {
		group.Start(&w.Actor, walkers)
	}
	for i, w := range all {
		goroutines.Inject(&w.Actor, goroutines.Message{B: walk, W0: uint64(p.share(i) - 1)})
	}
	for range all {
		<-done
	}
	rep := p.measure()
	group.Stop()
	for _, w := range all {
		rep.Count += w.hops
	}
	return rep, nil
}

// share is how many hops the i-th message makes.
func (p idleParams) share(i int) int { return p.Hops*(i+1)/walkers - p.Hops*i/walkers }

// idleReport is the JSON object. Pointers are nil, and left out, where the variant that they come from did not run.
type idleReport struct {
	harness.Head
	CPUPct           *float64 `json:"cpu_pct,omitempty"`
	GoroutinesCPUPct *float64 `json:"goroutines_cpu_pct,omitempty"`

	seconds float64
	order   []string
}

func newIdleReport(seconds float64, common harness.Common, res *harness.Results) *idleReport {
	return &idleReport{
		Head:             harness.NewHead(idleName, common, res, harness.Value(valueCPUMicros, "us")),
		CPUPct:           res.Figure(variantActors, valueCPUPct, 4),
		GoroutinesCPUPct: res.Figure(variantGoroutines, valueCPUPct, 4),
		seconds:          seconds,
		order:            res.Order,
	}
}

// Table prints the report for people.
func (r *idleReport) Table(w io.Writer) error {
	fmt.Fprintf(w, "idle, processor time in %v s, %s, %s of each variant\n\n",
		r.seconds, harness.Counted(r.Workers, "worker"), harness.Counted(r.Runs, "run"))
	if err := r.Head.Table(w, r.order); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if r.CPUPct != nil {
		fmt.Fprintf(w, "%v %% of one core\n", stats.Round(*r.CPUPct, 3))
	}
	if r.GoroutinesCPUPct != nil {
		fmt.Fprintf(w, "%v %% with goroutines\n", stats.Round(*r.GoroutinesCPUPct, 3))
	}
	return nil
}
