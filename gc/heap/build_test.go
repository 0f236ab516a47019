//go:build !race && (amd64 || arm64)

package heap

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// build compiles the program in testdata/race with the flags.
func build(t *testing.T, env []string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program.exe")
	command := exec.Command("go", append(append([]string{"build", "-o", program}, flags...), "./testdata/race")...)
	command.Env = append(os.Environ(), env...)
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

// TestRaceDetectorSeesHeapObjects is row 70 of the reliability list: no false report, and a true race is found.
//
// The race detector needs a C compiler, which not every machine has; those that decide about a change do.
func TestRaceDetectorSeesHeapObjects(t *testing.T) {
	cc, err := exec.Command("go", "env", "CC").Output()
	require.NoError(t, err)
	if _, err := exec.LookPath(strings.TrimSpace(string(cc))); err != nil && os.Getenv("CI") == "" {
		t.Logf("not tried: there is no C compiler: %v", err)
		return
	}
	program := build(t, []string{"CGO_ENABLED=1"}, "-race")
	out, err := exec.Command(program).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "received 2\n", string(out))
	out, err = exec.Command(program, "racy").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "WARNING: DATA RACE")
}

// TestPointerChecks is row 72: the pointer checks of the compiler find nothing, also where memory is not Go's.
func TestPointerChecks(t *testing.T) {
	program := build(t, nil, "-gcflags=github.com/encorert/encorert/...=-d=checkptr")
	out, err := exec.Command(program).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "received 2\n", string(out))
}

// TestVet is row 74: vet's unsafeptr analysis is on and finds nothing.
func TestVet(t *testing.T) {
	out, err := exec.Command("go", "vet", "-unsafeptr", ".", "../../internal/arena").CombinedOutput()
	require.NoError(t, err, string(out))
}

// TestInlining: what setters, allocation and safepoints lean on must cost no call.
func TestInlining(t *testing.T) {
	out, err := exec.Command("go", "build", "-gcflags=-m", ".", "../../internal/arena").CombinedOutput()
	require.NoError(t, err, string(out))
	for _, name := range []string{"(*pacer).Due", "headerOf", "load", "store", "markLines", "skip", "unmarked", "SideByte"} {
		require.Contains(t, string(out), "can inline "+name+"\n")
	}
}
