package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/ctxgen/ctxcheck"
)

// asTool makes the test binary behave as the program.
const asTool = "ENCORERT_TEST_AS_TOOL"

func TestMain(m *testing.M) {
	if os.Getenv(asTool) != "" {
		main()
	}
	os.Exit(m.Run())
}

const staleSource = `package small

import (
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

func wait(cctx **rt.Ctx, f futures.Future[int]) *rt.Runtime {
	ctx := *cctx
	if _, err := f.Get(cctx); err != nil {
		return nil
	}
	return ctx.Runtime()
}

var kept **rt.Ctx

func keep(cctx **rt.Ctx) { kept = cctx }
`

const staleMessage = "stale context: ctx was taken at small.go:9, before f.Get (small.go:10), which may switch threads or collect; load it again after that: ctx = *cctx"

func TestVet(t *testing.T) {
	inModule(t)
	require.NoError(t, os.WriteFile("small.go", []byte(staleSource), 0o644))
	expect := func(wantStatus int, args ...string) (stdout, stderr string) {
		t.Helper()
		status, stdout, stderr := command(t, append([]string{"vet"}, args...)...)
		assert.Equal(t, wantStatus, status, "%s%s", stdout, stderr)
		return stdout, stderr
	}
	const keptLine = "small.go:18:28: a context cell is kept in the global variable kept: the context cell is passed down as an argument and nothing else\n"
	stdout, stderr := expect(statusFindings)
	assert.Empty(t, stderr)
	assert.Equal(t, "small.go:13:9: "+staleMessage+"\n"+keptLine, stdout)

	stdout, _ = expect(statusFindings, "--json", "./...")
	var report struct{ Findings []ctxcheck.Finding }
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	require.Len(t, report.Findings, 2)
	assert.Equal(t, "stale", report.Findings[0].Category)
	assert.Equal(t, "Load the context again", report.Findings[0].Fix)
	assert.Equal(t, 13, report.Findings[0].Pos.Line)
	assert.Empty(t, report.Findings[1].Fix)

	stdout, _ = expect(statusFindings, "-fix")
	assert.Equal(t, keptLine, stdout)
	text, err := os.ReadFile("small.go")
	require.NoError(t, err)
	assert.Contains(t, string(text), "\t}\n\tctx = *cctx\n\treturn ctx.Runtime()\n")

	require.NoError(t, os.WriteFile("small.go", []byte(source), 0o644))
	command(t, "gen")
	stdout, stderr = expect(statusDone)
	assert.Empty(t, stdout+stderr)
	stdout, _ = expect(statusDone, "--json")
	assert.JSONEq(t, `{"findings": []}`, stdout)

	require.NoError(t, os.WriteFile("small_encore.go", []byte("package small\n\nfunc f() { undefined() }\n"), 0o644))
	stdout, stderr = expect(statusFindings)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "small_encore.go:3:12: undefined: undefined")
	_, stderr = expect(statusUsage, "--fixx")
	assert.Contains(t, stderr, "unknown flag --fixx")
}

// The go command runs the program on each package by itself.
func TestVetTool(t *testing.T) {
	inModule(t)
	require.NoError(t, os.WriteFile("small.go", []byte(staleSource), 0o644))
	program, err := os.Executable()
	require.NoError(t, err)
	vet := func() (string, error) {
		cmd := exec.CommandContext(t.Context(), "go", "vet", "-vettool="+program, "./...")
		cmd.Env = append(os.Environ(), asTool+"=1")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := vet()
	require.Error(t, err)
	assert.Contains(t, out, "small.go:13:9: "+staleMessage)
	require.NoError(t, os.WriteFile("small.go", []byte("package small\n"), 0o644))
	out, err = vet()
	require.NoError(t, err, out)
}
