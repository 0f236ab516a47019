package compare

import (
	"fmt"

	"github.com/encorert/encorert/bench/stats"
)

// Difference is how much one set of samples is above another.
type Difference struct {
	Name string  // the variant
	A, B float64 // means
	stats.Interval
	Pct stats.Interval // the same in per cent of A
}

// Verdicts.
const (
	Less     = "less"
	More     = "more"
	NotShown = "not shown"
)

// Verdict says what the interval shows of B.
func (d Difference) Verdict() string {
	switch {
	case d.High < 0:
		return Less
	case d.Low > 0:
		return More
	}
	return NotShown
}

func difference(name string, a, b []float64, i stats.Interval) Difference {
	d := Difference{Name: name, A: stats.Mean(a), B: stats.Mean(b), Interval: i}
	if d.A != 0 {
		scale := 100 / d.A
		d.Pct = stats.Interval{Mean: i.Mean * scale, Low: i.Low * scale, High: i.High * scale}
	}
	return d
}

// Within compares the variants of one file with one of them; "" is encorert, or the first by name.
func Within(f *File, baseline string) (*Report, error) {
	if f.Parts != nil {
		return withinParts(f, baseline)
	}
	variants := f.variants()
	if baseline == "" {
		baseline = variants[0]
		if _, ok := f.Samples[ours]; ok {
			baseline = ours
		}
	}
	if err := f.has(baseline); err != nil {
		return nil, err
	}
	if len(variants) < 2 {
		return nil, &FileError{f.Path, fmt.Errorf("%s is the only variant: nothing to compare it with", baseline)}
	}
	r := &Report{Workload: f.Workload, Workers: f.Workers, Unit: f.Unit, Test: paired, A: f.Path, Run: f.Run, Baseline: baseline}
	base := f.Samples[baseline]
	r.SamplesA = len(base)
	for _, variant := range variants {
		if variant == baseline {
			continue
		}
		samples := f.Samples[variant]
		i, _ := stats.Paired(base, samples) // Read has seen to their number
		r.Differences = append(r.Differences, difference(variant, base, samples, i))
	}
	return r, nil
}

// ours is the variant that every workload has.
const ours = "encorert"

// Between compares what two files have in common. With relativeTo, each sample is divided by that variant's of the
// same round first: then a machine that was slower all the time of one file does not count.
func Between(a, b *File, relativeTo string) (*Report, error) {
	if err := sameJob(a, b); err != nil {
		return nil, err
	}
	if a.Parts != nil {
		return betweenParts(a, b, relativeTo)
	}
	r := &Report{
		Run: a.Run, Workload: a.Workload, Workers: a.Workers, Unit: a.Unit, Test: welch, A: a.Path, B: b.Path, Notes: notes(a, b),
		SamplesA: len(a.Samples[a.variants()[0]]), SamplesB: len(b.Samples[b.variants()[0]]),
	}
	samplesA, samplesB := a.Samples, b.Samples
	if relativeTo != "" {
		r.Unit, r.RelativeTo = "times", relativeTo
		var err error
		if samplesA, err = a.quotients(relativeTo); err != nil {
			return nil, err
		}
		if samplesB, err = b.quotients(relativeTo); err != nil {
			return nil, err
		}
	}
	for _, variant := range a.variants() {
		x, y := samplesA[variant], samplesB[variant]
		if x == nil || y == nil {
			continue
		}
		i, _ := stats.Welch(x, y)
		r.Differences = append(r.Differences, difference(variant, x, y, i))
	}
	if len(r.Differences) == 0 {
		return nil, fmt.Errorf("%s and %s have no variant in common", a.Path, b.Path)
	}
	return r, nil
}

// quotients are the samples of all other variants over those of one.
func (f *File) quotients(variant string) (map[string][]float64, error) {
	if err := f.has(variant); err != nil {
		return nil, err
	}
	out := map[string][]float64{}
	for name, samples := range f.Samples {
		if name == variant {
			continue
		}
		for i, v := range samples {
			by := f.Samples[variant][i]
			if by == 0 {
				return nil, &FileError{f.Path, fmt.Errorf("sample %d of %s is 0: nothing is relative to that", i+1, variant)}
			}
			out[name] = append(out[name], v/by)
		}
	}
	return out, nil
}
