package sleep

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/goroutines"
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/stats"
)

const wakeName = "wake"

// Wake is the workload wake.
func Wake() harness.Workload {
	return harness.Workload{
		Name:        wakeName,
		Summary:     "from an injection into a sleeping runtime to its start; lost wake-ups",
		Description: wakeDescription,
		Flags: func() []cli.Flag {
			return []cli.Flag{
				&cli.IntFlag{Name: "injections", Value: 500, Usage: "injections of a repetition"},
				&cli.IntFlag{Name: "gap", Value: 2000, Usage: "`microseconds` between two, on average"},
				&cli.IntFlag{Name: "self-senders", Usage: "actors that send to themselves all the time, so that no worker sleeps"},
			}
		},
		Plan:  planWake,
		Child: wakePlayers.Child,
	}
}

const wakeDescription = `A goroutine injects functions into a runtime that has nothing else to do, and waits for each. Measured is the time
from the call to the start of the function, on a worker that had to be woken. Before an injection there is a gap of
random length, from half to one and a half times --gap, in which the workers fall asleep. Before every fourth there is
none, so that it meets workers while they fall asleep: these must run too, but their times are not counted. One that
has not started after a second is lost.

Gaps below a millisecond are waited out, not slept, since Go sleeps in whole milliseconds where nothing else goes on:
the workers sleep, but the thread that runs them next is awake. That is good for many injections in a short time, as in
--injections=100000 --gap=20; times from it are those of Go's scheduler, not of the system's.

With --self-senders the workers are kept busy instead: what is measured is how long work from outside waits for its turn.
The times are those of Runtime.Do as well, while the goroutine that injects has to wait for a processor itself.

Variants:
  encorert     Runtime.Do
  goroutines   a channel from which as many goroutines as there are workers receive functions

The times of the table are medians of a repetition, in microseconds.

--json prints, of the counted repetitions:
  workload, workers, runs, flags                what was run; flags are injections, gap, self_senders
  injections                                    of encorert, warm-up included
  lost                                          of these
  p50_us, p99_us                                percentiles of encorert's times: median over the repetitions
  max_us                                        the longest of all
  goroutines_p50_us, goroutines_p99_us          the same of goroutines
  goroutines_max_us
  sleeps_per_injection                          how often a worker of encorert fell asleep for each injection
  variants                                      by name: median_us, min_us, max_us, spread_pct, rss_mb, and
                                                slower, the paired difference to the first one (mean_us, low_us, high_us)
  unit, samples                                 "us", and by variant the median of each counted repetition
  machine                                       cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
A field whose variant did not run is left out, and so is what the system does not tell.`

// wakeParams is what a child of wake gets.
type wakeParams struct {
	Injections int           `json:"injections"`
	Gap        time.Duration `json:"gap_ns"`
	Busy       int           `json:"self_senders"`
	Workers    int           `json:"workers"`
}

const (
	mostInjections = 100_000_000
	longestGap     = 10_000_000 // microseconds
	lostAfter      = time.Second
	gapless        = 4 // every which injection comes without a gap; picked
	timerSlack     = 2 * time.Millisecond
	mostBusy       = 1000
	turn           = 20 * time.Millisecond // until a goroutine beside busy ones gets a processor: Go preempts after 10 ms
)

// Figures of a repetition.
const (
	valueP50    = "p50_us"
	valueP99    = "p99_us"
	valueMax    = "max_us"
	valueLost   = "lost"
	valueSleeps = "sleeps_per_injection"
)

func planWake(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
	p := wakeParams{Injections: cmd.Int("injections"), Busy: cmd.Int("self-senders"), Workers: common.Workers}
	gap := cmd.Int("gap")
	switch {
	case p.Injections < gapless || p.Injections > mostInjections:
		return nil, fmt.Errorf("--injections must be between %d and %d", gapless, mostInjections)
	case gap < 0 || gap > longestGap:
		return nil, fmt.Errorf("--gap must be between 0 and %d", longestGap)
	case p.Busy < 0 || p.Busy > mostBusy:
		return nil, fmt.Errorf("--self-senders must be between 0 and %d", mostBusy)
	}
	p.Gap = time.Duration(gap) * time.Microsecond
	variant := func(v string) harness.Variant {
		return harness.Variant{Name: v, Count: int64(p.Injections), Launch: harness.Self(wakeName, v, common.Workers, p)}
	}
	each := p.Gap + timerSlack
	if p.Busy > 0 {
		each += time.Duration(p.Busy) * turn
	}
	return &harness.Plan{
		Variants: []harness.Variant{variant(variantActors), variant(variantGoroutines)},
		Takes:    time.Duration(p.Injections) * each,
		Report: func(res *harness.Results) (harness.Report, error) {
			return newWakeReport(p, common, res), nil
		},
	}, nil
}

var wakePlayers = harness.Players[wakeParams]{
	variantActors:     func(p wakeParams) harness.Repeat { return p.wakeActors },
	variantGoroutines: func(p wakeParams) harness.Repeat { return p.wakeGoroutines },
}

// repeat does all injections of a repetition. inject runs f elsewhere and waits for it at most lostAfter; it reports
// whether f ran.
func (p wakeParams) repeat(inject func(f func()) (ran bool, _ error)) (harness.Repetition, error) {
	var rep harness.Repetition
	micros := make([]float64, 0, p.Injections)
	lost := 0
	begin := time.Now()
	for i := range p.Injections {
		hurried := i%gapless == gapless-1
		if !hurried && p.Gap > 0 {
			pause(p.Gap/2 + rand.N(p.Gap))
		}
		var started time.Time
		called := time.Now()
		ran, err := inject(func() { started = time.Now() })
		if err != nil {
			return rep, err
		}
		rep.Count++
		switch {
		case !ran:
			lost++
		case !hurried:
			micros = append(micros, float64(started.Sub(called))/float64(time.Microsecond))
		}
	}
	rep.Millis = time.Since(begin).Seconds() * 1000
	rep.Values = map[string]float64{valueLost: float64(lost)}
	if slices.Sort(micros); len(micros) > 0 {
		rep.Values[valueP50] = stats.Quantile(micros, 0.5)
		rep.Values[valueP99] = stats.Quantile(micros, 0.99)
		rep.Values[valueMax] = micros[len(micros)-1]
	}
	return rep, nil
}

// pause lets d pass. Where nothing else goes on, Go sleeps in whole milliseconds (it waits for its timers in Linux's
// epoll_wait). Shorter gaps are waited out; Gosched lets the workers have this processor meanwhile.
func pause(d time.Duration) {
	if d >= time.Millisecond {
		time.Sleep(d)
		return
	}
	for start := time.Now(); time.Since(start) < d; {
		runtime.Gosched()
	}
}

func (p wakeParams) wakeGoroutines() (harness.Repetition, error) {
	defer p.startBusyGoroutines().Stop()
	functions := make(chan func())
	defer close(functions)
	for range p.Workers {
		go func() {
			for f := range functions {
				f()
			}
		}()
	}
	return p.repeat(func(f func()) (bool, error) {
		done := make(chan struct{})
		functions <- func() {
			f()
			close(done)
		}
		<-done // goroutines lose nothing
		return true, nil
	})
}

// startBusyGoroutines starts the self-senders.
func (p wakeParams) startBusyGoroutines() *goroutines.Group {
	group := goroutines.NewGroup(goroutines.Channel)
	again := &goroutines.Behaviour{Name: "Again"}
	again.Run = func(a *goroutines.Actor, m *goroutines.Message) { goroutines.SendChannel(a, a, *m) }
	for range p.Busy {
		a := &goroutines.Actor{}
		group.Start(a, 2) // its own message, and that which stops it
		goroutines.Inject(a, goroutines.Message{B: again})
	}
	return group
}

// wakeReport is the JSON object. Pointers are nil, and left out, where the variant that they come from did not run.
type wakeReport struct {
	harness.Head
	Injections      *int64   `json:"injections,omitempty"`
	Lost            *int64   `json:"lost,omitempty"`
	P50             *float64 `json:"p50_us,omitempty"`
	P99             *float64 `json:"p99_us,omitempty"`
	Max             *float64 `json:"max_us,omitempty"`
	GoroutinesP50   *float64 `json:"goroutines_p50_us,omitempty"`
	GoroutinesP99   *float64 `json:"goroutines_p99_us,omitempty"`
	GoroutinesMax   *float64 `json:"goroutines_max_us,omitempty"`
	SleepsPerInject *float64 `json:"sleeps_per_injection,omitempty"`

	params wakeParams
	order  []string
}

func newWakeReport(p wakeParams, common harness.Common, res *harness.Results) *wakeReport {
	r := &wakeReport{Head: harness.NewHead(wakeName, common, res, harness.Value(valueP50, "us")), params: p, order: res.Order}
	r.P50, r.P99, r.Max = res.Figure(variantActors, valueP50, 1), res.Figure(variantActors, valueP99, 1), longest(res, variantActors)
	r.GoroutinesP50, r.GoroutinesP99 = res.Figure(variantGoroutines, valueP50, 1), res.Figure(variantGoroutines, valueP99, 1)
	r.GoroutinesMax = longest(res, variantGoroutines)
	r.SleepsPerInject = res.Figure(variantActors, valueSleeps, 2)
	if series, ran := res.Series[variantActors]; ran {
		r.Injections, r.Lost = new(int64), new(int64)
		for _, rep := range slices.Concat(series.Warm, series.Reps) {
			*r.Injections += rep.Count
			*r.Lost += int64(rep.Values[valueLost])
		}
	}
	return r
}

// longest is the longest wake-up of a variant.
func longest(res *harness.Results, variant string) *float64 {
	series, ran := res.Series[variant]
	if !ran {
		return nil
	}
	v := stats.Round(slices.Max(series.Values(valueMax)), 1)
	return &v
}

// Table prints the report for people.
func (r *wakeReport) Table(w io.Writer) error {
	busy := ""
	if r.params.Busy > 0 {
		busy = " beside " + harness.Counted(r.params.Busy, "self-sender")
	}
	fmt.Fprintf(w, "wake, %s with gaps of about %v%s, %s, %s of each variant; median us of each\n\n",
		harness.Counted(r.params.Injections, "injection"), r.params.Gap, busy, harness.Counted(r.Workers, "worker"), harness.Counted(r.Runs, "run"))
	if err := r.Head.Table(w, r.order); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if r.P50 != nil {
		fmt.Fprintf(w, "encorert:   p50 %.1f us, p99 %.1f us, longest %.1f us; lost %d of %d; %v sleeps for each\n",
			*r.P50, *r.P99, *r.Max, *r.Lost, *r.Injections, *r.SleepsPerInject)
	}
	if r.GoroutinesP50 != nil {
		fmt.Fprintf(w, "goroutines: p50 %.1f us, p99 %.1f us, longest %.1f us\n", *r.GoroutinesP50, *r.GoroutinesP99, *r.GoroutinesMax)
	}
	return nil
}
