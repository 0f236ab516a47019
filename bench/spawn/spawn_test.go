package spawn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/harness/harnesstest"
)

func TestMain(m *testing.M) { harnesstest.Main(m, Workload()) }

func TestSmallRun(t *testing.T) {
	object := harnesstest.JSON(t, Workload(), []string{
		"flags", "ns_per_actor", "goroutine_ns", "ratio", "bytes_per_idle_actor", "bytes_per_idle_goroutine",
	}, "--actors=2000", "--idle=10000", "--runs=2", "--warmup=1", "--workers=2")
	require.Greater(t, object["ratio"], 0.0)
	table, _, err := harnesstest.Run(t, Workload(), "--actors=100", "--runs=1", "--warmup=1", "--workers=1", "--variants=encorert")
	require.NoError(t, err)
	require.Contains(t, table, "spawn, 100 actors dropped")
	require.NotContains(t, table, "idle")
}

func TestUsageErrors(t *testing.T) {
	harnesstest.Usage(t, Workload(), map[string]string{
		"--actors=0": "--actors must be between 1 and", "--idle=0": "--idle must be between 1 and", "--idle=2000000": "--idle must be between 1 and",
	})
}

// Every message is counted where it is handled, and what is idle takes some memory.
func TestRepetitionsCount(t *testing.T) {
	for v, player := range players {
		rep, err := player(params{Actors: 500, Idle: 20_000, Workers: 2})()
		require.NoError(t, err, v)
		want := 500
		if v == variantIdleActors || v == variantIdleGoroutines {
			want = 20_000
			require.Greater(t, rep.Values[valueBytes], 100.0, v)
		}
		require.EqualValues(t, want, rep.Count, v)
	}
}

func TestReportGoldens(t *testing.T) {
	reps := func(count int64, bytes float64, ms ...float64) (list []harness.Repetition) {
		for _, m := range ms {
			list = append(list, harness.Repetition{Millis: m, Count: count, RSSKiB: 90 << 10, Values: map[string]float64{valueBytes: bytes}})
		}
		return list
	}
	order := []string{variantActors, variantGoroutines, variantIdleActors, variantIdleGoroutines}
	res := harnesstest.Results(order, map[string][]harness.Repetition{
		variantActors: reps(300_000, 0, 45, 46, 47), variantGoroutines: reps(300_000, 0, 90, 91, 95),
		variantIdleActors: reps(100_000, 262.4, 20, 21, 20), variantIdleGoroutines: reps(100_000, 2802.6, 60, 61, 62),
	})
	common := harness.Common{Workers: 2, Runs: 3, Flags: map[string]float64{"actors": 300_000, "idle": 100_000}}
	r := newReport(params{Actors: 300_000, Idle: 100_000}, common, res)
	r.Machine = harnesstest.Machine
	harnesstest.Goldens(t, "report", r)
}
