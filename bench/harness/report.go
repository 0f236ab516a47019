package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/encorert/encorert/bench/stats"
)

// Head starts the JSON object of every workload.
type Head struct {
	Workload string               `json:"workload"`
	Workers  int                  `json:"workers"`
	Runs     int                  `json:"runs"`
	Flags    map[string]float64   `json:"flags,omitempty"` // of the workload, those that are numbers
	Machine  Machine              `json:"machine"`
	Unit     string               `json:"unit"`    // of the samples
	Samples  map[string][]float64 `json:"samples"` // of each counted repetition, by variant
	Variants map[string]Line      `json:"variants"`
	// Missing says why a variant did not run.
	Missing map[string]string `json:"missing,omitempty"`
}

// Line is a row of the table, in the unit of the samples.
type Line struct {
	stats.Summary
	Unit  string
	RSSMB float64 // peak resident memory in MiB; 0: unknown
	// Slower is how much more than the first variant's the repetitions took, paired by round.
	Slower *stats.Interval
}

// MarshalJSON writes the unit into the names of the fields: median_ms.
func (l Line) MarshalJSON() ([]byte, error) {
	text := fmt.Appendf(nil, `{"median_%[1]s":%[2]v,"min_%[1]s":%[3]v,"max_%[1]s":%[4]v,"spread_pct":%[5]v`,
		l.Unit, number(l.Median), number(l.Min), number(l.Max), number(l.SpreadPct))
	if l.RSSMB != 0 {
		text = fmt.Appendf(text, `,"rss_mb":%v`, number(l.RSSMB))
	}
	if l.Slower != nil {
		text = fmt.Appendf(text, `,"slower":{"mean_%[1]s":%[2]v,"low_%[1]s":%[3]v,"high_%[1]s":%[4]v}`,
			l.Unit, number(l.Slower.Mean), number(l.Slower.Low), number(l.Slower.High))
	}
	return append(text, '}'), nil
}

// number prints as JSON has it.
type number float64

func (n number) String() string { return strconv.FormatFloat(float64(n), 'f', -1, 64) }

// NewHead describes results as m measures them; differences are taken against the first variant.
func NewHead(workload string, common Common, res *Results, m Measure) Head {
	h := Head{
		Workload: workload,
		Workers:  common.Workers,
		Runs:     common.Runs,
		Flags:    common.Flags,
		Machine:  ThisMachine(),
		Unit:     m.Unit,
		Samples:  map[string][]float64{},
		Variants: map[string]Line{},
		Missing:  res.Missing,
	}
	for i, name := range res.Order {
		series := res.Series[name]
		samples := series.Samples(m)
		s := stats.Summarise(samples)
		line := Line{
			Summary: stats.Summary{
				Median: stats.Round(s.Median, 3), Min: stats.Round(s.Min, 3), Max: stats.Round(s.Max, 3), SpreadPct: stats.Round(s.SpreadPct, 1),
			},
			Unit:  m.Unit,
			RSSMB: stats.Round(float64(series.PeakRSSKiB())/1024, 1),
		}
		if i > 0 {
			if d, ok := stats.Paired(res.Series[res.Order[0]].Samples(m), samples); ok {
				line.Slower = &stats.Interval{Mean: stats.Round(d.Mean, 3), Low: stats.Round(d.Low, 3), High: stats.Round(d.High, 3)}
			}
		}
		h.Samples[name], h.Variants[name] = samples, line
	}
	return h
}

// Table prints the variants in order, the first one being what the others are compared with.
func (h Head) Table(w io.Writer, order []string) error {
	wide := len("variant")
	for _, name := range order {
		wide = max(wide, len(name)) // names go left, which tabwriter does only for all columns or none
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%-*s\tmedian %[3]s\tmin %[3]s\tspread\tpeak MB\ttimes\tdifference, 95 %%\t\n", wide, "variant", h.Unit)
	for i, name := range order {
		line := h.Variants[name]
		fmt.Fprintf(t, "%-*s\t%.1f\t%.1f\t%.1f %%\t%s\t%s\t%s\t\n", wide, name, line.Median, line.Min, line.SpreadPct,
			orDash(line.RSSMB), h.times(order, i), difference(line.Slower))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(order) > 1 {
		fmt.Fprintf(w, "times: median over that of %s; difference: %[2]s a round took more than %[1]s's, mean and 95 %% interval\n", order[0], h.Unit)
	}
	for _, name := range slices.Sorted(maps.Keys(h.Missing)) {
		fmt.Fprintf(w, "not run: %s: %s\n", name, h.Missing[name])
	}
	_, err := fmt.Fprintln(w, h.Machine)
	return err
}

func (h Head) times(order []string, i int) string {
	first := h.Variants[order[0]].Median
	if first == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", h.Variants[order[i]].Median/first)
}

// Median is the median of a variant's samples, nil if it did not run.
func (h Head) Median(variant string) *float64 {
	line, ran := h.Variants[variant]
	if !ran {
		return nil
	}
	return &line.Median
}

// Quotient is a/b with three decimals, nil if either is missing or b is 0.
func Quotient(a, b *float64) *float64 {
	if a == nil || b == nil || *b == 0 {
		return nil
	}
	v := stats.Round(*a / *b, 3)
	return &v
}

func orDash(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", v)
}

func difference(d *stats.Interval) string {
	if d == nil {
		return "-"
	}
	return fmt.Sprintf("%+.1f (%+.1f to %+.1f)", d.Mean, d.Low, d.High)
}

// Counted is a number with its noun: 1 run, 2 runs.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// WriteJSON prints a report as one object, indented.
func WriteJSON(w io.Writer, r Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
