package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// command runs encorert with the arguments and returns status, stdout and stderr.
func command(t *testing.T, args ...string) (int, string, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), append([]string{"encorert"}, args...), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

func TestExitStatusOfUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
		help string
	}{
		{[]string{"frobnicate"}, `unknown command "frobnicate"`, "encorert help"},
		{[]string{"--frobnicate"}, "unknown flag --frobnicate", "encorert --help"},
		{[]string{"gen", "-chek"}, "unknown flag --chek", "encorert gen --help"},
		{[]string{"gen", "--chek"}, "unknown flag --chek", "encorert gen --help"},
		{[]string{"gen", "-x"}, "unknown flag -x", "encorert gen --help"},
		{[]string{"gen", "--version"}, "unknown flag --version", "encorert gen --help"},
		{[]string{"gen", "--tags"}, "flag needs an argument: --tags", "encorert gen --help"},
		{[]string{"gen", "-check=4"}, `invalid value "4" for flag --check`, "encorert gen --help"},
		{[]string{"gen", "--check", "--diff"}, "--check and --diff exclude each other", "encorert gen --help"},
		{[]string{"version", "now"}, "version takes no arguments", "encorert help"},
	} {
		status, _, stderr := command(t, c.args...)
		assert.Equal(t, statusUsage, status, "%v", c.args)
		assert.Contains(t, stderr, "encorert: "+c.want)
		assert.Contains(t, stderr, "\nRun '"+c.help+"' for usage.\n")
	}
}

func TestHelpNamesEveryCommand(t *testing.T) {
	for _, args := range [][]string{nil, {"help"}, {"--help"}} {
		status, stdout, _ := command(t, args...)
		assert.Equal(t, statusDone, status)
		for _, construct := range commands {
			assert.Contains(t, stdout, "   "+construct().Name+" ")
		}
	}
	status, stdout, _ := command(t, "gen", "--help")
	assert.Equal(t, statusDone, status)
	assert.Contains(t, stdout, "--check")
}

const source = `package small

import "github.com/encorert/encorert/rt"

//encore:actor
type small struct{}

//encore:behaviour
func (s *small) Do(cctx **rt.Ctx) {}
`

// inModule changes into a package of a module that uses the checkout.
func inModule(t *testing.T) {
	t.Helper()
	checkout, err := filepath.Abs("../..")
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	require.NoError(t, err)
	dir := t.TempDir()
	text := strings.Replace(string(mod), "module github.com/encorert/encorert", "module example.com/user", 1) +
		"\nrequire github.com/encorert/encorert v0.0.0\n\nreplace github.com/encorert/encorert => " + checkout + "\n"
	require.NoError(t, os.Mkdir(filepath.Join(dir, "small"), 0o755))
	for name, text := range map[string]string{"go.mod": text, "go.sum": string(sum), "small/small.go": source} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644))
	}
	t.Chdir(filepath.Join(dir, "small"))
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOTOOLCHAIN", "local")
}

func TestGen(t *testing.T) {
	inModule(t)
	const output = "small_encore.go"
	expect := func(wantStatus int, args ...string) (stdout, stderr string) {
		t.Helper()
		status, stdout, stderr := command(t, append([]string{"gen"}, args...)...)
		assert.Equal(t, wantStatus, status, "%s%s", stdout, stderr)
		return stdout, stderr
	}
	stdout, stderr := expect(statusFindings, "--check")
	assert.Equal(t, output+"\n", stdout)
	assert.Contains(t, stderr, "run encorert gen")
	stdout, _ = expect(statusFindings, "--diff", "./...")
	assert.Contains(t, stdout, "+++ b/"+output+"\n")
	assert.NoFileExists(t, output)

	stdout, stderr = expect(statusDone)
	assert.Empty(t, stdout+stderr)
	assert.FileExists(t, output)
	stdout, stderr = expect(statusDone, "--check", ".")
	assert.Empty(t, stdout+stderr)
	stdout, stderr = expect(statusDone, "--diff", "--tags", "a,b")
	assert.Empty(t, stdout+stderr)

	require.NoError(t, os.WriteFile("small.go", []byte(strings.Replace(source, "cctx **rt.Ctx", "ctx *rt.Ctx", 1)), 0o644))
	stdout, stderr = expect(statusFindings)
	assert.Empty(t, stdout)
	assert.Equal(t, "small.go:9:17: Do must take the execution context first: func (s *small) Do(cctx **rt.Ctx, ...)\n", stderr)

	require.NoError(t, os.WriteFile("small.go", []byte("package small\n"), 0o644))
	expect(statusDone) // removes the output
	assert.NoFileExists(t, output)
	stdout, stderr = expect(statusDone)
	assert.Empty(t, stdout)
	assert.Equal(t, "encorert: no annotations in 1 package\n", stderr)
	stdout, stderr = expect(statusDone, "--check", "./...", "github.com/encorert/encorert/rt")
	assert.Empty(t, stdout)
	assert.Equal(t, "encorert: no annotations in 2 packages\n", stderr)

	t.Chdir("..")
	_, stderr = expect(statusFindings, "small")
	assert.Equal(t, "encorert: package small is not in std: did you mean ./small?\n", stderr)
	require.NoError(t, os.Remove("go.mod"))
	_, stderr = expect(statusFindings)
	assert.Equal(t, "encorert: go.mod file not found in current directory or any parent directory; see 'go help modules'\n", stderr)
}

// What other build tags generate is left alone, and said to be.
func TestGenWithAnnotationsExcluded(t *testing.T) {
	inModule(t)
	require.NoError(t, os.WriteFile("small.go", []byte("//go:build extra\n\n"+source), 0o644))
	require.NoError(t, os.WriteFile("plain.go", []byte("package small\n"), 0o644))
	const message = "encorert: annotations in files that the build tags exclude: small.go"
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, message + "\n"},
		{[]string{"--tags", "extra"}, ""},
		{nil, message + "; output left as it is: small_encore.go\n"},
		{[]string{"--check", "./..."}, message + "; output left as it is: small_encore.go\n"},
		{[]string{"--diff"}, message + "; output left as it is: small_encore.go\n"},
		{[]string{"--check", "--tags", "extra"}, ""},
	} {
		status, stdout, stderr := command(t, append([]string{"gen"}, c.args...)...)
		assert.Equal(t, statusDone, status)
		assert.Empty(t, stdout)
		assert.Equal(t, c.want, stderr, "%v", c.args)
	}
	// What goes wrong with the output is told as everything else is.
	require.NoError(t, os.Remove("small_encore.go"))
	require.NoError(t, os.Symlink("none/x.go", "small_encore.go"))
	status, _, stderr := command(t, "gen", "--tags", "extra")
	assert.Equal(t, statusFindings, status)
	assert.Regexp(t, `^encorert: write \S*small_encore.go: no such file or directory\n$`, stderr)
}

// brokenPipe is a stream that takes nothing.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestVersionThatCannotBeWritten(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		var stderr bytes.Buffer
		assert.Equal(t, statusFindings, run(t.Context(), []string{"encorert", arg}, brokenPipe{}, &stderr))
		assert.Equal(t, "encorert: write versions: file already closed\n", stderr.String())
	}
}

func TestVersion(t *testing.T) {
	status, stdout, _ := command(t, "version")
	assert.Equal(t, statusDone, status)
	assert.Regexp(t, `^encorert \S+\n`, stdout)
	assert.Regexp(t, `(?m)^go\S+ \w+/\w+$`, stdout)
	status, again, _ := command(t, "--version")
	assert.Equal(t, statusDone, status)
	assert.Equal(t, stdout, again)

	var out bytes.Buffer
	require.NoError(t, printVersion(&out, &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}}))
	assert.Contains(t, out.String(), "encorert v1.2.3\ngit abc 2026-01-02T03:04:05Z (modified)\n")
	out.Reset()
	require.NoError(t, printVersion(&out, &debug.BuildInfo{}))
	assert.Contains(t, out.String(), "encorert (unknown)\n")
}
