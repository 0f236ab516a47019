package spread

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/harness/harnesstest"
)

func TestMain(m *testing.M) { harnesstest.Main(m, Workload()) }

func TestSmallRun(t *testing.T) {
	object := harnesstest.JSON(t, Workload(), []string{"flags", "ms", "ideal_ms", "utilisation"},
		"--units=20", "--steps=10000", "--runs=2", "--warmup=1", "--workers=2")
	require.Greater(t, object["utilisation"], 0.0)
	require.LessOrEqual(t, object["utilisation"], 1.0)
	for _, workers := range []string{"--workers=1", "--workers=5"} {
		table, _, err := harnesstest.Run(t, Workload(), "--units=7", "--steps=100", "--runs=1", "--warmup=1", workers)
		require.NoError(t, err)
		require.Contains(t, table, "spread, 7 units of 100 steps")
	}
}

func TestUsageErrors(t *testing.T) {
	harnesstest.Usage(t, Workload(), map[string]string{
		"--units=0": "--units must be between 1 and",
		"--steps=0": "--steps must be between 1 and",
	})
}

func TestWrongWorkFailsTheRun(t *testing.T) {
	p := params{Units: 2, Steps: 10, Workers: 1}
	_, err := p.checked(func() (outcome, error) { return outcome{done: 2, sum: 1}, nil })()
	require.ErrorContains(t, err, "the units computed 1 in sum instead of")
}

func TestReportGoldens(t *testing.T) {
	rep := func(ms, utilisation float64) harness.Repetition {
		return harness.Repetition{Millis: ms, RSSKiB: 12 << 10, Values: map[string]float64{valueUtilisation: utilisation}}
	}
	res := harnesstest.Results([]string{variantActors, variantIdeal}, map[string][]harness.Repetition{
		variantActors: {rep(103, 0.96), rep(101, 0.97), rep(102, 0.98)},
		variantIdeal:  {rep(100, 1), rep(99, 1), rep(101, 1)},
	})
	r := newReport(params{Units: 256, Steps: 500_000}, harness.Common{Workers: 2, Runs: 3, Flags: map[string]float64{"units": 256}}, res)
	r.Machine = harnesstest.Machine
	harnesstest.Goldens(t, "report", r)
}
