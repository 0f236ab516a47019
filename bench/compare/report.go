package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/encorert/encorert/bench/stats"
)

// The tests behind the intervals, as JSON has them.
const (
	paired = "Student's t, paired"
	welch  = "Welch's t"
)

// Report is the outcome of a comparison.
type Report struct {
	Workload           string
	Workers            int
	Unit               string // of the samples
	Test               string
	A, B               string // paths; B is "" within one file
	SamplesA, SamplesB int    // of each variant
	Baseline           string // within one file
	RelativeTo         string // between two
	Differences        []Difference
	Notes              []string
}

// Table prints the report for people.
func (r *Report) Table(w io.Writer) error {
	fmt.Fprintf(w, "%s, %d worker(s)\n", r.Workload, r.Workers)
	first, second := "A", "B"
	if r.B == "" {
		first, second = r.Baseline, "variant"
		fmt.Fprintf(w, "%s, %d rounds: each variant against %s\n\n", r.A, r.SamplesA, r.Baseline)
	} else {
		fmt.Fprintf(w, "A: %s, %d samples\nB: %s, %d samples\n", r.A, r.SamplesA, r.B, r.SamplesB)
		if r.RelativeTo != "" {
			fmt.Fprintf(w, "all relative to %s in the same round\n", r.RelativeTo)
		}
		fmt.Fprintln(w)
	}
	wide := len("variant")
	for _, d := range r.Differences {
		wide = max(wide, len(d.Name)) // names go left, which tabwriter does only for all columns or none
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%-*s\t%s %s\t%s %s\tdifference, 95 %%\tper cent, 95 %%\tshown\t\n", wide, "variant", first, r.Unit, second, r.Unit)
	for _, d := range r.Differences {
		n := decimals(d.A)
		fmt.Fprintf(t, "%-*s\t%.*f\t%.*f\t%+.*f (%+.*f to %+.*f)\t", wide, d.Name, n, d.A, n, d.B, n, d.Mean, n, d.Low, n, d.High)
		fmt.Fprintf(t, "%+.1f (%+.1f to %+.1f)\t%s\t\n", d.Pct.Mean, d.Pct.Low, d.Pct.High, d.Verdict())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "difference of the means, with its 95 %% interval (%s); not shown: the interval holds 0\n", r.Test)
	for _, note := range r.Notes {
		fmt.Fprintln(w, "note:", note)
	}
	return nil
}

// decimals is how many show four digits of v.
func decimals(v float64) int {
	if v <= 0 {
		return 0
	}
	return min(max(3-int(math.Floor(math.Log10(v))), 0), 9)
}

// JSON prints the report as one object.
func (r *Report) JSON(w io.Writer) error {
	type line struct {
		Variant string  `json:"variant"`
		A       float64 `json:"a_mean"`
		B       float64 `json:"b_mean"`
		Mean    float64 `json:"difference"`
		Low     float64 `json:"low"`
		High    float64 `json:"high"`
		Pct     float64 `json:"pct"`
		PctLow  float64 `json:"pct_low"`
		PctHigh float64 `json:"pct_high"`
		Shown   string  `json:"shown"`
	}
	object := struct {
		Workload    string   `json:"workload"`
		Workers     int      `json:"workers"`
		Unit        string   `json:"unit"`
		Test        string   `json:"test"`
		A           string   `json:"a"`
		B           string   `json:"b,omitempty"`
		SamplesA    int      `json:"a_samples"`
		SamplesB    int      `json:"b_samples,omitempty"`
		Baseline    string   `json:"baseline,omitempty"`
		RelativeTo  string   `json:"relative_to,omitempty"`
		Differences []line   `json:"differences"`
		Notes       []string `json:"notes,omitempty"`
	}{
		Workload: r.Workload, Workers: r.Workers, Unit: r.Unit, Test: r.Test, A: r.A, B: r.B, SamplesA: r.SamplesA, SamplesB: r.SamplesB,
		Baseline: r.Baseline, RelativeTo: r.RelativeTo, Notes: r.Notes,
	}
	const digits = 6 // after the point; the figures are of ns, us, ms or quotients
	round := func(v float64) float64 { return stats.Round(v, digits) }
	for _, d := range r.Differences {
		object.Differences = append(object.Differences, line{
			d.Name, round(d.A), round(d.B), round(d.Mean), round(d.Low), round(d.High),
			round(d.Pct.Mean), round(d.Pct.Low), round(d.Pct.High), d.Verdict(),
		})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(object)
}
