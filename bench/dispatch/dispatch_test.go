package dispatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/harness/harnesstest"
)

func TestMain(m *testing.M) { harnesstest.Main(m, Workload()) }

func TestSmallRun(t *testing.T) {
	object := harnesstest.JSON(t, Workload(),
		[]string{"flags", "with_caller_us", "workers_only_us", "ratio", "with_caller_gap_us", "workers_only_gap_us", "gap_ratio"},
		"--jobs=2000", "--gap-jobs=50", "--runs=2", "--warmup=1", "--workers=2")
	require.Greater(t, object["ratio"], 0.0)
	require.Greater(t, object["gap_ratio"], 0.0)
	table, _, err := harnesstest.Run(t, Workload(), "--jobs=100", "--gap-jobs=10", "--gap=5", "--runs=1", "--warmup=1", "--workers=1",
		"--variants=with-caller,workers-only-gap")
	require.NoError(t, err)
	require.Contains(t, table, "gang, 100 jobs back to back, 10 with gaps of 5µs")
	require.NotContains(t, table, "times as fast")
}

func TestUsageErrors(t *testing.T) {
	harnesstest.Usage(t, Workload(), map[string]string{
		"--jobs=0":         "--jobs must be between 1 and",
		"--gap-jobs=0":     "--gap-jobs must be between 1 and",
		"--gap=0":          "--gap must be between 1 and",
		"--gap=1000000000": "--gap must be between 1 and",
	})
}

// Every share of every job is counted, in all forms.
func TestRepetitionsCountShares(t *testing.T) {
	for v, player := range players {
		rep, err := player(params{Jobs: 500, GapJobs: 20, Gap: 10 * time.Microsecond})()
		require.NoError(t, err)
		want := int64(1000)
		if v == variantWithGap || v == variantOnlyGap {
			want = 40
		}
		require.Equal(t, want, rep.Count, v)
		require.Positive(t, rep.Values[valueMicros], v)
	}
}

func TestReportGoldens(t *testing.T) {
	reps := func(us ...float64) (list []harness.Repetition) {
		for _, v := range us {
			list = append(list, harness.Repetition{Millis: 10, RSSKiB: 10 << 10, Values: map[string]float64{valueMicros: v}})
		}
		return list
	}
	res := harnesstest.Results([]string{variantWith, variantOnly, variantWithGap, variantOnlyGap}, map[string][]harness.Repetition{
		variantWith: reps(0.04, 0.041, 0.05), variantOnly: reps(0.45, 0.47, 0.46), variantWithGap: reps(3, 4, 3.5), variantOnlyGap: reps(7, 7.5, 8),
	})
	common := harness.Common{Workers: 2, Runs: 3, Flags: map[string]float64{"jobs": 100_000, "gap_jobs": 1000, "gap": 50}}
	r := newReport(params{Jobs: 100_000, GapJobs: 1000, Gap: 50 * time.Microsecond}, common, res)
	r.Machine = harnesstest.Machine
	harnesstest.Goldens(t, "report", r)
}
