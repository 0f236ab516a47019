package forkjoin

import (
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

const name = "forkjoin"

// Names of the variants.
const (
	variantTasks      = "tasks"
	variantFutures    = "futures"
	variantGoroutines = "goroutines"
)

// Workload is forkjoin for the benchmark program.
func Workload() harness.Workload {
	return harness.Workload{
		Name:        name,
		Summary:     "Fibonacci numbers, each call of which forks and joins",
		Description: description,
		Flags:       flags,
		Plan:        plan,
		Child:       players.Child,
	}
}

const description = `fib(n) = fib(n-1) + fib(n-2), without a limit below which nothing is forked: each call forks fib(n-1), computes fib(n-2)
itself, and waits for the other. So this is the cost of forking and joining, and of nothing else.

Variants:
  tasks        futures.Async; a call that meets a full ring of tasks computes both parts itself
  futures      an actor for each fork, which is asked
  goroutines   a goroutine for each fork, which answers over a channel

--json prints, as medians of the counted repetitions:
  workload, workers, runs, flags     what was run; the flag is n
  tasks_ns, futures_ns               time for each call of fib
  goroutines_ns
  tasks_ratio, futures_ratio         goroutines_ns over those, higher is better
  variants                           by name: median_ns, min_ns, max_ns, spread_pct, rss_mb, and
                                     slower, the paired difference to the first one (mean_ns, low_ns, high_ns)
  unit, samples                      "ns", and by variant those of each counted repetition
  machine                            cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
A field whose variant did not run is left out, and so is what the system does not tell.`

func flags() []cli.Flag {
	return []cli.Flag{&cli.IntFlag{Name: "n", Value: 20, Usage: "the number that is computed"}}
}

// params is what a child gets.
type params struct {
	N       int `json:"n"`
	Workers int `json:"workers"`
}

const mostN = 40 // 330 million calls

// numbers are the Fibonacci number of n, and how many calls of fib it takes.
func numbers(n int) total {
	a, b := total{0, 1}, total{1, 1}
	for range n {
		a, b = b, total{a.value + b.value, a.calls + b.calls + 1}
	}
	return a
}

func plan(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
	p := params{N: cmd.Int("n"), Workers: common.Workers}
	if p.N < 0 || p.N > mostN {
		return nil, fmt.Errorf("--n must be between 0 and %d", mostN)
	}
	plan := &harness.Plan{Report: func(res *harness.Results) (harness.Report, error) { return newReport(p, common, res), nil }}
	for _, v := range []string{variantTasks, variantFutures, variantGoroutines} {
		plan.Variants = append(plan.Variants, harness.Variant{
			Name: v, Count: numbers(p.N).calls, Launch: harness.Self(name, v, common.Workers, p),
		})
	}
	return plan, nil
}

var players = harness.Players[params]{
	variantTasks: func(p params) harness.Repeat {
		return p.onRuntime(func(cctx **rt.Ctx) (total, error) {
			task, err := futures.Async(cctx, "fib", func(cctx **rt.Ctx) (total, error) { return fibTasks(cctx, p.N) })
			if err != nil {
				return total{}, err
			}
			return task.Get(cctx)
		})
	},
	variantFutures: func(p params) harness.Repeat {
		return p.onRuntime(func(cctx **rt.Ctx) (total, error) { return NewAdder(*cctx).AskFib(*cctx, p.N).Get(cctx) })
	},
	variantGoroutines: func(p params) harness.Repeat {
		return func() (harness.Repetition, error) {
			began := time.Now()
			return p.checked(fibGoroutines(p.N), time.Since(began))
		}
	},
}

// onRuntime makes repetitions of what is computed in a runtime, which lives as long as the process.
func (p params) onRuntime(f func(cctx **rt.Ctx) (total, error)) harness.Repeat {
	r, err := rt.New(rt.Config{Workers: p.Workers})
	return func() (harness.Repetition, error) {
		if err != nil {
			return harness.Repetition{}, err
		}
		var got total
		var failed error
		began := time.Now()
		if err := r.Run(func(cctx **rt.Ctx) { got, failed = f(cctx) }); err != nil {
			return harness.Repetition{}, err
		}
		took := time.Since(began)
		if failed != nil {
			return harness.Repetition{}, failed
		}
		return p.checked(got, took)
	}
}

func (p params) checked(got total, took time.Duration) (harness.Repetition, error) {
	if want := numbers(p.N); got.value != want.value {
		return harness.Repetition{}, fmt.Errorf("fib(%d) is %d, not %d", p.N, want.value, got.value)
	}
	return harness.Repetition{Millis: float64(took.Nanoseconds()) / 1e6, Count: got.calls}, nil
}

// report is the JSON object. Pointers are nil, and left out, where the variant that they come from did not run.
type report struct {
	harness.Head
	Tasks        *float64 `json:"tasks_ns,omitempty"`
	Futures      *float64 `json:"futures_ns,omitempty"`
	Goroutines   *float64 `json:"goroutines_ns,omitempty"`
	TasksRatio   *float64 `json:"tasks_ratio,omitempty"`
	FuturesRatio *float64 `json:"futures_ratio,omitempty"`

	params params
	order  []string
}

func newReport(p params, common harness.Common, res *harness.Results) *report {
	r := &report{Head: harness.NewHead(name, common, res, harness.NanosEach), params: p, order: res.Order}
	r.Tasks, r.Futures, r.Goroutines = r.Median(variantTasks), r.Median(variantFutures), r.Median(variantGoroutines)
	r.TasksRatio, r.FuturesRatio = harness.Quotient(r.Goroutines, r.Tasks), harness.Quotient(r.Goroutines, r.Futures)
	return r
}

// Table prints the report for people.
func (r *report) Table(w io.Writer) error {
	fmt.Fprintf(w, "forkjoin, fib(%d), %s, %s of each variant; ns for each call\n\n", r.params.N,
		harness.Counted(r.Workers, "worker"), harness.Counted(r.Runs, "run"))
	if err := r.Head.Table(w, r.order); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if r.TasksRatio != nil {
		fmt.Fprintf(w, "tasks are %.2f times as fast as goroutines\n", *r.TasksRatio)
	}
	if r.FuturesRatio != nil {
		fmt.Fprintf(w, "actors with futures are %.2f times as fast\n", *r.FuturesRatio)
	}
	return nil
}
