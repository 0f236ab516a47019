package promises

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
)

// figures is a report that has them as its fields.
type figures map[string]any

func (figures) Table(io.Writer) error { return nil }

// scripted answers each invocation of a workload with the next of its reports, and notes what was asked for.
type scripted struct {
	reports map[string][]figures
	asked   []string
}

func (s *scripted) measure(_ context.Context, workload string, args []string) (harness.Report, error) {
	s.asked = append(s.asked, workload+" "+strings.Join(args, " "))
	left := s.reports[workload]
	if len(left) == 0 {
		return nil, errors.New("it was measured too often")
	}
	s.reports[workload] = left[1:]
	if left[0] == nil {
		return nil, errors.New("its child died")
	}
	return left[0], nil
}

func TestMissesAreMeasuredAgain(t *testing.T) {
	r := func(workload string) run { return run{workload, "--workers=2", 5} }
	of := func(workload, field string) figure { return figure{r(workload), field} }
	s := &scripted{reports: map[string][]figures{
		"good":   {{"ratio": 2}},
		"noisy":  {{"ratio": 1, "other": 3}, {"ratio": 2, "other": 0.5}},
		"bad":    {{"ratio": 1}, {"ratio": 1.5}},
		"loses":  {{"lost": 1}},
		"dies":   {nil},
		"pair-a": {{"ns": 10}, {"ns": 9}},
		"pair-b": {{"ns": 2}, {"ns": 3}},
	}}
	var said bytes.Buffer
	c := &checker{measure: s.measure, say: &said}
	lines, err := c.check(t.Context(), []promise{
		{name: "good", figure: of("good", "ratio"), bound: atLeast(2)},
		{name: "noisy", figure: of("noisy", "ratio"), bound: atLeast(2)},
		{name: "noisy-other", figure: of("noisy", "other"), bound: atLeast(2)},
		{name: "bad", figure: of("bad", "ratio"), bound: atLeast(2)},
		{name: "loses", figure: of("loses", "lost"), bound: atMost(0), exact: true},
		{name: "dies", figure: of("dies", "ms"), bound: atMost(0)},
		{name: "pair", figure: of("pair-a", "ns"), over: &figure{r("pair-b"), "ns"}, bound: atMost(3)},
		{name: "later", waits: "issue 9"},
	})
	require.NoError(t, err)

	type summary struct {
		name            string
		first, measured float64
		verdict         verdict
	}
	var got []summary
	value := func(v *float64) float64 {
		if v == nil {
			return -1
		}
		return *v
	}
	for _, l := range lines {
		got = append(got, summary{l.Name, value(l.First), value(l.Measured), l.Verdict})
	}
	require.Equal(t, []summary{
		{"good", -1, 2, kept},
		{"noisy", 1, 2, kept},
		{"noisy-other", -1, 3, kept}, // it held: the second measurement is not asked
		{"bad", 1, 1.5, missed},
		{"loses", -1, 1, missed},
		{"dies", -1, -1, notMeasured},
		{"pair", 5, 3, kept},
		{"later", -1, -1, notBuilt},
	}, got)

	require.Equal(t, []string{
		"good --workers=2 --runs=5", "noisy --workers=2 --runs=5", "bad --workers=2 --runs=5", "loses --workers=2 --runs=5",
		"dies --workers=2 --runs=5", "pair-a --workers=2 --runs=5", "pair-b --workers=2 --runs=5",
		"noisy --workers=2 --runs=10", "bad --workers=2 --runs=10", "pair-a --workers=2 --runs=10", "pair-b --workers=2 --runs=10",
	}, s.asked)
	require.Len(t, c.done, len(s.asked), "all are in the JSON")
	require.Equal(t, measurement{Run: "noisy --workers=2", Report: map[string]any{"ratio": 1.0, "other": 3.0}}, c.done[1])
	require.Equal(t, measurement{Run: "noisy --workers=2", Again: true, Report: map[string]any{"ratio": 2.0, "other": 0.5}}, c.done[7])
	require.Equal(t, "its child died", c.done[4].Error)
	require.Contains(t, said.String(), "2 of 7: noisy --workers=2\n")
	require.Contains(t, said.String(), "again: 1 of 4: noisy --workers=2\n")
}

func TestQuickShrinks(t *testing.T) {
	s := &scripted{reports: map[string][]figures{"spread": {{"ms": 1}}}}
	c := &checker{measure: s.measure, say: io.Discard, quick: true}
	_, err := c.check(t.Context(), []promise{{figure: figure{handOut, "ms"}, bound: reported}})
	require.NoError(t, err)
	require.Equal(t, []string{"spread --workers=2 --units=16 --steps=1000 --warmup=1 --runs=2"}, s.asked)
}

func TestInterrupted(t *testing.T) {
	stdctx, cancel := context.WithCancel(t.Context())
	c := &checker{say: io.Discard, measure: func(context.Context, string, []string) (harness.Report, error) {
		cancel()
		return nil, errors.New("killed")
	}}
	_, err := c.check(stdctx, []promise{{figure: figure{handOut, "ms"}, bound: reported}, {figure: figure{idle, "cpu_pct"}, bound: reported}})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, c.done)
}
