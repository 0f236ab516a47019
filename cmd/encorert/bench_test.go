package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
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

func TestBenchHelpNeedsNoToolchain(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, flag := range []string{"--help", "-h"} {
		out, _, err := runBench(t, flag)
		require.NoError(t, err)
		for _, want := range []string{
			"encorert bench list", "encorert bench gcbench --help", "--warmup", "Exit status: 0 done; 1 ", "interrupted; 2 wrong usage",
			"median ms, min ms ", "spread ", "peak MB ", "times ", "difference, 95 % ",
		} {
			require.Contains(t, out, want)
		}
	}
}

func TestBenchWithoutToolchain(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, _, err := runBench(t, "list")
	require.ErrorContains(t, err, "found no `go` command in PATH")
}

func TestBenchInTheCheckout(t *testing.T) {
	out, said, err := runBench(t, "list")
	require.NoError(t, err, said)
	require.Regexp(t, `(?m)^gcbench +\S`, out)
}

func TestBenchProgramsHelpAndStatus(t *testing.T) {
	goCommand, err := exec.LookPath("go")
	require.NoError(t, err)
	source, err := findBench(t.Context(), goCommand, t.TempDir())
	require.NoError(t, err)
	program := filepath.Join(t.TempDir(), "bench.exe")
	require.NoError(t, source.build(t.Context(), program))
	for _, c := range []struct {
		args      []string
		status    int
		out, said string
	}{
		{[]string{"gcbench", "--help"}, 0, "Every variant counts its nodes", ""},
		{nil, 2, "", "which workload"},
		{[]string{"gcbench", "--nosuch"}, 2, "", "no flag --nosuch\nRun 'encorert bench gcbench --help' for usage.\n"},
		{[]string{"gcbench", "--runs=1", "--variants=go", "--timeout=1ns"}, 1, "", "no answer in time"},
	} {
		var out, said bytes.Buffer
		err := benchRun{in: strings.NewReader(""), out: &out, err: &said}.runProgram(t.Context(), program, c.args)
		if c.status == 0 {
			require.NoError(t, err)
		} else {
			require.Equal(t, programStatus(c.status), err)
		}
		require.Contains(t, out.String(), c.out)
		require.Contains(t, said.String(), c.said)
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
	var out, said bytes.Buffer
	require.Equal(t, statusFindings, run(t.Context(), []string{"encorert", "bench", "list"}, &out, &said))
	require.Contains(t, said.String(), "undefined: nonsense")
	require.Empty(t, out.String())
}
