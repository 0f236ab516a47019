package ctxgen

// Generator, generated code, runtime and Go are not always of one age, nor all in one module.

import (
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Row 65: code from another generator than the runtime's stops at the guard, whose name and comment say why, before
// whatever else no longer fits.
func TestOldGlueStopsAtTheGuard(t *testing.T) {
	m := newModule(t, "counter/counter.go", counterSource)
	require.NoError(t, m.generate("./counter"))
	text := m.read(counterOutput)
	m.write(counterOutput, strings.NewReplacer("GeneratedVersion1", "GeneratedVersion0", "rt.Send(", "rt.SendOfOld(").Replace(text))
	out, err := m.run("go", "build", "./counter")
	require.Error(t, err)
	first := regexp.MustCompile(`(?m)^counter/counter_encore\.go:(\d+):\d+: (.*)$`).FindStringSubmatch(out)
	require.NotNil(t, first, out)
	assert.Equal(t, "undefined: rt.GeneratedVersion0", first[2], out)
	line, err := strconv.Atoi(first[1])
	require.NoError(t, err)
	assert.Equal(t, "// Generated code and runtime must match: on an error here run encorert gen again.", strings.Split(text, "\n")[line-2])
	require.NoError(t, m.generate("./counter"))
	assert.Equal(t, text, m.read(counterOutput))
	m.mustRun("go", "build", "./counter")
}

// Row 65: modules below another, in one workspace, generate as one would alone, from every directory; a package may
// use one of another module whose output is not there yet.
func TestNestedModulesInAWorkspace(t *testing.T) {
	m := newModule(t, "root.go", strings.Replace(counterSource, "package counter", "package user", 1), "lib/thing.go", thingSource, "app/user/user.go", thingUser)
	m.withoutTool()
	root := m.read("go.mod")
	m.write("lib/go.mod", strings.Replace(root, "module example.com/user", "module example.com/thing", 1))
	m.write("app/go.mod", strings.Replace(root, "module example.com/user", "module example.com/app", 1))
	m.write("go.work", "go 1.26.0\n\nuse (\n\t.\n\t./app\n\t./lib\n)\n")
	m.extra = []string{"GOFLAGS=", "GOWORK=" + m.path("go.work")}
	outputs := []string{"user_encore.go", "lib/thing_encore.go", "app/user/user_encore.go"}
	require.NoError(t, m.generate("./app/..."))
	assert.NoFileExists(t, m.path(outputs[1]))
	app := m.read(outputs[2])
	require.NoError(t, m.generate("./...", "./app/...", "./lib/..."))
	assert.Equal(t, app, m.read(outputs[2]))
	for _, name := range outputs {
		assert.FileExists(t, m.path(name))
	}
	for _, dir := range []string{".", "app/user"} {
		files, err := Generate(t.Context(), Config{Dir: m.path(dir), Env: m.env(), Patterns: []string{"./..."}})
		require.NoError(t, err)
		require.Len(t, files, 1, "packages of modules below are none of this module's")
		stale, err := Check(files)
		require.NoError(t, err)
		assert.Empty(t, stale)
	}
	m.mustRun("go", "build", "./...", "./app/...", "./lib/...")
	assert.Equal(t, root, m.read("go.mod"))
	assert.NoFileExists(t, m.path("go.work.sum"))
}

func TestOutgrown(t *testing.T) {
	for _, c := range []struct {
		built, command string
		want           bool
	}{
		{"go1.26.8", "go1.26.8", false},
		{"go1.26.1", "go1.26.8\n", false}, // one language, one form of export data
		{"go1.26.8", "go1.27rc1\n", true},
		{"go1.26.8", "go1.27.0\n", true},
		{"go1.9.7", "go1.10\n", true},
		{"go1.27.0", "go1.26.8\n", false},
		{"go1.26.8 X:cgocheck2", "go1.27.1 X:nodwarf5\n", true},
		{"go1.26.8-vendor", "go1.27.1-vendor\n", true},
		{"devel go1.28-0123456789", "go1.29\n", false},
		{"go1.26.8", "", false},
	} {
		text := outgrown(c.built, c.command)
		assert.Equal(t, c.want, text != "", "%+v: %s", c, text)
	}
	assert.Equal(t, "the generator was built with go1.26, but the go command here is go1.27: build it again with go1.27 (go install "+
		"github.com/encorert/encorert/cmd/encorert; go tool encorert does so by itself)", outgrown("go1.26.8", "go1.27.2"))
}

// Row 64: the go command is of a newer Go than the generator. What the generator can read, it generates; a fault comes
// with what may be its cause, once, and with what to build again.
func TestGeneratorOlderThanGo(t *testing.T) {
	m := newModule(t, "counter/counter.go", counterSource)
	goCommand, err := exec.LookPath("go")
	require.NoError(t, err)
	bin := t.TempDir() // a go command that says that it is newer
	script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in\n'env GOVERSION') echo go1.99.1;;\n*context.ReleaseTags*) echo '[go1.1 go1.99]';;\n*) exec '%s' \"$@\";;\nesac\n", goCommand)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	require.NoError(t, m.generate("./counter"))

	built, _, _ := strings.Cut(runtime.Version(), " ")
	cause := fmt.Sprintf("the generator was built with %s, but the go command here is go1.99: build it again with go1.99 ", version.Lang(built))
	for source, want := range map[string]string{
		"package counter\n\nvar x int = y\n":       "counter/new.go:3:13: undefined: y", // what only a newer library has
		"package counter\n\nfunc f() { x ?= y }\n": "counter/new.go:3:14: ",             // what only a newer parser knows
	} {
		m.write("counter/new.go", source)
		var errs Errors
		require.ErrorAs(t, m.generate("./counter"), &errs)
		assert.True(t, strings.HasPrefix(errs[0].Error(), cause), "%v", errs)
		assert.Contains(t, errs[1].Error(), want)
		assert.NotContains(t, errs[1:].Error(), "go1.", "said once")
	}
	m.write("go.mod", "module x\n\nnonsense x\n")
	assert.EqualError(t, m.generate("."), "ctxgen: errors parsing go.mod: go.mod:3: unknown directive: nonsense; "+outgrown(runtime.Version(), "go1.99"))
}
