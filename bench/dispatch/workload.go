package dispatch

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/stats"
	"github.com/encorert/encorert/internal/gang"
)

const name = "gang"

// Names of the variants.
const (
	variantWith    = "with-caller"
	variantOnly    = "workers-only"
	variantWithGap = "with-caller-gap"
	variantOnlyGap = "workers-only-gap"
)

// valueMicros is the time of a dispatch.
const valueMicros = "dispatch_us"

// Workload is the benchmark of gangs for the benchmark program.
func Workload() harness.Workload {
	return harness.Workload{
		Name:        name,
		Summary:     "dispatch of empty jobs to two participants, with and without the caller",
		Description: description,
		Flags:       flags,
		Plan:        plan,
		Child:       players.Child,
	}
}

const description = `Empty jobs of two shares are given to a gang of two participants, as collections of large heaps are. Measured is the
time from the call until both shares are done. In one form the caller is one of the participants: there is one
worker, which it wakes if that sleeps, and it takes what the worker has not begun. In the other there are two workers,
and the caller wakes them and sleeps. Both count shares in the same way. Jobs come back to back, or with a gap of --gap
microseconds between them, in which the workers fall asleep while the caller's processor stays busy. What is asked for
is --workers 2.

Variants:
  with-caller, workers-only            back to back: the time of all jobs over their number
  with-caller-gap, workers-only-gap    with gaps: the mean of the jobs, without the gaps

--json prints, as medians of the counted repetitions:
  workload, workers, runs, flags            what was run; flags are jobs, gap, gap_jobs
  with_caller_us, workers_only_us           a dispatch back to back
  ratio                                     workers_only_us / with_caller_us, higher is better
  with_caller_gap_us, workers_only_gap_us   a dispatch with a gap before it
  gap_ratio                                 the same ratio with gaps
  variants                                  by name: median_us, min_us, max_us, spread_pct, rss_mb, and
                                            slower, the paired difference to the first one (mean_us, low_us, high_us)
  unit, samples                             "us", and by variant those of each counted repetition
  machine                                   cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
A field whose variant did not run is left out, and so is what the system does not tell.`

func flags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "jobs", Value: 100_000, Usage: "jobs of a repetition back to back"},
		&cli.IntFlag{Name: "gap-jobs", Value: 1000, Usage: "jobs of a repetition with gaps"},
		&cli.IntFlag{Name: "gap", Value: 50, Usage: "`microseconds` between two jobs"},
	}
}

// params is what a child gets.
type params struct {
	Jobs    int           `json:"jobs"`
	GapJobs int           `json:"gap_jobs"`
	Gap     time.Duration `json:"gap_ns"`
}

// Bounds of the flags; picked.
const (
	mostJobs   = 100_000_000
	longestGap = 1_000_000 // microseconds
)

// participants of a gang, and shares of a job.
const participants = 2

func plan(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
	gap := cmd.Int("gap")
	p := params{Jobs: cmd.Int("jobs"), GapJobs: cmd.Int("gap-jobs"), Gap: time.Duration(gap) * time.Microsecond}
	switch {
	case p.Jobs < 1 || p.Jobs > mostJobs:
		return nil, fmt.Errorf("--jobs must be between 1 and %d", mostJobs)
	case p.GapJobs < 1 || p.GapJobs > mostJobs:
		return nil, fmt.Errorf("--gap-jobs must be between 1 and %d", mostJobs)
	case gap < 1 || gap > longestGap:
		return nil, fmt.Errorf("--gap must be between 1 and %d", longestGap)
	}
	variant := func(v string, jobs int) harness.Variant {
		return harness.Variant{Name: v, Count: int64(jobs) * participants, Launch: harness.Self(name, v, common.Workers, p)}
	}
	return &harness.Plan{
		Variants: []harness.Variant{
			variant(variantWith, p.Jobs), variant(variantOnly, p.Jobs),
			variant(variantWithGap, p.GapJobs), variant(variantOnlyGap, p.GapJobs),
		},
		Takes:  time.Duration(p.GapJobs) * p.Gap,
		Report: func(res *harness.Results) (harness.Report, error) { return newReport(p, common, res), nil },
	}, nil
}

var players = harness.Players[params]{
	variantWith:    func(p params) harness.Repeat { return repeat(withCaller(), p.Jobs, 0) },
	variantOnly:    func(p params) harness.Repeat { return repeat(workersOnly(), p.Jobs, 0) },
	variantWithGap: func(p params) harness.Repeat { return repeat(withCaller(), p.GapJobs, p.Gap) },
	variantOnlyGap: func(p params) harness.Repeat { return repeat(workersOnly(), p.GapJobs, p.Gap) },
}

// dispatch gives a job to a gang, which lives as long as the child.
type dispatch func(shares int, job func(*gang.Share)) error

func withCaller() dispatch  { return gang.New(participants - 1).Run }
func workersOnly() dispatch { return gang.New(participants).Delegate }

// repeat returns what does a repetition: jobs with gaps, or without.
func repeat(give dispatch, jobs int, gap time.Duration) harness.Repeat {
	return func() (harness.Repetition, error) {
		var done [participants]struct {
			shares atomic.Int64
			_      [56]byte // each on a line of its own: what is measured is the dispatch
		}
		job := func(s *gang.Share) { done[s.Index].shares.Add(1) }
		var spent time.Duration
		begin := time.Now()
		end := begin
		for range jobs {
			start := end
			if gap > 0 {
				for start = time.Now(); start.Sub(end) < gap; start = time.Now() {
				}
			}
			if err := give(participants, job); err != nil {
				return harness.Repetition{}, err
			}
			if gap > 0 {
				end = time.Now()
				spent += end.Sub(start)
			}
		}
		took := time.Since(begin)
		if gap == 0 {
			spent = took
		}
		rep := harness.Repetition{
			Millis: took.Seconds() * 1e3,
			Values: map[string]float64{valueMicros: float64(spent.Nanoseconds()) / 1e3 / float64(jobs)},
		}
		for i := range done {
			rep.Count += done[i].shares.Load()
		}
		return rep, nil
	}
}

// report is the JSON object. Pointers are nil, and left out, where the variant that they come from did not run.
type report struct {
	harness.Head
	With     *float64 `json:"with_caller_us,omitempty"`
	Only     *float64 `json:"workers_only_us,omitempty"`
	Ratio    *float64 `json:"ratio,omitempty"`
	WithGap  *float64 `json:"with_caller_gap_us,omitempty"`
	OnlyGap  *float64 `json:"workers_only_gap_us,omitempty"`
	GapRatio *float64 `json:"gap_ratio,omitempty"`

	params params
	order  []string
}

func newReport(p params, common harness.Common, res *harness.Results) *report {
	r := &report{Head: harness.NewHead(name, common, res, harness.Value(valueMicros, "us")), params: p, order: res.Order}
	r.With, r.Only = r.Median(variantWith), r.Median(variantOnly)
	r.WithGap, r.OnlyGap = r.Median(variantWithGap), r.Median(variantOnlyGap)
	r.Ratio, r.GapRatio = harness.Quotient(r.Only, r.With), harness.Quotient(r.OnlyGap, r.WithGap)
	return r
}

// Table prints the report for people.
func (r *report) Table(w io.Writer) error {
	fmt.Fprintf(w, "gang, %s back to back, %d with gaps of %v, %s of each variant; us for each dispatch\n\n",
		harness.Counted(r.params.Jobs, "job"), r.params.GapJobs, r.params.Gap, harness.Counted(r.Runs, "run"))
	if err := r.Head.Table(w, r.order); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, line := range []struct {
		ratio *float64
		how   string
	}{{r.Ratio, "back to back"}, {r.GapRatio, "with gaps"}} {
		if line.ratio != nil {
			fmt.Fprintf(w, "%s: with the caller %v times as fast as workers only\n", line.how, stats.Round(*line.ratio, 2))
		}
	}
	return nil
}
