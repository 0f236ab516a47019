package forkjoin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/harness/harnesstest"
)

func TestMain(m *testing.M) { harnesstest.Main(m, Workload()) }

func TestSmallRun(t *testing.T) {
	object := harnesstest.JSON(t, Workload(), []string{"flags", "tasks_ns", "futures_ns", "goroutines_ns", "tasks_ratio", "futures_ratio"},
		"--n=10", "--runs=2", "--warmup=1", "--workers=2")
	require.Greater(t, object["tasks_ratio"], 0.0)
	table, _, err := harnesstest.Run(t, Workload(), "--n=1", "--runs=1", "--warmup=1", "--workers=1")
	require.NoError(t, err)
	require.Contains(t, table, "forkjoin, fib(1), 1 worker, 1 run of each variant")
}

func TestNumbers(t *testing.T) {
	for n, want := range []total{{0, 1}, {1, 1}, {1, 3}, {2, 5}, {3, 9}, {5, 15}} {
		require.Equal(t, want, numbers(n), "fib(%d)", n)
		require.Equal(t, want, fibGoroutines(n))
	}
}

// A result that is wrong is an error, and not a figure.
func TestWrongResult(t *testing.T) {
	_, err := params{N: 5}.checked(total{6, 15}, 1)
	require.ErrorContains(t, err, "fib(5) is 5, not 6")
}

func TestUsageErrors(t *testing.T) {
	harnesstest.Usage(t, Workload(), map[string]string{"--n=-1": "--n must be between 0 and", "--n=41": "--n must be between 0 and"})
}

func TestReportGoldens(t *testing.T) {
	rep := func(ms float64) harness.Repetition {
		return harness.Repetition{Millis: ms, Count: 21891, RSSKiB: 12 << 10}
	}
	res := harnesstest.Results([]string{variantTasks, variantFutures, variantGoroutines}, map[string][]harness.Repetition{
		variantTasks: {rep(8), rep(9), rep(10)}, variantFutures: {rep(6), rep(7), rep(7.5)}, variantGoroutines: {rep(6), rep(6.5), rep(7)},
	})
	r := newReport(params{N: 20, Workers: 2}, harness.Common{Workers: 2, Runs: 3, Flags: map[string]float64{"n": 20}}, res)
	r.Machine = harnesstest.Machine
	harnesstest.Goldens(t, "report", r)
}
