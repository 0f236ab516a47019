package promises

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/encorert/encorert/bench/harness"
)

func (r run) String() string { return r.workload + " " + r.flags }

// args are the flags of the invocation. Of flags that are given twice the last counts.
func (r run) args(again, shrink bool) []string {
	args := strings.Fields(r.flags)
	counted := r.counted
	if shrink {
		args = append(args, strings.Fields(quick[r.workload])...)
		args = append(args, "--warmup=1")
		counted = 2
	}
	if again {
		counted *= 2
	}
	return append(args, fmt.Sprintf("--runs=%d", counted))
}

// measurement is one invocation that was run.
type measurement struct {
	Run    string         `json:"run"`
	Again  bool           `json:"again,omitempty"` // the second time, since a promise was missed
	Error  string         `json:"error,omitempty"`
	Report map[string]any `json:"report,omitempty"` // what the workload prints with --json, but the machine
}

// checker measures promises.
type checker struct {
	// measure runs a workload and returns its report.
	measure func(stdctx context.Context, workload string, args []string) (harness.Report, error)
	say     io.Writer // what runs, a line each
	quick   bool

	first, second map[run]outcome
	done          []measurement
}

// check measures what the promises need and judges them. The error is that of an interrupted run.
func (c *checker) check(stdctx context.Context, promises []promise) ([]line, error) {
	c.first, c.second = map[run]outcome{}, map[run]outcome{}
	if err := c.runAll(stdctx, runsOf(promises), false); err != nil {
		return nil, err
	}
	lines := make([]line, len(promises))
	var again []promise
	for i, p := range promises {
		lines[i] = p.judge(func(r run) outcome { return c.first[r] })
		if p.secondChance(lines[i]) {
			again = append(again, p)
		}
	}
	if err := c.runAll(stdctx, runsOf(again), true); err != nil {
		return nil, err
	}
	for i, p := range promises {
		if p.secondChance(lines[i]) {
			l := p.judge(func(r run) outcome { return c.second[r] })
			l.First = lines[i].Measured
			lines[i] = l
		}
	}
	return lines, nil
}

// secondChance reports whether noise may have made the promise look missed.
func (p promise) secondChance(first line) bool { return first.Verdict == missed && !p.exact }

// runsOf lists the invocations of promises, each once.
func runsOf(promises []promise) (runs []run) {
	add := func(f figure) {
		if !slices.Contains(runs, f.of) {
			runs = append(runs, f.of)
		}
	}
	for _, p := range promises {
		if p.waits != "" {
			continue
		}
		add(p.figure)
		if p.over != nil {
			add(*p.over)
		}
	}
	return runs
}

func (c *checker) runAll(stdctx context.Context, runs []run, again bool) error {
	into, what := c.first, ""
	if again {
		into, what = c.second, "again: "
	}
	for i, r := range runs {
		fmt.Fprintf(c.say, "%s%d of %d: %s\n", what, i+1, len(runs), r)
		o := c.run(stdctx, r, again)
		if stdctx.Err() != nil {
			return fmt.Errorf("promises: interrupted: %w", context.Cause(stdctx))
		}
		into[r] = o
		m := measurement{Run: r.String(), Again: again, Report: o.report}
		if o.err != nil {
			m.Error = o.err.Error()
		}
		c.done = append(c.done, m)
	}
	return nil
}

func (c *checker) run(stdctx context.Context, r run, again bool) outcome {
	report, err := c.measure(stdctx, r.workload, r.args(again, c.quick))
	if err != nil {
		return outcome{err: err}
	}
	text, err := json.Marshal(report)
	if err != nil {
		return outcome{err: err}
	}
	var o outcome
	o.err = json.Unmarshal(text, &o.report)
	delete(o.report, "machine") // one for all
	return o
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
