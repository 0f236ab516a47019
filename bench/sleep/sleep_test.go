package sleep

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/harness/harnesstest"
)

func TestMain(m *testing.M) { harnesstest.Main(m, Idle(), Wake()) }

func TestSmallIdleRun(t *testing.T) {
	object := harnesstest.JSON(t, Idle(), []string{"flags", "cpu_pct", "goroutines_cpu_pct"},
		"--seconds=0.02", "--hops=1001", "--runs=2", "--workers=2")
	require.Equal(t, "us", object["unit"])
	table, _, err := harnesstest.Run(t, Idle(), "--seconds=0.01", "--hops=64", "--runs=1", "--workers=4")
	require.NoError(t, err)
	require.Contains(t, table, "idle, processor time in 0.01 s, 4 workers, 1 run of each variant")
	require.Contains(t, table, "% of one core")
}

func TestSmallWakeRun(t *testing.T) {
	object := harnesstest.JSON(t, Wake(), []string{
		"flags", "injections", "lost", "p50_us", "p99_us", "max_us",
		"goroutines_p50_us", "goroutines_p99_us", "goroutines_max_us", "sleeps_per_injection",
	}, "--injections=50", "--gap=100", "--runs=2", "--warmup=1", "--workers=2")
	require.Equal(t, 150.0, object["injections"], "the warm-up counts")
	require.Equal(t, 0.0, object["lost"])
	require.Greater(t, object["p50_us"], 0.0)
	require.GreaterOrEqual(t, object["p99_us"], object["p50_us"])
	require.GreaterOrEqual(t, object["max_us"], object["p99_us"])
	table, _, err := harnesstest.Run(t, Wake(), "--injections=40", "--gap=0", "--runs=1", "--warmup=1", "--workers=5")
	require.NoError(t, err)
	require.Contains(t, table, "lost 0 of 80")
	table, _, err = harnesstest.Run(t, Wake(), "--injections=8", "--gap=0", "--runs=1", "--warmup=1", "--workers=2", "--self-senders=2")
	require.NoError(t, err)
	require.Contains(t, table, "8 injections with gaps of about 0s beside 2 self-senders")
	require.Contains(t, table, "lost 0 of 16")
}

func TestUsageErrors(t *testing.T) {
	harnesstest.Usage(t, Idle(), map[string]string{
		"--seconds=0": "--seconds must be above 0",
		"--hops=63":   "--hops must be between 64 and",
	})
	harnesstest.Usage(t, Wake(), map[string]string{
		"--injections=3": "--injections must be between 4 and",
		"--gap=-1":       "--gap must be between 0 and",

		"--self-senders=-1": "--self-senders must be between 0 and",
	})
}

func TestHopsAreSharedOut(t *testing.T) {
	p := idleParams{Hops: 1_000_003}
	sum := 0
	for i := range walkers {
		require.Positive(t, p.share(i))
		sum += p.share(i)
	}
	require.Equal(t, p.Hops, sum)
}

func TestLostInjectionsAreCounted(t *testing.T) {
	n := 0
	rep, err := wakeParams{Injections: 8}.repeat(func(f func()) (bool, error) {
		if n++; n == 3 {
			return false, nil
		}
		time.Sleep(10 * time.Microsecond)
		f()
		return true, nil
	})
	require.NoError(t, err)
	require.EqualValues(t, 8, rep.Count)
	require.Equal(t, 1.0, rep.Values[valueLost])
	require.GreaterOrEqual(t, rep.Values[valueP50], 10.0)
}

func TestReportGoldens(t *testing.T) {
	idle := func(micros float64) harness.Repetition {
		return harness.Repetition{Millis: 5000, RSSKiB: 9 << 10, Values: map[string]float64{valueCPUMicros: micros, valueCPUPct: micros / 50_000}}
	}
	res := harnesstest.Results([]string{variantActors, variantGoroutines}, map[string][]harness.Repetition{
		variantActors:     {idle(1000), idle(1200), idle(1100)},
		variantGoroutines: {idle(900), idle(900), idle(950)},
	})
	i := newIdleReport(5, harness.Common{Workers: 2, Runs: 3}, res)
	i.Machine = harnesstest.Machine
	harnesstest.Goldens(t, "idle", i)

	wake := func(p50, lost float64) harness.Repetition {
		return harness.Repetition{Millis: 500, Count: 2000, RSSKiB: 9 << 10, Values: map[string]float64{
			valueP50: p50, valueP99: 4 * p50, valueMax: 100 * p50, valueLost: lost, valueSleeps: 1.25,
		}}
	}
	res = harnesstest.Results([]string{variantActors, variantGoroutines}, map[string][]harness.Repetition{
		variantActors:     {wake(5, 0), wake(6, 1), wake(5.5, 0)},
		variantGoroutines: {wake(4, 0), wake(4.5, 0), wake(4.2, 0)},
	})
	w := newWakeReport(wakeParams{Injections: 2000, Gap: 200 * time.Microsecond}, harness.Common{Workers: 2, Runs: 3}, res)
	w.Machine = harnesstest.Machine
	harnesstest.Goldens(t, "wake", w)
}
