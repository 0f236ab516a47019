package promises

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		bound bound
		value float64
		want  bool
	}{
		{atLeast(6), 6.1, true},
		{atLeast(6), 6, true},
		{atLeast(6), 5.999, false},
		{above(1), 1.001, true},
		{above(1), 1, false},
		{atMost(1.5), 1.4, true},
		{atMost(1.5), 1.5, true},
		{atMost(1.5), 1.501, false},
		{below(200), 199.9, true},
		{below(200), 200, false},
		{atMost(0), 0, true},
		{atMost(0), 1, false},
	} {
		require.Equal(t, c.want, c.bound.holds(c.value), "%v %v", c.value, c.bound)
	}
	require.Empty(t, reported.String())
	require.Equal(t, ">= 0.95", atLeast(0.95).String())
	require.Equal(t, "< 100000", below(100_000).String())
	require.Panics(t, func() { reported.holds(1) })
}

func TestJudge(t *testing.T) {
	a, b := run{workload: "a"}, run{workload: "b"}
	outcomes := map[run]outcome{
		a: {report: map[string]any{"ratio": 1.3, "near": 1.29996, "ms": 12.0, "name": "text", "zero": 0.0}},
		b: {report: map[string]any{"ms": 8.0, "missing": map[string]any{"java": "needs java", "c": "needs cc"}}},
	}
	failed := run{workload: "failed"}
	outcomes[failed] = outcome{err: errors.New("variant x: exit status 3")}
	for _, c := range []struct {
		name    string
		promise promise
		value   float64 // 0: none
		verdict verdict
		why     string
	}{
		{"hit", promise{figure: figure{a, "ratio"}, bound: atLeast(1)}, 1.3, kept, ""},
		{"miss", promise{figure: figure{a, "ratio"}, bound: atLeast(2)}, 1.3, missed, ""},
		{"borderline", promise{figure: figure{a, "ratio"}, bound: atLeast(1.3)}, 1.3, kept, ""},
		{"borderline after rounding", promise{figure: figure{a, "near"}, bound: atLeast(1.3)}, 1.3, kept, ""},
		{"not above", promise{figure: figure{a, "ratio"}, bound: above(1.3)}, 1.3, missed, ""},
		{"reported", promise{figure: figure{a, "ratio"}, bound: reported}, 1.3, notJudged, ""},
		{"quotient", promise{figure: figure{a, "ms"}, over: &figure{b, "ms"}, bound: atMost(1.5)}, 1.5, kept, ""},
		{"quotient by 0", promise{figure: figure{a, "ms"}, over: &figure{a, "zero"}, bound: atMost(1.5)}, 0, notMeasured, "zero is 0"},
		{"no such field", promise{figure: figure{a, "nosuch"}, bound: atLeast(1)}, 0, notMeasured, "no nosuch in the report"},
		{"no number", promise{figure: figure{a, "name"}, bound: atLeast(1)}, 0, notMeasured, "no name in the report"},
		{"missing variant", promise{figure: figure{b, "ratio_vs_java"}, bound: atMost(1)}, 0, notRun, "c: needs cc"},
		{"failed", promise{figure: figure{failed, "ms"}, bound: atMost(1)}, 0, notMeasured, "variant x: exit status 3"},
		{"divisor failed", promise{figure: figure{a, "ms"}, over: &figure{failed, "ms"}, bound: atMost(1)}, 0, notMeasured, "variant x: exit status 3"},
		{"not yet built", promise{waits: "issue 9"}, 0, notBuilt, "issue 9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := c.promise.judge(func(r run) outcome { return outcomes[r] })
			require.Equal(t, c.verdict, l.Verdict)
			require.Equal(t, c.why, l.Why)
			require.Equal(t, c.verdict == missed || c.verdict == notMeasured, l.broken())
			if c.value == 0 {
				require.Nil(t, l.Measured)
				return
			}
			require.Equal(t, c.value, *l.Measured)
		})
	}
}
