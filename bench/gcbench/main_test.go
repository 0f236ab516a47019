package gcbench

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

// TestMain lets the test binary play the benchmark program, as its children do, and a peer.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "child":
			os.Exit(play())
		case "peer":
			os.Exit(playPeer(os.Args[2:]))
		}
	}
	// A race build waits a second at its exit, and here many children exit.
	os.Setenv("GORACE", strings.TrimSpace(os.Getenv("GORACE")+" atexit_sleep_ms=0"))
	os.Exit(m.Run())
}

func play() int {
	program := harness.Program(Workload())
	program.Reader, program.Writer, program.ErrWriter = os.Stdin, os.Stdout, os.Stderr
	err := program.Run(context.Background(), os.Args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return harness.Status(err)
}

// runProgram runs the program in this process; its children are this test binary.
func runProgram(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	var out, said bytes.Buffer
	program := harness.Program(Workload())
	program.Reader, program.Writer, program.ErrWriter = bytes.NewReader(nil), &out, &said
	err = program.Run(t.Context(), append([]string{"encorert bench", name}, args...))
	return out.String(), err
}

// small is a size that takes milliseconds, as flags.
var small = []string{
	"--stretch-depth=8", "--long-depth=7", "--array=1000", "--min-depth=2", "--max-depth=6", "--runs=2", "--warmup=1", "--workers=2",
}

func requireGolden(t *testing.T, name string, got []byte) {
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
