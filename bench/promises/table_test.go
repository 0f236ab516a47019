package promises

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/answers"
	"github.com/encorert/encorert/bench/contend"
	"github.com/encorert/encorert/bench/dispatch"
	"github.com/encorert/encorert/bench/gcbench"
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/heaps"
	"github.com/encorert/encorert/bench/messages"
	"github.com/encorert/encorert/bench/sleep"
	"github.com/encorert/encorert/bench/spawn"
	"github.com/encorert/encorert/bench/spread"
	"github.com/encorert/encorert/bench/tasks"
	"github.com/encorert/encorert/bench/ubench"
)

var workloads = map[string]harness.Workload{}

func init() {
	for _, w := range []harness.Workload{
		gcbench.Workload(), heaps.BinaryTrees(), heaps.Mutate(), heaps.Aging(), heaps.Churn(), heaps.Actors(), ubench.Workload(), messages.PingPong(), messages.Ring(), contend.Workload(), spread.Workload(),
		sleep.Idle(), sleep.Wake(), tasks.Workload(), dispatch.Workload(), answers.Workload(), spawn.Workload(),
	} {
		workloads[w.Name] = w
	}
}

func TestPromisesSayWhatTheyAre(t *testing.T) {
	titles := map[string]bool{}
	for _, p := range all() {
		l := line{Name: p.name, What: p.what}
		require.NotEmpty(t, p.name)
		require.NotEmpty(t, p.what)
		require.False(t, titles[l.title()], "%s is there twice", l.title())
		titles[l.title()] = true
		require.NotEqual(t, p.waits == "", p.figure == figure{}, "%s: measured or not yet built", l.title())
	}
}

// Invocations that a workload refuses would be noticed after minutes.
func TestWorkloadsTakeTheirFlags(t *testing.T) {
	stdctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, r := range runsOf(all()) {
		for _, shrink := range []bool{false, true} {
			w, known := workloads[r.workload]
			require.True(t, known, r)
			_, err := w.Measure(stdctx, io.Discard, r.args(false, shrink)...)
			require.ErrorContains(t, err, "interrupted", r)
			require.Equal(t, 1, harness.Status(err), r)
		}
		require.Contains(t, quick, r.workload)
	}
}

func TestFiguresAreDocumentedFields(t *testing.T) {
	for _, p := range all() {
		for _, f := range []*figure{&p.figure, p.over} {
			if f == nil || p.waits != "" {
				continue
			}
			_, fields, _ := strings.Cut(workloads[f.of.workload].Description, "--json prints")
			require.Regexp(t, `(?m)^  ([a-z0-9_]+, )*`+f.field+`\b`, fields, p.what)
		}
	}
}

func TestCellsOfUbench(t *testing.T) {
	mutex, channel, others := map[string]bound{}, map[string]bound{}, 0
	for _, p := range all() {
		switch {
		case p.name != "ubench":
		case p.bound == reported:
			others++
		case p.figure.field == "ratio_vs_goroutines_mutex":
			mutex[p.what] = p.bound
		case p.figure.field == "ratio_vs_goroutines_chan":
			channel[p.what] = p.bound
		}
	}
	require.Len(t, mutex, 12)
	require.Len(t, channel, 12)
	require.Equal(t, 6+2*12, others, "2 workers against 1, and 4 and 8 workers")
	for cell, b := range mutex {
		want := atLeast(1.3)
		if cell == "250 x 100, 2 workers: times mutexes" {
			want = atLeast(1)
		}
		require.Equal(t, want, b, cell)
	}
	for cell, b := range channel {
		require.Equal(t, above(1), b, cell)
	}
}
