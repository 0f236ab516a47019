package contend

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/harness/harnesstest"
)

func TestMain(m *testing.M) { harnesstest.Main(m, Workload()) }

func TestSmallRun(t *testing.T) {
	object := harnesstest.JSON(t, Workload(), []string{"flags", "one_ms", "eight_ms", "ratio", "wakes"},
		"--increments=2000", "--runs=2", "--warmup=1", "--workers=8")
	require.Greater(t, object["ratio"], 0.0)
	table, _, err := harnesstest.Run(t, Workload(), "--increments=100", "--runs=1", "--warmup=1", "--workers=1")
	require.NoError(t, err)
	require.Contains(t, table, "contend, 100 increments of each actor")
}

func TestUsageErrors(t *testing.T) {
	harnesstest.Usage(t, Workload(), map[string]string{"--increments=0": "--increments must be between 1 and"})
}

func TestReportGoldens(t *testing.T) {
	rep := func(ms, wakes float64) harness.Repetition {
		return harness.Repetition{Millis: ms, RSSKiB: 12 << 10, Values: map[string]float64{valueWakes: wakes}}
	}
	res := harnesstest.Results([]string{variantOne, variantEight}, map[string][]harness.Repetition{
		variantOne:   {rep(1, 8), rep(1.25, 9), rep(1.5, 8)},
		variantEight: {rep(10, 40), rep(11, 41), rep(12, 42)},
	})
	r := newReport(params{Increments: 100_000}, harness.Common{Workers: 8, Runs: 3, Flags: map[string]float64{"increments": 100_000}}, res)
	r.Machine = harnesstest.Machine
	harnesstest.Goldens(t, "report", r)
}
