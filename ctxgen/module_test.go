package ctxgen

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module is a Go module outside this one, which uses it from the checkout.
type module struct {
	t     *testing.T
	dir   string
	extra []string // environment, after what env has
}

// newModule makes a module example.com/user with the given files, as name and content alternately.
func newModule(t *testing.T, files ...string) *module {
	t.Helper()
	checkout, err := filepath.Abs("..")
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	require.NoError(t, err)
	m := &module{t: t, dir: t.TempDir()}
	// The versions of the checkout, so that nothing has to be resolved, and nothing downloaded.
	text := strings.Replace(string(mod), "module github.com/encorert/encorert", "module example.com/user", 1)
	m.write("go.mod", text+"\nrequire github.com/encorert/encorert v0.0.0\n\nreplace github.com/encorert/encorert => "+checkout+"\n\ntool github.com/encorert/encorert/cmd/encorert\n")
	m.write("go.sum", string(sum))
	for i := 0; i < len(files); i += 2 {
		m.write(files[i], files[i+1])
	}
	return m
}

// withoutTool takes the tool line out of go.mod: vendoring a tool takes all that it imports.
func (m *module) withoutTool() {
	m.t.Helper()
	m.write("go.mod", strings.Replace(m.read("go.mod"), "\ntool github.com/encorert/encorert/cmd/encorert\n", "", 1))
}

func (m *module) path(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

func (m *module) write(name, text string) {
	m.t.Helper()
	require.NoError(m.t, os.MkdirAll(filepath.Dir(m.path(name)), 0o755))
	require.NoError(m.t, os.WriteFile(m.path(name), []byte(text), 0o644))
}

func (m *module) read(name string) string {
	m.t.Helper()
	text, err := os.ReadFile(m.path(name))
	require.NoError(m.t, err)
	return string(text)
}

// env lets the go command neither look for newer versions nor use another toolchain.
func (m *module) env() []string {
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOWORK=off")
	return append(env, m.extra...)
}

// generate is encorert gen: it commits what it generates.
func (m *module) generate(patterns ...string) error {
	m.t.Helper()
	files, err := Generate(m.t.Context(), Config{Dir: m.dir, Env: m.env(), Patterns: patterns})
	if err != nil {
		return err
	}
	_, err = Commit(files)
	require.NoError(m.t, err)
	return nil
}

// run runs a command in the module.
func (m *module) run(name string, args ...string) (string, error) {
	cmd := exec.CommandContext(m.t.Context(), name, args...)
	cmd.Dir, cmd.Env = m.dir, m.env()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (m *module) mustRun(name string, args ...string) string {
	m.t.Helper()
	out, err := m.run(name, args...)
	require.NoError(m.t, err, "%s %s:\n%s", name, strings.Join(args, " "), out)
	return out
}
