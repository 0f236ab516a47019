// Package harnesstest is what the tests of workloads have in common.
package harnesstest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

// Main is the TestMain of a package with workloads: it lets the test binary play the benchmark program, as its
// children do.
func Main(m *testing.M, workloads ...harness.Workload) {
	if len(os.Args) > 1 && os.Args[1] == "child" {
		program := harness.Program(workloads...)
		program.Reader, program.Writer, program.ErrWriter = os.Stdin, os.Stdout, os.Stderr
		err := program.Run(context.Background(), os.Args)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(harness.Status(err))
	}
	// A race build waits a second at its exit, and here many children exit.
	os.Setenv("GORACE", strings.TrimSpace(os.Getenv("GORACE")+" atexit_sleep_ms=0"))
	os.Exit(m.Run())
}

// Run runs a workload in this process; its children are this test binary, whose TestMain must be Main.
func Run(t *testing.T, w harness.Workload, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, said bytes.Buffer
	program := harness.Program(w)
	program.Reader, program.Writer, program.ErrWriter = bytes.NewReader(nil), &out, &said
	err = program.Run(t.Context(), append([]string{"encorert bench", w.Name}, args...))
	return out.String(), said.String(), err
}

// JSON runs a workload with --json and returns the object, which must have the fields given and those of every
// workload, and no others. Programs read them: one that is renamed or dropped breaks them. All must be documented.
func JSON(t *testing.T, w harness.Workload, fields []string, args ...string) map[string]any {
	t.Helper()
	out, said, err := Run(t, w, append(slices.Clone(args), "--json")...)
	require.NoError(t, err, said)
	require.Empty(t, said)
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &object))
	fields = append([]string{"workload", "workers", "runs", "machine", "unit", "samples", "variants"}, fields...)
	require.ElementsMatch(t, fields, slices.Collect(maps.Keys(object)))
	_, documented, found := strings.Cut(w.Description, "--json prints")
	require.True(t, found)
	for _, field := range fields {
		require.Regexp(t, `(?m)^  ([a-z0-9_]+, )*`+field+`\b`, documented)
	}
	return object
}

// Usage expects each command line to be refused as wrong usage, with a text that contains want.
func Usage(t *testing.T, w harness.Workload, refused map[string]string) {
	t.Helper()
	for args, want := range refused {
		out, _, err := Run(t, w, strings.Fields(args)...)
		require.ErrorContains(t, err, want, args)
		require.Equal(t, 2, harness.Status(err), args)
		require.Empty(t, out)
	}
}

// Machine is what goldens say of the machine.
var Machine = harness.Machine{CPU: "Example 9000", Cores: 2, GOMAXPROCS: 2, MemoryMB: 4096, OS: "linux", Arch: "amd64", Kernel: "6.1", Go: "go1.26"}

// Results are made-up measurements: the repetitions of each variant, in order.
func Results(order []string, reps map[string][]harness.Repetition) *harness.Results {
	res := &harness.Results{Order: order, Series: map[string]*harness.Series{}}
	for name, r := range reps {
		res.Series[name] = &harness.Series{Reps: r}
	}
	return res
}

// Goldens compares a report with <name>.table.golden and <name>.golden.json of testdata.
func Goldens(t *testing.T, name string, r harness.Report) {
	t.Helper()
	var table bytes.Buffer
	require.NoError(t, r.Table(&table))
	golden(t, name+".table.golden", table.Bytes())
	text, err := json.MarshalIndent(r, "", "  ")
	require.NoError(t, err)
	golden(t, name+".golden.json", append(text, '\n'))
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}
