package tasks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/harness/harnesstest"
)

func TestMain(m *testing.M) { harnesstest.Main(m, Workload()) }

func TestSmallRun(t *testing.T) {
	object := harnesstest.JSON(t, Workload(), []string{
		"flags", "ring_ms", "map_ms", "ring_access_ms", "map_access_ms", "ratio", "access_ratio", "ring_look_ups", "map_look_ups",
	}, "--tasks=3000", "--runs=2", "--warmup=1", "--workers=2")
	require.Greater(t, object["ratio"], 0.0)
	table, _, err := harnesstest.Run(t, Workload(), "--tasks=10", "--runs=1", "--warmup=1", "--workers=1", "--variants=map,ring")
	require.NoError(t, err)
	require.Contains(t, table, "tasks, 10 tasks, 1 run of each variant")
}

// Both tables do the same: what is found, and what is freed.
func TestTablesDoTheSame(t *testing.T) {
	r, m := table(newRingTable()), table(newMapTable())
	const n = 3 * epoch
	for i := range uint64(n) {
		label := labels[i%4]
		require.Equal(t, m.submit(label, i), r.submit(label, i))
	}
	order := make([]uint64, n)
	for i := range order {
		order[i] = uint64(i)*5%n + first // another order than that of submission
	}
	for i, id := range order {
		r.end(id)
		m.end(id)
		for _, other := range []uint64{0, id, first, epoch - 1, epoch, n - 1, n + 5, order[i/2]} {
			label, found := r.lookUp(other)
			wantLabel, want := m.lookUp(other)
			require.Equal(t, want, found, "id %d after %d ends", other, i)
			require.Equal(t, wantLabel, label)
		}
		require.Equal(t, m.freed(n+first), r.freed(n+first))
	}
	require.EqualValues(t, n-1, r.freed(n+first), "all before the last epoch")
}

func TestUsageErrors(t *testing.T) {
	harnesstest.Usage(t, Workload(), map[string]string{"--tasks=0": "--tasks must be between 1 and"})
}

func TestReportGoldens(t *testing.T) {
	rep := func(ms, looked float64) harness.Repetition {
		return harness.Repetition{Millis: ms, RSSKiB: 12 << 10, Values: map[string]float64{valueLookUps: looked}}
	}
	res := harnesstest.Results([]string{variantRing, variantMap, variantRingAccess, variantMapAccess}, map[string][]harness.Repetition{
		variantRing:       {rep(4.5, 0), rep(4.6, 0), rep(4.7, 0)},
		variantMap:        {rep(5.7, 0), rep(5.75, 0), rep(5.8, 0)},
		variantRingAccess: {rep(8, 900), rep(8.4, 1000), rep(8.5, 1100)},
		variantMapAccess:  {rep(36, 90), rep(37, 100), rep(38, 110)},
	})
	r := newReport(params{Tasks: 200_000}, harness.Common{Workers: 2, Runs: 3, Flags: map[string]float64{"tasks": 200_000}}, res)
	r.Machine = harnesstest.Machine
	harnesstest.Goldens(t, "report", r)
}
