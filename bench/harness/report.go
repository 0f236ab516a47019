package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"
)

// Head starts the JSON object of every workload.
type Head struct {
	Workload string               `json:"workload"`
	Workers  int                  `json:"workers"`
	Runs     int                  `json:"runs"`
	Machine  Machine              `json:"machine"`
	Samples  map[string][]float64 `json:"samples"` // milliseconds of each counted repetition, by variant
	Variants map[string]Line      `json:"variants"`
	// Missing says why a variant did not run.
	Missing map[string]string `json:"missing,omitempty"`
}

// Line is a row of the table. Times are in milliseconds.
type Line struct {
	Summary
	RSSMB float64 `json:"rss_mb,omitempty"` // peak resident memory in MiB; 0: unknown
	// Slower is how many milliseconds more than the first variant's the repetitions took, paired by round.
	Slower *Interval `json:"slower,omitempty"`
}

// NewHead describes results; differences are taken against the first variant.
func NewHead(workload string, common Common, res *Results) Head {
	h := Head{
		Workload: workload,
		Workers:  common.Workers,
		Runs:     common.Runs,
		Machine:  ThisMachine(),
		Samples:  map[string][]float64{},
		Variants: map[string]Line{},
		Missing:  res.Missing,
	}
	for i, name := range res.Order {
		series := res.Series[name]
		millis := series.Millis()
		s := Summarise(millis)
		line := Line{
			Summary: Summary{Median: Round(s.Median, 3), Min: Round(s.Min, 3), Max: Round(s.Max, 3), SpreadPct: Round(s.SpreadPct, 1)},
			RSSMB:   Round(float64(series.PeakRSSKiB())/1024, 1),
		}
		if i > 0 {
			if d, ok := PairedDifference(res.Series[res.Order[0]].Millis(), millis); ok {
				line.Slower = &Interval{Mean: Round(d.Mean, 3), Low: Round(d.Low, 3), High: Round(d.High, 3)}
			}
		}
		h.Samples[name], h.Variants[name] = millis, line
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
	fmt.Fprintf(t, "%-*s\tmedian ms\tmin ms\tspread\tpeak MB\ttimes\tdifference, 95 %%\t\n", wide, "variant")
	for i, name := range order {
		line := h.Variants[name]
		fmt.Fprintf(t, "%-*s\t%.1f\t%.1f\t%.1f %%\t%s\t%s\t%s\t\n", wide, name, line.Median, line.Min, line.SpreadPct,
			orDash(line.RSSMB), h.times(order, i), difference(line.Slower))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(order) > 1 {
		fmt.Fprintf(w, "times: median over that of %s; difference: ms a round took more than %s's, mean and 95 %% interval\n", order[0], order[0])
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

func orDash(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", v)
}

func difference(d *Interval) string {
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

// Round rounds to a number of decimals, for figures whose further digits are noise.
func Round(v float64, decimals int) float64 {
	scale := math.Pow10(decimals)
	return math.Round(v*scale) / scale
}

// writeJSON prints a report as one object, indented.
func writeJSON(w io.Writer, r Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
