package promises

import (
	"fmt"
	"strconv"

	"github.com/encorert/encorert/bench/stats"
)

// bound says which figures keep a promise. The zero bound judges nothing.
type bound struct {
	op    string // ">=", ">", "<=", "<"
	limit float64
}

// reported is the bound of what is measured and not judged.
var reported = bound{}

func atLeast(v float64) bound { return bound{">=", v} }
func above(v float64) bound   { return bound{">", v} }
func atMost(v float64) bound  { return bound{"<=", v} }
func below(v float64) bound   { return bound{"<", v} }

func (b bound) String() string {
	if b == reported {
		return ""
	}
	return b.op + " " + strconv.FormatFloat(b.limit, 'f', -1, 64)
}

// holds judges a figure.
func (b bound) holds(v float64) bool {
	switch b.op {
	case ">=":
		return v >= b.limit
	case ">":
		return v > b.limit
	case "<=":
		return v <= b.limit
	case "<":
		return v < b.limit
	}
	panic("promises: no bound to hold")
}

// verdict is what is said of a promise.
type verdict string

// Verdicts.
const (
	kept        verdict = "holds"
	missed      verdict = "MISSED"
	notJudged   verdict = "reported"
	notRun      verdict = "not run" // for a reason that lies in the machine, such as a peer that is not installed
	notBuilt    verdict = "not yet built"
	notMeasured verdict = "NOT MEASURED" // the workload failed or lacks the figure: nothing shows that the promise is kept
)

// line is a promise with what was measured.
type line struct {
	Name     string   `json:"name"`
	What     string   `json:"promise"`
	Measured *float64 `json:"measured,omitempty"`
	// First is what was measured first, and missed, if Measured is of a second time.
	First   *float64 `json:"first,omitempty"`
	Bound   string   `json:"bound,omitempty"` // none: only reported
	Verdict verdict  `json:"verdict"`
	Why     string   `json:"why,omitempty"`
	// Runs are those of the measurements that the figure is of.
	Runs []string `json:"runs,omitempty"`
}

// broken reports whether the promise is not shown to be kept.
func (l line) broken() bool { return l.Verdict == missed || l.Verdict == notMeasured }

// judge says what of a promise was measured, by what was got of its invocations.
func (p promise) judge(got func(run) outcome) line {
	l := line{Name: p.name, What: p.what, Bound: p.bound.String()}
	if p.waits != "" {
		l.Verdict, l.Why = notBuilt, p.waits
		return l
	}
	figures := []figure{p.figure}
	if p.over != nil {
		figures = append(figures, *p.over)
	}
	var values []float64
	for _, f := range figures {
		l.addRun(f.of)
		o := got(f.of)
		v, why, verdict := o.value(f.field)
		if verdict != "" {
			l.Verdict, l.Why = verdict, why
			return l
		}
		values = append(values, v)
	}
	v := values[0]
	if len(values) > 1 {
		if values[1] == 0 {
			l.Verdict, l.Why = notMeasured, p.over.field+" is 0"
			return l
		}
		v /= values[1]
	}
	// The bound is held to what is printed.
	v = stats.Round(v, decimals)
	l.Measured = &v
	switch {
	case p.bound == reported:
		l.Verdict = notJudged
	case p.bound.holds(v):
		l.Verdict = kept
	default:
		l.Verdict = missed
	}
	return l
}

// decimals of figures: workloads round to as many or fewer.
const decimals = 4

func (l *line) addRun(r run) {
	if name := r.String(); len(l.Runs) == 0 || l.Runs[0] != name {
		l.Runs = append(l.Runs, name)
	}
}

// outcome is what an invocation gave.
type outcome struct {
	report map[string]any // its JSON object
	err    error
}

// value reads a field; verdict is "" if it is there.
func (o outcome) value(field string) (_ float64, why string, _ verdict) {
	if o.err != nil {
		return 0, o.err.Error(), notMeasured
	}
	if v, ok := o.report[field].(float64); ok {
		return v, "", ""
	}
	if missing, ok := o.report["missing"].(map[string]any); ok {
		for _, variant := range sortedKeys(missing) {
			return 0, fmt.Sprintf("%s: %v", variant, missing[variant]), notRun
		}
	}
	return 0, "no " + field + " in the report", notMeasured
}
