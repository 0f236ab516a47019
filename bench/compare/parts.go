package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// hasParts reports whether results of a workload hold a result for each of many invocations: those of
// `encorert bench promises`, and of bench/peers.
func hasParts(workload string) bool { return workload == "promises" || workload == "peers" }

// parseParts reads the measurements of such a result. Of an invocation that was measured twice the second one
// counts, as it does for the promise.
func parseParts(f *File, text []byte) error {
	var object struct {
		Measurements []struct {
			Run    string          `json:"run"`
			Error  string          `json:"error"`
			Report json.RawMessage `json:"report"`
		} `json:"measurements"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	at := map[string]int{}
	for _, m := range object.Measurements {
		if m.Error != "" {
			continue // there is nothing to compare
		}
		part, err := parse(m.Report)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Run, err)
		}
		part.Run = m.Run
		if i, before := at[m.Run]; before {
			f.Parts[i] = part
			continue
		}
		at[m.Run] = len(f.Parts)
		f.Parts = append(f.Parts, part)
	}
	if len(f.Parts) == 0 {
		return errors.New("it has no measurements")
	}
	return nil
}

// part finds an invocation, nil if the file has none of it.
func (f *File) part(run string) *File {
	for _, p := range f.Parts {
		if p.Run == run {
			return p
		}
	}
	return nil
}

// hasAnywhere reports whether an invocation has the variant.
func (f *File) hasAnywhere(variant string) bool {
	for _, p := range f.Parts {
		if p.Samples[variant] != nil {
			return true
		}
	}
	return false
}

// withinParts compares the variants of each invocation, where there are several; with a baseline, those that have it.
func withinParts(f *File, baseline string) (*Report, error) {
	r := &Report{Workload: f.Workload, Test: paired, A: f.Path, Baseline: baseline}
	for _, p := range f.Parts {
		if len(p.Samples) < 2 || baseline != "" && p.Samples[baseline] == nil {
			continue
		}
		part, err := Within(p, baseline)
		if err != nil {
			return nil, err
		}
		r.Parts = append(r.Parts, part)
	}
	if len(r.Parts) == 0 {
		return nil, &FileError{f.Path, fmt.Errorf("no measurement has variant %q and others", baseline)}
	}
	return r, nil
}

// betweenParts compares the invocations that both files have.
func betweenParts(a, b *File, relativeTo string) (*Report, error) {
	if relativeTo != "" && !a.hasAnywhere(relativeTo) {
		return nil, &FileError{a.Path, fmt.Errorf("no measurement has variant %q", relativeTo)}
	}
	r := &Report{Workload: a.Workload, Test: welch, A: a.Path, B: b.Path, RelativeTo: relativeTo, Notes: notes(a, b)}
	for _, p := range a.Parts {
		q := b.part(p.Run)
		if q == nil {
			r.Notes = append(r.Notes, p.Run+" is only in the first")
			continue
		}
		if relativeTo != "" && (len(p.Samples) < 2 || p.Samples[relativeTo] == nil) {
			continue
		}
		part, err := Between(p, q, relativeTo)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Run, err)
		}
		r.Parts = append(r.Parts, part)
	}
	for _, q := range b.Parts {
		if a.part(q.Run) == nil {
			r.Notes = append(r.Notes, q.Run+" is only in the second")
		}
	}
	if len(r.Parts) == 0 {
		return nil, fmt.Errorf("%s and %s have no measurement in common", a.Path, b.Path)
	}
	return r, nil
}

// tableOfParts prints a table for each invocation.
func (r *Report) tableOfParts(w io.Writer) error {
	if r.B == "" {
		fmt.Fprintf(w, "%s, %s\n", r.Workload, r.A)
	} else {
		fmt.Fprintf(w, "%s\nA: %s\nB: %s\n", r.Workload, r.A, r.B)
		if r.RelativeTo != "" {
			fmt.Fprintf(w, "all relative to %s in the same round\n", r.RelativeTo)
		}
	}
	for _, p := range r.Parts {
		samples := fmt.Sprintf("%d rounds, each variant against %s", p.SamplesA, p.Baseline)
		if r.B != "" {
			samples = fmt.Sprintf("%d and %d samples", p.SamplesA, p.SamplesB)
		}
		fmt.Fprintf(w, "\n%s: %s\n", p.Run, samples)
		if err := p.differences(w); err != nil {
			return err
		}
		p.printNotes(w)
	}
	fmt.Fprintln(w)
	r.explain(w)
	r.printNotes(w)
	return nil
}
