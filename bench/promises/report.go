package promises

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/stats"
)

// report is the JSON object.
type report struct {
	Workload string          `json:"workload"` // "promises"
	Quick    bool            `json:"quick,omitempty"`
	Machine  harness.Machine `json:"machine"`
	Kept     int             `json:"kept"`
	Missed   []string        `json:"missed"` // those not shown to be kept
	Promises []line          `json:"promises"`
	// Measurements are all invocations with their samples, in the order in which they were run.
	Measurements []measurement `json:"measurements"`
}

func newReport(lines []line, done []measurement, quick bool) *report {
	r := &report{
		Workload: name, Quick: quick, Machine: harness.ThisMachine(), Missed: []string{}, Promises: lines, Measurements: done,
	}
	for _, l := range lines {
		if l.Verdict == kept {
			r.Kept++
		}
		if l.broken() {
			r.Missed = append(r.Missed, l.title())
		}
	}
	return r
}

func (l line) title() string { return l.Name + ": " + l.What }

// Table prints the report for people.
func (r *report) Table(w io.Writer) error {
	wideName, wideWhat := 0, len("promise")
	for _, l := range r.Promises {
		wideName, wideWhat = max(wideName, len(l.Name)), max(wideWhat, len(l.What))
	}
	// Names go left, which tabwriter does only for all columns or none.
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%-*s  %-*s\tmeasured\tbound\t  verdict\n", wideName, "", wideWhat, "promise")
	for _, l := range r.Promises {
		fmt.Fprintf(t, "%-*s  %-*s\t%s\t%s\t  %s\n", wideName, l.Name, wideWhat, l.What, number(l.Measured), l.Bound, l.said())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, r.Machine)
	if r.Quick {
		fmt.Fprintln(w, "--quick: figures and verdicts mean nothing")
	}
	for _, l := range r.Promises {
		if l.First != nil {
			fmt.Fprintln(w, "measured again: it was missed first, and measured a second time with twice as many repetitions; that time counts")
			break
		}
	}
	_, err := fmt.Fprintf(w, "%s kept, %d missed\n", harness.Counted(r.Kept, "promise"), len(r.Missed))
	return err
}

// said is the verdict with its circumstances.
func (l line) said() string {
	text := string(l.Verdict)
	if l.First != nil {
		text += ", measured again (first " + number(l.First) + ")"
	}
	if l.Why != "" {
		first, _, _ := strings.Cut(l.Why, "\n")
		text += ": " + first
	}
	return text
}

// number prints four digits, and all of a larger whole number.
func number(v *float64) string {
	switch {
	case v == nil:
		return "-"
	case *v >= 1000:
		return strconv.FormatFloat(stats.Round(*v, 0), 'f', -1, 64)
	default:
		return strconv.FormatFloat(*v, 'g', 4, 64)
	}
}
