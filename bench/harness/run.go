package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/encorert/encorert/bench/stats"
)

// Results are the measurements of one invocation.
type Results struct {
	Order   []string           // variants that ran, as planned
	Series  map[string]*Series // by variant
	Missing map[string]string  // variants that did not run, and why
}

// Series holds the repetitions of one variant; the i-th counted ones of all variants are of one round.
type Series struct {
	Warm []Repetition // not counted
	Reps []Repetition
}

// Samples lists what m measures of the counted repetitions.
func (s *Series) Samples(m Measure) []float64 {
	out := make([]float64, len(s.Reps))
	for i, r := range s.Reps {
		out[i] = m.Of(r)
	}
	return out
}

// Values lists one of the workload's own figures over the counted repetitions.
func (s *Series) Values(name string) []float64 { return s.Samples(Value(name, "")) }

// Figure is the median over the counted repetitions of one of the workload's own figures, nil if the variant did not run.
func (r *Results) Figure(variant, value string, decimals int) *float64 {
	series, ran := r.Series[variant]
	if !ran {
		return nil
	}
	v := stats.Round(stats.Median(series.Values(value)), decimals)
	return &v
}

// PeakRSSKiB is the peak resident memory of the variant's process up to its last repetition, 0 if unknown.
func (s *Series) PeakRSSKiB() int64 {
	var peak int64
	for _, r := range s.Warm {
		peak = max(peak, r.RSSKiB)
	}
	for _, r := range s.Reps {
		peak = max(peak, r.RSSKiB)
	}
	return peak
}

// Runner runs the rounds of a plan.
type Runner struct {
	Runs    int           // counted rounds
	Warmup  int           // repetitions of each variant before the first round
	Timeout time.Duration // for one repetition, the start of its process included
	// Step, if set, is told before each repetition which variant runs.
	Step func(variant string)
	// Note, if set, gets the lines that variants have for the user.
	Note func(variant, line string)
}

// steps is how many repetitions a plan has.
func (r Runner) steps(plan *Plan) int {
	n := 0
	for _, v := range plan.Variants {
		n += max(r.Warmup, v.Warmup) + r.Runs
	}
	return n
}

// Run starts every variant in order and warms it up, then runs the rounds, then ends all processes. On an
// error, and when stdctx ends, all processes are killed.
func (r Runner) Run(stdctx context.Context, plan *Plan) (*Results, error) {
	stdctx, cancel := context.WithCancel(stdctx)
	defer cancel() // kills what is still there
	res := &Results{Series: map[string]*Series{}, Missing: maps.Clone(plan.Missing)}
	if res.Missing == nil {
		res.Missing = map[string]string{}
	}
	var running []*process
	fail := func(err error) (*Results, error) {
		for _, p := range running {
			_ = p.kill(err)
		}
		if stdctx.Err() != nil {
			return nil, fmt.Errorf("interrupted: %w", context.Cause(stdctx))
		}
		return nil, err
	}
	wants := map[string]int64{}
	for _, v := range plan.Variants {
		p, series, err := r.warmUp(stdctx, v, res)
		var dead *ChildError
		if v.Optional && errors.As(err, &dead) && stdctx.Err() == nil {
			res.Missing[v.Name] = dead.reason()
			continue
		}
		if err != nil {
			return fail(err)
		}
		running = append(running, p)
		wants[v.Name] = v.Count
		res.Order = append(res.Order, v.Name)
		res.Series[v.Name] = series
	}
	for range r.Runs {
		for _, p := range running {
			rep, err := r.repeat(stdctx, p, wants[p.variant])
			if err != nil {
				return fail(err)
			}
			series := res.Series[p.variant]
			series.Reps = append(series.Reps, rep)
		}
	}
	for len(running) > 0 {
		p := running[0]
		running = running[1:]
		if err := p.stop(); err != nil {
			return fail(err)
		}
	}
	return res, nil
}

// warmUp starts a variant and runs its first repetitions. With an error there is no process left.
func (r Runner) warmUp(stdctx context.Context, v Variant, so *Results) (*process, *Series, error) {
	launch, err := v.Launch(so)
	if err != nil {
		return nil, nil, &ChildError{Variant: v.Name, Err: err}
	}
	p, err := start(stdctx, v.Name, launch)
	if err != nil {
		return nil, nil, err
	}
	series := &Series{}
	for range max(r.Warmup, v.Warmup) {
		rep, err := r.repeat(stdctx, p, v.Count)
		if err != nil {
			return nil, nil, err
		}
		series.Warm = append(series.Warm, rep)
	}
	return p, series, nil
}

// repeat runs one repetition and checks its count. With an error the process is gone.
func (r Runner) repeat(stdctx context.Context, p *process, want int64) (Repetition, error) {
	r.step(p.variant)
	rep, err := p.repeat(stdctx, r.Timeout, func(line string) {
		if r.Note != nil {
			r.Note(p.variant, line)
		}
	})
	if err != nil {
		return rep, err
	}
	if want != 0 && rep.Count != want {
		_ = p.kill(nil)
		return rep, &CountError{Variant: p.variant, Got: rep.Count, Want: want}
	}
	return rep, nil
}

func (r Runner) step(variant string) {
	if r.Step != nil {
		r.Step(variant)
	}
}
