package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v3"
)

// runBench runs `encorert bench args...` in this process, without the rest of the command tree.
func runBench(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, said bytes.Buffer
	root := &cli.Command{
		Name: "encorert", Writer: &out, ErrWriter: &said, Reader: strings.NewReader(""),
		Commands:       []*cli.Command{newBench()},
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
	}
	err = root.Run(t.Context(), append([]string{"encorert", "bench"}, args...))
	return out.String(), said.String(), err
}

func requireStatus(t *testing.T, want int, err error) {
	t.Helper()
	var status cli.ExitCoder
	require.True(t, errors.As(err, &status), "%v", err)
	require.Equal(t, want, status.ExitCode())
}

func TestBenchHelpNeedsNoToolchain(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, flag := range []string{"--help", "-h"} {
		out, _, err := runBench(t, flag)
		require.NoError(t, err)
		require.Contains(t, out, "encorert bench list")
		require.Contains(t, out, "gcbench")
	}
}

func TestBenchWithoutToolchain(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, _, err := runBench(t, "list")
	require.ErrorContains(t, err, "found no `go` command in PATH")
}

func TestBenchBuildsTheCheckoutsProgram(t *testing.T) {
	out, said, err := runBench(t, "list")
	require.NoError(t, err, said)
	require.Regexp(t, `(?m)^gcbench +\S`, out)

	out, _, err = runBench(t, "gcbench", "--help")
	require.NoError(t, err)
	require.Contains(t, out, "--actors")
	require.Contains(t, out, "Every variant counts its nodes")
}

func TestBenchPassesTheStatusOn(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		said   string
	}{
		{nil, 2, "which workload"},
		{[]string{"gcbench", "--nosuch"}, 2, "nosuch"},
		{[]string{"gcbench", "--runs=1", "--variants=go", "--timeout=1ns"}, 1, "no answer in time"},
	} {
		out, said, err := runBench(t, c.args...)
		requireStatus(t, c.status, err)
		require.Empty(t, out)
		require.Contains(t, said, c.said)
	}
}

// goModule makes a module that requires this one, as a user's does, and changes into it.
func goModule(t *testing.T, text string) (dir string) {
	t.Helper()
	checkout, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	dir = t.TempDir()
	text = strings.ReplaceAll(text, "CHECKOUT", checkout)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644))
	t.Chdir(dir)
	return dir
}

func TestFindBenchInARequiringModule(t *testing.T) {
	text := "module example.com/user\n\ngo 1.26.0\n\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => CHECKOUT\n"
	dir := goModule(t, text)
	before, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	// What the benchmarks need besides is in this machine's module cache, since this test was built from it.
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GONOSUMDB", "*")
	out, said, err := runBench(t, "list")
	require.NoError(t, err, said)
	require.Contains(t, out, "gcbench")
	after, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	require.Equal(t, before, after, "the user's go.mod is left alone")
	require.NoFileExists(t, filepath.Join(dir, "go.sum"))
}

func TestFindBenchElsewhere(t *testing.T) {
	goModule(t, "module example.com/other\n\ngo 1.26.0\n")
	out, said, err := runBench(t, "list")
	require.NoError(t, err, said)
	require.Contains(t, out, "gcbench", "the sources that the command was compiled from")
	t.Chdir(t.TempDir()) // no module at all
	out, said, err = runBench(t, "list")
	require.NoError(t, err, said)
	require.Contains(t, out, "gcbench")
}

func TestFindBenchShowsTheCompilersErrors(t *testing.T) {
	dir := goModule(t, "module "+modulePath+"\n\ngo 1.26.0\n")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bench"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bench", "main.go"), []byte("package main\n\nfunc main() { nonsense() }\n"), 0o644))
	out, _, err := runBench(t, "list")
	require.ErrorContains(t, err, "undefined: nonsense")
	require.Empty(t, out)
}
