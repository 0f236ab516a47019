package harness

import (
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v3"
)

// goldenHead describes made-up measurements on a made-up machine.
func goldenHead() fakeReport {
	series := func(rss int64, millis ...float64) *Series {
		s := &Series{Warm: []Repetition{{Millis: 99, RSSKiB: rss}}}
		for _, ms := range millis {
			s.Reps = append(s.Reps, Repetition{Millis: ms})
		}
		return s
	}
	res := &Results{
		Order: []string{"encorert", "go", "peer"},
		Series: map[string]*Series{
			"encorert": series(40<<10, 61, 60, 62, 61),
			"go":       series(30<<10, 371, 369, 372, 390),
			"peer":     series(0, 50, 51, 49, 50),
		},
		Missing: map[string]string{"java": "needs java and javac (a JDK) in PATH"},
	}
	h := NewHead("fake", Common{Workers: 2, Runs: 4, Flags: map[string]float64{"size": 7}}, res, Millis)
	h.Machine = Machine{CPU: "Example 9000", Cores: 2, GOMAXPROCS: 2, MemoryMB: 4096, OS: "linux", Arch: "amd64", Kernel: "6.1", Go: "go1.26"}
	return fakeReport{h, res.Order}
}

func TestTableGolden(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, goldenHead().Table(&out))
	requireGolden(t, "table.golden", out.Bytes())
}

func TestJSONGolden(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteJSON(&out, goldenHead()))
	requireGolden(t, "report.golden.json", out.Bytes())
}

func TestMachine(t *testing.T) {
	m := ThisMachine()
	require.Equal(t, runtime.Version(), m.Go)
	require.Positive(t, m.Cores)
	require.NotContains(t, m.String(), "\n")
	if runtime.GOOS == "linux" {
		require.Positive(t, m.MemoryMB)
		require.NotEmpty(t, m.Kernel)
	}
	t.Setenv("ENCORERT_MODES", "verify")
	require.Contains(t, ThisMachine().String(), "ENCORERT_MODES=verify")
	require.Equal(t, "3 cores, plan9/arm, go1.26", Machine{Cores: 3, OS: "plan9", Arch: "arm", Go: "go1.26"}.String())
}

func TestProgramPrintsTable(t *testing.T) {
	out, said, err := runProgram(t, nil, "fake", "--runs=2", "--warmup=1", "--workers=1")
	require.NoError(t, err)
	require.Empty(t, said, "no progress where stderr is no terminal")
	require.Contains(t, out, "steady")
	require.Contains(t, out, "12.5") // median of 12 and 13
	require.Contains(t, out, "3.00") // times
}

func TestProgramPrintsOneJSONObject(t *testing.T) {
	out, said, err := runProgram(t, nil, "fake", "--runs=2", "--warmup=1", "--workers=1", "--json")
	require.NoError(t, err)
	require.Empty(t, said)
	var object map[string]any
	d := json.NewDecoder(strings.NewReader(out))
	require.NoError(t, d.Decode(&object))
	require.False(t, d.More(), "one object and nothing else")
	for _, key := range []string{"workload", "workers", "runs", "machine", "samples"} {
		require.Contains(t, object, key)
	}
}

func TestNotesGoToStderrUnlessJSONIsWanted(t *testing.T) {
	_, said, err := runProgram(t, []string{"talks"}, "fake", "--runs=1", "--warmup=1")
	require.NoError(t, err)
	require.Equal(t, "talks: repetition 1\ntalks: repetition 2\n", said)
	_, said, err = runProgram(t, []string{"talks"}, "fake", "--runs=1", "--warmup=1", "--json")
	require.NoError(t, err)
	require.Empty(t, said)
}

func TestFlagsThatAreNumbersAreReported(t *testing.T) {
	out, _, err := runProgram(t, nil, "fake", "--runs=1", "--some-size=9", "--json")
	require.NoError(t, err)
	var object struct{ Flags map[string]float64 }
	require.NoError(t, json.Unmarshal([]byte(out), &object))
	require.Equal(t, map[string]float64{"some_size": 9, "part": 0.5}, object.Flags)
}

func TestUnitsNameTheFields(t *testing.T) {
	res := &Results{Order: []string{"a", "b"}, Series: map[string]*Series{
		"a": {Reps: []Repetition{{Millis: 2, Count: 1e6}, {Millis: 4, Count: 1e6}}},
		"b": {Reps: []Repetition{{Millis: 5, Count: 1e6}, {Millis: 7, Count: 1e6}}},
	}}
	text, err := json.Marshal(NewHead("fake", Common{}, res, NanosEach).Variants["b"])
	require.NoError(t, err)
	require.Equal(t, `{"median_ns":6,"min_ns":5,"max_ns":7,"spread_pct":16.7,"slower":{"mean_ns":3,"low_ns":3,"high_ns":3}}`, string(text))
}

func TestProgramPrintsNothingOnStdoutOnFailure(t *testing.T) {
	for _, mode := range []string{"--json=true", "--json=false"} {
		out, _, err := runProgram(t, []string{"steady", "miscounts"}, "fake", "--runs=1", mode)
		require.ErrorContains(t, err, "fake: variant miscounts counted 41")
		require.Equal(t, 1, Status(err))
		require.Empty(t, out)
	}
}

func TestProgramRunsSomeVariants(t *testing.T) {
	out, _, err := runProgram(t, []string{"steady", "dies"}, "fake", "--runs=1", "--variants=steady")
	require.NoError(t, err)
	require.NotContains(t, out, "dies")
}

func TestRestrict(t *testing.T) {
	plan := &Plan{Variants: []Variant{{Name: "a"}, {Name: "b", Needs: "a"}}}
	require.ErrorContains(t, plan.restrict([]string{"b"}), "b needs a as well")
	require.NoError(t, plan.restrict([]string{"a", "b"}))
	require.Len(t, plan.Variants, 2)
	require.NoError(t, plan.restrict([]string{"a"}))
	require.Len(t, plan.Variants, 1)
	plan.Missing = map[string]string{"c": "not installed"}
	require.NoError(t, plan.restrict([]string{"a", "c"}), "what cannot run here has a name all the same")
	require.Len(t, plan.Variants, 1)
}

func TestProgramClosesPlan(t *testing.T) {
	for _, variant := range []string{"steady", "dies"} {
		closed := 0
		w := fake(nil)
		w.Plan = func(_ *cli.Command, common Common) (*Plan, error) {
			plan := fakePlan(common, variant)
			plan.Close = func() error { closed++; return nil }
			return plan, nil
		}
		program := Program(w)
		program.Writer, program.ErrWriter = io.Discard, io.Discard
		_ = program.Run(t.Context(), []string{"bench", "fake", "--runs=1"})
		require.Equal(t, 1, closed, variant)
	}
}

func TestProgramLists(t *testing.T) {
	out, _, err := runProgram(t, nil, "list")
	require.NoError(t, err)
	require.Equal(t, "fake  variants that answer and variants that do not\n", out)
}

func TestProgramHelp(t *testing.T) {
	out, _, err := runProgram(t, nil, "--help")
	require.NoError(t, err)
	require.Contains(t, out, "fake")
	require.NotContains(t, out, "\n   "+childCommand)
	out, _, err = runProgram(t, nil, "fake", "--help")
	require.NoError(t, err)
	require.Contains(t, out, "Fake does nothing.")
	require.Contains(t, out, "--runs")
}
