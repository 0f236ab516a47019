package ctxgen

// Generator, generated code, runtime and Go are not always of one age, nor all in one module.

import (
	"regexp"
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
