package ubench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/harness/harnesstest"
	"github.com/encorert/encorert/bench/versus"
)

func TestMain(m *testing.M) { harnesstest.Main(m, Workload()) }

var small = []string{"--pingers=3", "--initial-pings=2", "--seconds=0.03", "--runs=2", "--warmup=1", "--workers=2"}

func TestSmallRun(t *testing.T) {
	object := harnesstest.JSON(t, Workload(), []string{
		"flags", "msgs_per_s", "goroutines_chan_msgs_per_s", "goroutines_mutex_msgs_per_s",
		"ratio_vs_goroutines_chan", "ratio_vs_goroutines_mutex",
	}, small...)
	require.Equal(t, map[string]any{
		"pingers": 3.0, "initial_pings": 2.0, "seconds": 0.03, "report_interval": 10.0, "report_count": 0.0,
	}, object["flags"])
	require.Equal(t, "ns", object["unit"])
	require.Greater(t, object["msgs_per_s"], 1000.0)
}

// The case in which Pony's schedulers hung: one ping, and more workers than it can keep busy.
func TestOnePingManyWorkers(t *testing.T) {
	table, said, err := harnesstest.Run(t, Workload(),
		"--pingers=1", "--initial-pings=1", "--workers=32", "--report-interval=1", "--report-count=2", "--runs=1", "--warmup=1")
	require.NoError(t, err)
	require.Contains(t, table, "ubench, 1 pinger x 1 ping, 32 workers, 1 run of each variant")
	require.Contains(t, table, "million messages a second")
	for _, variant := range []string{versus.Actors, versus.Chan, versus.Mutex} {
		require.Regexp(t, `(?m)^`+variant+`: 0\.\d+ s, \d+ pings/s\n`+variant+`: `, said, "a line for each interval")
	}
}

func TestUsageErrors(t *testing.T) {
	harnesstest.Usage(t, Workload(), map[string]string{
		"--pingers=0":                         "--pingers must be between 1 and",
		"--initial-pings=0":                   "--initial-pings must be 1 or more",
		"--pingers=1000000 --initial-pings=2": "at most 1000000 for all pingers together",
		"--seconds=0":                         "--seconds must be above 0",
		"--seconds=1e12":                      "--seconds must be above 0, and at most",
		"--seconds=x":                         "--seconds wants a number, not \"x\"",
		"--report-interval=0":                 "--report-interval must be 1 or more",
		"--report-count=-1":                   "--report-count must be between 0 and",
		"--pingers=1 --variants=nosuch":       `no variant "nosuch"`,
	})
}

// frozen is a field that loses a ping.
type frozen struct{ closed bool }

func (f *frozen) begin() error        { return nil }
func (f *frozen) end() (tally, error) { return tally{pings: 100, late: 5}, nil }
func (f *frozen) close() error        { f.closed = true; return nil }

func TestLostPingsFailTheRun(t *testing.T) {
	f := &frozen{}
	p := params{Pingers: 2, Pings: 3, Intervals: []time.Duration{time.Nanosecond}}
	_, err := p.repeat(func(string) {}, func() (field, error) { return f, nil })()
	var lost *LostError
	require.ErrorAs(t, err, &lost)
	require.ErrorContains(t, err, "5 pings arrived after the stop, where 6 were on their way")
	require.True(t, f.closed)
	p.Pings = 5
	p.Pingers = 1
	rep, err := p.repeat(func(string) {}, func() (field, error) { return f, nil })()
	require.NoError(t, err)
	require.Equal(t, harness.Repetition{Millis: rep.Millis, Count: 105}, rep)
}

// Many intervals in one process: pings of one must not reach into the next.
func TestManyIntervals(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		p := params{Pingers: 4, Pings: 10, Workers: workers}
		for range 30 {
			p.Intervals = append(p.Intervals, 200*time.Microsecond)
		}
		for name, repeat := range map[string]harness.Repeat{
			"actors":  repeatActors(p, func(string) {}),
			"channel": repeatGoroutines(p, 0, func(string) {}),
			"slice":   repeatGoroutines(p, 1, func(string) {}),
		} {
			rep, err := repeat()
			require.NoError(t, err, name)
			require.Positive(t, rep.Count, name)
		}
	}
}
