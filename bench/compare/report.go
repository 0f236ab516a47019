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
	Run                string    // of a part: the invocation
	Parts              []*Report // of results that hold many, one for each invocation; they have the differences
}

// Table prints the report for people.
func (r *Report) Table(w io.Writer) error {
	if r.Parts != nil {
		return r.tableOfParts(w)
	}
	fmt.Fprintf(w, "%s, %d worker(s)\n", r.Workload, r.Workers)
	if r.B == "" {
		fmt.Fprintf(w, "%s, %d rounds: each variant against %s\n\n", r.A, r.SamplesA, r.Baseline)
	} else {
		fmt.Fprintf(w, "A: %s, %d samples\nB: %s, %d samples\n", r.A, r.SamplesA, r.B, r.SamplesB)
		if r.RelativeTo != "" {
			fmt.Fprintf(w, "all relative to %s in the same round\n", r.RelativeTo)
		}
		fmt.Fprintln(w)
	}
	if err := r.differences(w); err != nil {
		return err
	}
	r.explain(w)
	r.printNotes(w)
	return nil
}

// differences prints a line for each.
func (r *Report) differences(w io.Writer) error {
	first, second := "A", "B"
	if r.Baseline != "" {
		first, second = r.Baseline, "variant"
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
	return t.Flush()
}

func (r *Report) explain(w io.Writer) {
	fmt.Fprintf(w, "difference of the means, with its 95 %% interval (%s); not shown: the interval holds 0\n", r.Test)
}

func (r *Report) printNotes(w io.Writer) {
	for _, note := range r.Notes {
		fmt.Fprintln(w, "note:", note)
	}
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
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r.object())
}

// object is the JSON of a report; what an object of parts does not have is left out.
type object struct {
	Run         string   `json:"run,omitempty"`
	Workload    string   `json:"workload"`
	Workers     int      `json:"workers,omitempty"`
	Unit        string   `json:"unit,omitempty"`
	Test        string   `json:"test"`
	A           string   `json:"a,omitempty"`
	B           string   `json:"b,omitempty"`
	SamplesA    int      `json:"a_samples,omitempty"`
	SamplesB    int      `json:"b_samples,omitempty"`
	Baseline    string   `json:"baseline,omitempty"`
	RelativeTo  string   `json:"relative_to,omitempty"`
	Differences []row    `json:"differences,omitempty"`
	Comparisons []object `json:"comparisons,omitempty"`
	Notes       []string `json:"notes,omitempty"`
}

// row is a difference.
type row struct {
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

func (r *Report) object() object {
	o := object{
		Run: r.Run, Workload: r.Workload, Workers: r.Workers, Unit: r.Unit, Test: r.Test, A: r.A, B: r.B,
		SamplesA: r.SamplesA, SamplesB: r.SamplesB, Baseline: r.Baseline, RelativeTo: r.RelativeTo, Notes: r.Notes,
	}
	const digits = 6 // after the point; the figures are of ns, us, ms or quotients
	round := func(v float64) float64 { return stats.Round(v, digits) }
	for _, d := range r.Differences {
		o.Differences = append(o.Differences, row{
			d.Name, round(d.A), round(d.B), round(d.Mean), round(d.Low), round(d.High),
			round(d.Pct.Mean), round(d.Pct.Low), round(d.Pct.High), d.Verdict(),
		})
	}
	for _, p := range r.Parts {
		o.Comparisons = append(o.Comparisons, p.object())
	}
	return o
}
