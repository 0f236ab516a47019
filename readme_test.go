package encorert_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README's first program and the commands below it work when they are pasted.
func TestReadmeExample(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(text), "## Ten lines")
	require.True(t, ok)
	_, program, ok := strings.Cut(section, "```go\n")
	require.True(t, ok)
	program, rest, ok := strings.Cut(program, "```")
	require.True(t, ok)

	root, err := os.Getwd()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "counter.go"), []byte(program), 0o666))
	script := []string{"set -e"}
	for line := range strings.Lines(rest) {
		if command, ok := strings.CutPrefix(line, "    "); ok {
			script = append(script, strings.TrimSpace(command))
		}
		if strings.HasPrefix(line, "(With a published") {
			break
		}
	}
	require.Contains(t, script, "go tool encorert gen .")
	cmd := exec.Command("sh", "-c", strings.Join(script, "\n"))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ENCORERT="+root, "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.True(t, strings.HasSuffix(string(out), "42 <nil>\n"), "%s", out)

	formatted := exec.Command("gofmt", "-l", dir)
	out, err = formatted.CombinedOutput()
	require.NoError(t, err)
	require.Empty(t, string(out))
}
