package gcbench

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
)

// goldenReport is made up.
func goldenReport() *report {
	series := func(rss int64, millis ...float64) *harness.Series {
		s := &harness.Series{}
		for i, ms := range millis {
			s.Reps = append(s.Reps, harness.Repetition{Millis: ms, RSSKiB: rss, Values: map[string]float64{
				valueCollections: 100, valuePauseP95: 200 + float64(i), valueMaxPause: 3000 + float64(i),
			}})
		}
		return s
	}
	res := &harness.Results{
		Order: []string{variantActors, variantOneActor, variantGo, variantMemlimit, variantBump, "java-g1", "java-g1-same-memory", "java-zgc-same-memory"},
		Series: map[string]*harness.Series{
			variantActors:   series(41<<10, 60, 61, 62),
			variantOneActor: series(40<<10, 55, 56, 57),
			variantGo:       series(29<<10, 370, 372, 371),
			variantMemlimit: series(42<<10, 300, 301, 302),
			variantBump:     series(18<<10, 33, 33, 34),
			"java-g1":       series(0, 40, 41, 42),

			"java-g1-same-memory":  series(0, 64, 65, 66),
			"java-zgc-same-memory": series(0, 70, 71, 72),
		},
		Missing: map[string]string{"c-libgc": "needs cc, a C compiler, in PATH"},
	}
	job := Classic
	job.Actors = 2
	r := newReport(job, harness.Common{Workers: 2, Runs: 3, Flags: map[string]float64{"actors": 2}}, res, true)
	r.Machine = harness.Machine{CPU: "Example 9000", Cores: 2, GOMAXPROCS: 2, MemoryMB: 4096, OS: "linux", Arch: "amd64", Kernel: "6.1", Go: "go1.26"}
	return r
}

func TestReportGoldens(t *testing.T) {
	var table bytes.Buffer
	require.NoError(t, goldenReport().Table(&table))
	requireGolden(t, "table.golden", table.Bytes())
	text, err := json.MarshalIndent(goldenReport(), "", "  ")
	require.NoError(t, err)
	requireGolden(t, "report.golden.json", append(text, '\n'))
}

func TestTableCountsInTheSingular(t *testing.T) {
	r := goldenReport()
	r.Actors, r.Workers, r.Runs = 1, 1, 1
	var table bytes.Buffer
	require.NoError(t, r.Table(&table))
	require.Contains(t, table.String(), "1 job, 1 worker, 1 run of each variant\n")
}

// Fields of the JSON object. Programs read them: one that is renamed or dropped breaks them.
var (
	alwaysThere = []string{
		"workload", "workers", "runs", "flags", "machine", "unit", "samples", "variants",
		"stretch_depth", "long_depth", "array", "min_depth", "max_depth", "actors", "nodes",
		"ms", "plain_go_ms", "bump_ms", "speedup_vs_go", "ratio_vs_bump", "collections", "pause_p95_us", "max_pause_us",
	}
	withKnownMemory = []string{"rss_mb", "plain_go_memlimit_ms"}
	withMoreActors  = []string{"one_actor_ms", "scaling"}
	withMissing     = []string{"missing"}
	withPeers       = []string{"peers"}
	withJava        = []string{"ratio_vs_java"}
)

func requireFields(t *testing.T, object []byte, want ...[]string) {
	t.Helper()
	var got map[string]any
	require.NoError(t, json.Unmarshal(object, &got))
	require.ElementsMatch(t, slices.Concat(want...), slices.Collect(maps.Keys(got)))
}

func TestFieldsAreAllAndDocumented(t *testing.T) {
	text, err := json.Marshal(goldenReport())
	require.NoError(t, err)
	requireFields(t, text, alwaysThere, withKnownMemory, withMoreActors, withMissing, withPeers, withJava)

	_, documented, found := strings.Cut(description, "--json prints")
	require.True(t, found)
	for _, field := range slices.Concat(alwaysThere, withKnownMemory, withMoreActors, withMissing, withPeers, withJava) {
		require.Regexp(t, `(?m)^  ([a-z0-9_]+, )*`+field+`\b`, documented)
	}
}

// The whole way at a small size: children, rounds, counts, checks, figures.
func TestSmallRun(t *testing.T) {
	memory, unknown := withKnownMemory, []string(nil)
	if harness.PeakRSSKiB() == 0 {
		memory, unknown = nil, withMissing
	}
	for _, c := range []struct {
		args []string
		more []string
	}{
		{nil, nil},
		{[]string{"--actors=2"}, withMoreActors},
		{[]string{"--peer=mine=" + os.Args[0] + " peer honest"}, withPeers},
	} {
		out, err := runProgram(t, append(slices.Concat(small, c.args), "--json")...)
		require.NoError(t, err)
		requireFields(t, []byte(out), alwaysThere, memory, unknown, c.more)
	}
	table, err := runProgram(t, small...)
	require.NoError(t, err)
	require.Contains(t, table, "times as fast as plain Go")
}

func TestPeersAreThereWhenAskedFor(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	out, err := runProgram(t, append(small, "--json", "--peers")...)
	require.NoError(t, err)
	require.Contains(t, out, `"peers": {}`, "none could run")
}

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct{ flag, want string }{
		{"--actors=0", "--actors must be 1 or more"},
		{"--max-depth=99", "--max-depth must be between 0 and 24"},
		{"--peer=nonsense", "want name=command"},
		{"--peer=go=true", "the name is taken"},
		{"--variants=go-memlimit", "go-memlimit needs encorert as well"},
		{"--nosuch", "no flag --nosuch\nRun 'encorert bench gcbench --help' for usage."},
		{"--runs=x", "--runs wants a whole number, not \"x\"\nRun 'encorert bench gcbench --help' for usage."},
	} {
		out, err := runProgram(t, c.flag)
		require.ErrorContains(t, err, c.want)
		require.Equal(t, 2, harness.Status(err), c.flag)
		require.Empty(t, out)
	}
}
