package answers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/harness/harnesstest"
)

func TestMain(m *testing.M) { harnesstest.Main(m, Workload()) }

func TestSmallRun(t *testing.T) {
	object := harnesstest.JSON(t, Workload(), []string{
		"flags", "get_ns", "await_ns", "suspend_ns", "chain_ns", "ask_ns", "chan_roundtrip_ns", "get_ratio", "await_ratio",
	}, "--round-trips=2050", "--runs=2", "--warmup=1", "--workers=2")
	require.Greater(t, object["get_ratio"], 0.0)
	table, _, err := harnesstest.Run(t, Workload(), "--round-trips=100", "--runs=1", "--warmup=1", "--workers=1", "--variants=get,chain")
	require.NoError(t, err)
	require.Contains(t, table, "futures, 100 round trips")
	require.NotContains(t, table, "times one by")
}

func TestUsageErrors(t *testing.T) {
	harnesstest.Usage(t, Workload(), map[string]string{"--round-trips=0": "--round-trips must be between 1 and"})
}

// All ways ask as often as they say, on any number of workers.
func TestEveryWayCountsAlike(t *testing.T) {
	for v, player := range players {
		for workers := 1; workers <= 2; workers++ {
			rep, err := player(params{Trips: 333, Workers: workers})()
			require.NoError(t, err, v)
			require.EqualValues(t, 333, rep.Count, v)
			require.Positive(t, rep.Millis, v)
		}
	}
}

func TestReportGoldens(t *testing.T) {
	reps := func(ms ...float64) (list []harness.Repetition) {
		for _, m := range ms {
			list = append(list, harness.Repetition{Millis: m, Count: 300_000, RSSKiB: 10 << 10})
		}
		return list
	}
	order := []string{variantGet, variantAwait, variantSuspend, variantChain, variantAsk, variantChan}
	res := harnesstest.Results(order, map[string][]harness.Repetition{
		variantGet: reps(60, 61, 62), variantAwait: reps(70, 71, 75), variantSuspend: reps(80, 81, 79),
		variantChain: reps(120, 121, 122), variantAsk: reps(30, 31, 30), variantChan: reps(90, 91, 95),
	})
	common := harness.Common{Workers: 2, Runs: 3, Flags: map[string]float64{"round_trips": 300_000}}
	r := newReport(params{Trips: 300_000}, common, res)
	r.Machine = harnesstest.Machine
	harnesstest.Goldens(t, "report", r)
}
