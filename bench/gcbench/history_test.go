package gcbench

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/gc/heap"
)

// run is runProgram with what was said on stderr.
func run(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, said bytes.Buffer
	program := harness.Program(Workload())
	program.Reader, program.Writer, program.ErrWriter = bytes.NewReader(nil), &out, &said
	err = program.Run(t.Context(), append([]string{"encorert bench", name}, args...))
	return out.String(), said.String(), err
}

// TestTraceSaysEveryCollection: as many lines as collections are counted, on stderr, with --json as well.
func TestTraceSaysEveryCollection(t *testing.T) {
	args := append(slices.Clone(small), "--variants=encorert", "--runs=1", "--warmup=1", "--stretch-depth=14", "--max-depth=12", "--gc-trace")
	line := regexp.MustCompile(`(?m)^encorert:  *\d+\.\d+ ms gc \d+ heap 0x[0-9a-f]+ (minor|full ) allocated \d+ KiB, survived \d+ KiB, live \d+ KiB, held \d+ KiB, all heaps \d+ KiB, pause [0-9.]+.?s$`)
	for _, json := range []bool{false, true} {
		if json {
			args = append(args, "--json")
		}
		out, said, err := run(t, args...)
		require.NoError(t, err)
		lines := strings.Count(said, "\n")
		require.Greater(t, lines, 2)
		require.Len(t, line.FindAllString(said, -1), lines, said)
		require.NotContains(t, out, "pause 1")
		require.Equal(t, 2, strings.Count(said, " gc 1 heap "), "one heap in each of two repetitions")
	}
}

func TestPlotDrawsTheLastRepetition(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heap.svg")
	_, said, err := run(t, append(slices.Clone(small), "--variants=encorert", "--actors=2", "--stretch-depth=14", "--max-depth=12", "--plot="+path)...)
	require.NoError(t, err)
	require.Empty(t, said)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, `GCBench, \d+ nodes: \d+ collections`, string(text))
	require.Contains(t, string(text), "</svg>")

	_, _, err = run(t, append(slices.Clone(small), "--plot="+filepath.Join(path, "no", "folder.svg"))...)
	require.ErrorContains(t, err, "--plot: ")
	require.Equal(t, 2, harness.Status(err), "before anything is measured")
}

// TestHistorySumsHeaps: live bytes are the sum of each heap's last figure.
func TestHistorySumsHeaps(t *testing.T) {
	h := newHistory()
	for _, c := range []heap.Collection{
		{Heap: 1, Number: 1, Live: 100, Allocated: 1000, Used: 5000, Pause: time.Millisecond},
		{Heap: 2, Number: 1, Live: 30, Allocated: 200, Used: 6000, Pause: time.Second, Full: true},
		{Heap: 1, Number: 2, Live: 40, Allocated: 10, Used: 4000},
	} {
		h.add(c)
	}
	require.Len(t, h.points, 3)
	for i, want := range []struct{ live, allocated, held int }{{100, 1000, 5000}, {130, 1200, 6000}, {70, 1210, 4000}} {
		p := h.points[i]
		require.EqualValues(t, want.live, p.Live)
		require.EqualValues(t, want.allocated, p.Allocated)
		require.EqualValues(t, want.held, p.Held)
	}
	require.True(t, h.points[1].Full)
	require.Equal(t, time.Second, h.points[1].Pause)
	var said []string
	h.tell(func(line string) { said = append(said, line) })
	require.Len(t, said, 3)
	require.Contains(t, said[1], "gc 1 heap 0x2 full ")
}
