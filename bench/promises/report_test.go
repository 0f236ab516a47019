package promises

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness/harnesstest"
)

func TestReportGoldens(t *testing.T) {
	v := func(v float64) *float64 { return &v }
	r := newReport([]line{
		{Name: "gcbench", What: "times as fast as plain Go", Measured: v(8.837), Bound: ">= 6", Verdict: kept, Runs: []string{"gcbench --workers=2"}},
		{Name: "ubench", What: "25 x 10: times mutexes", Measured: v(1.4123), First: v(1.28), Bound: ">= 1.3", Verdict: kept, Runs: []string{"ubench --workers=2"}},
		{Name: "ubench", What: "25 x 100: times mutexes", Measured: v(0.8), First: v(0.9), Bound: ">= 1.3", Verdict: missed, Runs: []string{"ubench --workers=2"}},
		{Name: "ubench", What: "4 workers", Measured: v(12345.6), Verdict: notJudged, Runs: []string{"ubench --workers=4"}},
		{Name: "idle", What: "processor time", Bound: "< 0.5", Verdict: notMeasured, Why: "variant encorert: exit status 3\non stderr it said:\n    panic"},
		{Name: "java", What: "time over Java's", Bound: "<= 1", Verdict: notRun, Why: "java-g1: needs java"},
		{Name: "gang", What: "dispatch", Verdict: notBuilt, Why: "issue 4"},
	}, []measurement{
		{Run: "gcbench --workers=2", Report: map[string]any{"speedup_vs_go": 8.837, "samples": map[string][]float64{"encorert": {33, 34}}}},
		{Run: "idle", Error: "variant encorert: exit status 3"},
		{Run: "ubench --workers=2", Again: true, Report: map[string]any{"ratio": 0.8}},
	}, false)
	r.Machine = harnesstest.Machine
	harnesstest.Goldens(t, "report", r)
	require.Equal(t, []string{"ubench: 25 x 100: times mutexes", "idle: processor time"}, r.Missed)
	quick := newReport(nil, nil, true)
	quick.Machine = harnesstest.Machine
	harnesstest.Goldens(t, "quick", quick)
}
