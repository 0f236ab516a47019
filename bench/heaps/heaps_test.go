package heaps

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/harness/harnesstest"
)

func TestMain(m *testing.M) {
	harnesstest.Main(m, BinaryTrees(), Mutate(), Aging(), Churn(), Actors())
}

var small = map[string][]string{
	"binarytrees": {"--depth=6"},
	"mutate":      {"--depth=7", "--grafts=300", "--terms=2"},
	"aging":       {"--length=100", "--passes=70000"},
	"churn":       {"--window=20", "--arrays=3000"},
}

// TestSmallRuns: both variants compute what the simulation does, with one worker and with several, and say all their figures.
func TestSmallRuns(t *testing.T) {
	for _, w := range []harness.Workload{BinaryTrees(), Mutate(), Aging(), Churn()} {
		t.Run(w.Name, func(t *testing.T) {
			fields := []string{"flags", "ms", "plain_go_ms", "speedup_vs_go", "rss_mb", "plain_go_rss_mb", "collections", "pause_p95_us", "max_pause_us"}
			object := harnesstest.JSON(t, w, fields, append([]string{"--runs=2", "--warmup=1", "--workers=2"}, small[w.Name]...)...)
			require.Greater(t, object["collections"], 0.0)
			table, _, err := harnesstest.Run(t, w, append([]string{"--runs=1", "--workers=1"}, small[w.Name]...)...)
			require.NoError(t, err)
			require.Contains(t, table, "times as fast as plain Go")
		})
	}
}

func TestSmallCrowd(t *testing.T) {
	object := harnesstest.JSON(t, Actors(), []string{"flags", "ms", "goroutines_ms", "speedup_vs_goroutines", "heap_bytes", "bytes", "goroutine_bytes"},
		"--actors=2000", "--runs=1", "--warmup=1", "--workers=2")
	require.EqualValues(t, 512, object["heap_bytes"], "the least chunk of memory, and nothing else")
	require.Greater(t, object["goroutine_bytes"], 2000.0)
	table, _, err := harnesstest.Run(t, Actors(), "--actors=10", "--runs=1", "--warmup=1")
	require.NoError(t, err)
	require.Contains(t, table, "512 are its heap outside of Go's")
}

func TestUsageErrors(t *testing.T) {
	harnesstest.Usage(t, BinaryTrees(), map[string]string{"--depth=3": "--depth must be between 4 and 24, got 3"})
	harnesstest.Usage(t, Mutate(), map[string]string{"--terms=-1": "--terms must be between 0 and", "--grafts=0": "--grafts must be"})
	harnesstest.Usage(t, Aging(), map[string]string{"--length=0": "--length must be", "--passes=0": "--passes must be"})
	harnesstest.Usage(t, Churn(), map[string]string{"--window=0": "--window must be", "--arrays=0": "--arrays must be"})
	harnesstest.Usage(t, Actors(), map[string]string{"--actors=0": "--actors must be"})
}

func TestWrongSumFailsTheRun(t *testing.T) {
	j := aging
	p := params{Sizes: map[string]int{"length": 10, "passes": 5}, Workers: 1}
	_, err := j.checked(p, func() (uint64, time.Duration, map[string]float64, error) { return 1, time.Second, nil, nil })()
	require.ErrorContains(t, err, "aging: the checksum is 1 instead of")

	p = params{Sizes: map[string]int{"actors": 10}}
	_, err = p.checkedMany(func(uint64) (crowd, error) { return crowd{made: 10, sum: 3}, nil })()
	require.ErrorContains(t, err, "actors: the objects hold 3 in sum instead of 45")
}

// TestTurns: sizes are in their bounds and cover them, large ones are rare.
func TestTurns(t *testing.T) {
	x := seed
	large, least, most := 0, 1<<20, 0
	for range 100000 {
		turn := turnOf(&x, 7)
		require.Less(t, turn.place, 7)
		require.Less(t, turn.of(turn.size), turn.size)
		if turn.size == largeText {
			large++
			continue
		}
		least, most = min(least, turn.size), max(most, turn.size)
	}
	require.InDelta(t, 100, large, 50)
	require.Less(t, least, 20)
	require.Greater(t, most, 4000)
	require.LessOrEqual(t, most, 4096)
}

func TestReportGoldens(t *testing.T) {
	rep := func(ms float64, values map[string]float64) harness.Repetition {
		return harness.Repetition{Millis: ms, RSSKiB: 20 << 10, Values: values}
	}
	collected := func(ms, collections, p95, longest float64) harness.Repetition {
		return rep(ms, map[string]float64{valueCollections: collections, valuePauseP95: p95, valueMaxPause: longest})
	}
	common := harness.Common{Workers: 2, Runs: 3, Flags: map[string]float64{"depth": 18}}
	r := newReport("binarytrees", common, harnesstest.Results([]string{variantActors, variantGo}, map[string][]harness.Repetition{
		variantActors: {collected(300, 500, 10, 900), collected(310, 501, 11, 800), collected(305, 502, 12, 1000)},
		variantGo:     {rep(2000, nil), rep(2100, nil), rep(2050, nil)},
	}))
	r.Machine = harnesstest.Machine
	harnesstest.Goldens(t, "report", r)

	bytes := func(ms, all, heap float64) harness.Repetition {
		return rep(ms, map[string]float64{valueBytes: all, valueHeapBytes: heap})
	}
	m := newManyReport(common, harnesstest.Results([]string{variantActors, variantGoroutines}, map[string][]harness.Repetition{
		variantActors:     {bytes(200, 1460, 512), bytes(210, 1464, 512), bytes(190, 1470, 512)},
		variantGoroutines: {bytes(400, 3990, 0), bytes(410, 3991, 0), bytes(420, 3992, 0)},
	}))
	m.Machine = harnesstest.Machine
	harnesstest.Goldens(t, "actors", m)
}
