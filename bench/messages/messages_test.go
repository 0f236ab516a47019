package messages

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness/harnesstest"
)

func TestMain(m *testing.M) { harnesstest.Main(m, PingPong(), Ring(), FanIn()) }

var (
	ratios = []string{"flags", "ratio_vs_goroutines_chan", "ratio_vs_goroutines_mutex"}
	nanos  = append(ratios[:3:3], "ns", "goroutines_chan_ns", "goroutines_mutex_ns")
	rates  = append(ratios[:3:3], "msgs_per_s", "goroutines_chan_msgs_per_s", "goroutines_mutex_msgs_per_s")
	quick  = []string{"--runs=2", "--warmup=1", "--workers=2"}
)

func TestSmallRuns(t *testing.T) {
	object := harnesstest.JSON(t, PingPong(), nanos, append(quick, "--round-trips=1000")...)
	require.Equal(t, map[string]any{"round_trips": 1000.0}, object["flags"])
	object = harnesstest.JSON(t, Ring(), nanos, append(quick, "--actors=5", "--tokens=7", "--hops=100")...)
	require.Equal(t, map[string]any{"actors": 5.0, "tokens": 7.0, "hops": 100.0}, object["flags"])
	object = harnesstest.JSON(t, FanIn(), rates, append(quick, "--senders=3", "--burst=7", "--messages=100")...)
	require.Equal(t, map[string]any{"senders": 3.0, "burst": 7.0, "messages": 100.0}, object["flags"])
}

func TestTables(t *testing.T) {
	for _, workers := range []string{"--workers=1", "--workers=4"} {
		table, _, err := harnesstest.Run(t, PingPong(), "--runs=1", "--warmup=1", "--round-trips=100", workers)
		require.NoError(t, err)
		require.Contains(t, table, "ns for each round trip")
		table, _, err = harnesstest.Run(t, Ring(), "--runs=1", "--warmup=1", "--hops=100", workers)
		require.NoError(t, err)
		require.Contains(t, table, "ring, 100 actors, 1 token")
		table, _, err = harnesstest.Run(t, FanIn(), "--runs=1", "--warmup=1", "--messages=300", workers)
		require.NoError(t, err)
		require.Contains(t, table, "fanin, 8 senders, bursts of 100")
	}
}

func TestUsageErrors(t *testing.T) {
	harnesstest.Usage(t, PingPong(), map[string]string{"--round-trips=0": "--round-trips must be between 1 and"})
	harnesstest.Usage(t, Ring(), map[string]string{
		"--actors=1": "--actors must be between 2 and",
		"--tokens=0": "--tokens must be between 1 and",
		"--hops=0":   "--hops must be 1 or more",
	})
	harnesstest.Usage(t, FanIn(), map[string]string{
		"--senders=0":  "--senders must be between 1 and",
		"--burst=0":    "--burst must be 1 or more",
		"--messages=0": "--messages must be 1 or more",
	})
}
