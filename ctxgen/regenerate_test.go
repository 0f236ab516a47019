package ctxgen

// Runs over a module whose output is there already: right, stale, broken or missing.

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	counterOutput = "counter/counter_encore.go"
	userSource    = `package user

import (
	"example.com/user/counter"
	"github.com/encorert/encorert/rt"
)

//encore:actor
type user struct{ c counter.Counter }

//encore:behaviour
func (u *user) Use(cctx **rt.Ctx) (int, error) {
	u.c = counter.NewCounter(*cctx)
	return u.c.AskAdd(*cctx, 1).Await(cctx)
}
`
	resetMethod = `
//encore:behaviour
func (c *counter) Reset(cctx **rt.Ctx) { c.Self(*cctx).Add(*cctx, -c.n) }
`
)

// spoilt are the states in which a generated file may be found: nil is none.
var spoilt = []struct {
	name  string
	spoil func(text string) []byte
}{
	{"deleted", func(string) []byte { return nil }},
	{"empty", func(string) []byte { return []byte{} }},
	{"garbage", func(string) []byte { return []byte("\x00garbage {{{") }},
	{"conflict", func(text string) []byte { return []byte("<<<<<<< HEAD\n" + text) }},
	{"cut", func(text string) []byte { return []byte(text[:len(text)/2]) }},
	{"clause", func(text string) []byte { return []byte(strings.Replace(text, "\npackage ", "\npackage other", 1)) }},
	{"types", func(text string) []byte { return []byte(text + "\nvar x int = \"text\"\n") }},
	{"import", func(text string) []byte {
		return []byte(strings.Replace(text, "import (", "import (\n_ \"no/such\"", 1))
	}},
	{"excluded", func(text string) []byte { return []byte("//go:build ignore\n\n" + text) }},
	{"method", func(text string) []byte { return []byte(text + "\nfunc init() { _ = (*counter).Gone }\n") }},
	{"version", func(text string) []byte {
		return []byte(strings.Replace(text, "GeneratedVersion1", "GeneratedVersion0", 1))
	}},
}

// Row 59: the generator's own output, whatever state it is in, never stops it
// and needs no cleaning up; neither does that of a dependency, whose file is not asked for.
func TestOwnOutputNeverStopsIt(t *testing.T) {
	m := newModule(t)
	var imports, fields strings.Builder
	for _, s := range spoilt {
		m.write(s.name+"/counter.go", strings.Replace(counterSource, "package counter", "package "+s.name, 1))
		fmt.Fprintf(&imports, "import \"example.com/user/%s\"\n", s.name)
		fmt.Fprintf(&fields, "%s_ %s.Counter\n", s.name, s.name)
	}
	// import is a keyword: its directory has another package name.
	m.write("import/counter.go", strings.Replace(m.read("import/counter.go"), "package import", "package import_", 1))
	m.write("user/user.go", "package user\n"+imports.String()+"import \"github.com/encorert/encorert/rt\"\n"+
		"//encore:actor\ntype user struct{\n"+strings.Replace(fields.String(), "import.", "import_.", 1)+"}\n"+
		"//encore:behaviour\nfunc (u *user) Use(cctx **rt.Ctx, d deleted.Counter) { u.clause_.Add(*cctx, 1); u.deleted_ = deleted.NewCounter(*cctx) }\n")
	require.NoError(t, m.generate("./..."))
	outputs, wantUser := map[string]string{}, m.read("user/user_encore.go")
	spoil := func() {
		for _, s := range spoilt {
			name := s.name + "/" + s.name + outputSuffix
			if s.name == "import" {
				name = "import/import_" + outputSuffix
			}
			if outputs[name] == "" {
				outputs[name] = m.read(name)
			}
			require.NoError(t, os.RemoveAll(m.path(name)))
			if text := s.spoil(outputs[name]); text != nil {
				require.NotEqual(t, outputs[name], string(text))
				m.write(name, string(text))
			}
		}
	}
	spoil()
	m.write("user/user_encore.go", "package user; broken")
	require.NoError(t, m.generate("./user"))
	assert.Equal(t, wantUser, m.read("user/user_encore.go"))
	assert.NoFileExists(t, m.path("deleted/deleted_encore.go"), "what was not asked for is left alone")
	require.NoError(t, m.generate("./..."))
	for name, want := range outputs {
		assert.Equal(t, want, m.read(name))
	}
	assert.Equal(t, wantUser, m.read("user/user_encore.go"))
	m.mustRun("go", "vet", "./...")
}

// Row 59: a method goes, a package gets another name, the last annotation goes.
func TestOutputFollowsSource(t *testing.T) {
	m := newModule(t, "counter/counter.go", counterSource+resetMethod)
	require.NoError(t, m.generate("./counter"))
	assert.Contains(t, m.read(counterOutput), "AskReset")
	m.write("counter/counter.go", counterSource)
	require.NoError(t, m.generate("./counter"))
	want := m.read(counterOutput)
	assert.NotContains(t, want, "Reset")

	m.write("counter/counter.go", strings.Replace(counterSource, "package counter", "package tally", 1))
	require.NoError(t, m.generate("./counter"))
	assert.NoFileExists(t, m.path(counterOutput))
	assert.Equal(t, strings.NewReplacer("package counter", "package tally", "counter.counter", "tally.counter").Replace(want), m.read("counter/tally_encore.go"))

	m.write("counter/counter.go", strings.ReplaceAll(counterSource, "//encore:", "// "))
	require.NoError(t, m.generate("./counter"))
	assert.NoFileExists(t, m.path(counterOutput))
	assert.NoFileExists(t, m.path("counter/tally_encore.go"))
}

// A file that somebody wrote is never taken for output, whatever its name and state.
func TestWrittenFilesAreNeverReplaced(t *testing.T) {
	for name, text := range map[string]string{
		"counter/other_encore.go":   "package counter\n\nfunc other() {\n", // half typed
		"counter/counter_encore.go": "//go:build ignore\n\npackage counter\n\nfunc tool() {}\n",
	} {
		m := newModule(t, "counter/counter.go", counterSource, name, text)
		var errs Errors
		require.ErrorAs(t, m.generate("./counter"), &errs)
		assert.Contains(t, errs.Error(), name)
		assert.Equal(t, text, m.read(name))
	}
}

// Build tags: the run sees what a build with the same tags sees.
func TestTags(t *testing.T) {
	m := newModule(t, "counter/counter.go", counterSource, "counter/extra.go",
		"//go:build extra\n\npackage counter\n\n//encore:actor\ntype extra struct{}\n")
	for tags, want := range map[string]bool{"": false, "other": false, "other,extra": true} {
		files, err := Generate(t.Context(), Config{Dir: m.dir, Env: m.env(), Patterns: []string{"./counter"}, Tags: tags})
		require.NoError(t, err)
		require.Len(t, files, 1)
		assert.Equal(t, want, strings.Contains(string(files[0].Content), "type Extra struct"), tags)
	}
}

// Row 60: what is wrong in the source is an error with a place; the old output stays as it was.
func TestBrokenSource(t *testing.T) {
	m := newModule(t, "counter/counter.go", counterSource, "user/user.go", userSource,
		"plain/plain.go", "package plain\n\nvar x int = y // no business of the generator\n")
	require.NoError(t, m.generate("./..."))
	want := m.read(counterOutput)
	m.write("counter/counter.go", counterSource+resetMethod) // so that there is something to do
	fails := func(pattern string, files map[string]string, wantErrors ...string) {
		t.Helper()
		for name, text := range files {
			m.write(name, text)
			defer os.Remove(m.path(name))
		}
		err := m.generate(pattern)
		var errs Errors
		require.ErrorAs(t, err, &errs)
		assert.Len(t, errs, len(wantErrors), "%v", errs)
		for _, want := range wantErrors {
			assert.Contains(t, err.Error(), want)
		}
		assert.Equal(t, want, m.read(counterOutput))
	}
	fails("./...", map[string]string{
		"counter/empty.go":  "",
		"counter/syntax.go": "package counter\n\nfunc (",
		"counter/clause.go": "package other\n",
		"alone/empty.go":    "",
	},
		"counter/empty.go:1:1: expected 'package', found 'EOF'",
		"counter/syntax.go:3:7: expected ')', found 'EOF'",
		"counter/clause.go:1:9: package other in a directory of package counter",
		"alone/empty.go:1:1: expected 'package', found 'EOF'",
	)
	wrong := map[string]string{
		"counter/import.go": "package counter\n\nimport _ \"no/such\"\n",
		"counter/type.go":   "package counter\n\nvar x int = y\n",
	}
	wantWrong := []string{"counter/import.go:3:8: package no/such is not in std", "counter/type.go:3:13: undefined: y"}
	fails("./...", wrong, wantWrong...)
	fails("./user", wrong, wantWrong...) // in a dependency

	m.write("empty/text.txt", "no Go\n")
	for pattern, want := range map[string]string{
		"./nowhere":           "directory not found",
		"nowhere":             "package nowhere is not in std",
		"example.com/nowhere": "example.com/nowhere",
		"counter/counter.go":  "file arguments are not supported: name the package, such as ./counter",
		"counter":             "package counter is not in std: did you mean ./counter?",
		"counter/...":         "ctxgen: no packages match counter/...: did you mean ./counter/...?",
		"./empty":             "no Go files in ",
	} {
		err := m.generate(pattern)
		assert.ErrorContains(t, err, want, pattern)
		assert.NotContains(t, err.Error(), "\n", pattern)
		assert.NotContains(t, err.Error(), "/src/", pattern)
	}
	_, err := Generate(cancelled(t), Config{Dir: m.dir, Env: m.env()})
	assert.Error(t, err)
}

// Rows 66 and 69: the same bytes from run to run and from CRLF source, and an unchanged file is not touched.
func TestSameInputSameBytes(t *testing.T) {
	m := newModule(t, "counter/counter.go", counterSource+resetMethod, "counter/second.go", `package counter

import "github.com/encorert/encorert/rt"

// pair is documented
// in two lines.
//
//encore:object
type pair struct { a, b *pair }

//encore:actor
type holder struct { m map[string]*pair; n map[*pair]*pair }

//encore:behaviour
func (h *holder) Take(cctx **rt.Ctx, p, q *pair, s string) *pair { return p }
`)
	require.NoError(t, m.generate("./..."))
	want := m.read(counterOutput)
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	require.NoError(t, os.Chtimes(m.path(counterOutput), old, old))
	runs := 3
	if os.Getenv("ENCORERT_LONG") != "" {
		runs = 20
	}
	for range runs - 1 {
		require.NoError(t, m.generate("./..."))
		require.Equal(t, want, m.read(counterOutput))
	}
	untouched := func() {
		t.Helper()
		info, err := os.Stat(m.path(counterOutput))
		require.NoError(t, err)
		assert.Equal(t, old, info.ModTime())
	}
	untouched()
	units, err := load(t.Context(), Config{Dir: m.dir, Env: m.env(), Patterns: []string{"./counter"}})
	require.NoError(t, err)
	for range 20 {
		text, err := Emit(units[0].pkg)
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
	for _, name := range []string{"counter/counter.go", "counter/second.go"} {
		m.write(name, strings.ReplaceAll(m.read(name), "\n", "\r\n"))
	}
	require.NoError(t, m.generate("./..."))
	untouched()
	assert.NotContains(t, want, "\r")
}

// An error in one package keeps the files of all as they were; temporary files do not stay.
func TestAllOrNothing(t *testing.T) {
	m := newModule(t, "counter/counter.go", counterSource, "user/user.go", strings.Replace(userSource, "cctx **rt.Ctx", "", 1))
	var errs Errors
	require.ErrorAs(t, m.generate("./..."), &errs)
	assert.NoFileExists(t, m.path(counterOutput))

	m.write("user/user.go", userSource)
	files, err := Generate(t.Context(), Config{Dir: m.dir, Env: m.env(), Patterns: []string{"./..."}})
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.NoError(t, os.RemoveAll(m.path("user")))
	changed, err := Commit(files)
	assert.Error(t, err)
	assert.Empty(t, changed)
	entries, err := os.ReadDir(m.path("counter"))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "only the source: %v", entries)
}

// Outside a module, and where go.mod is spoilt, one line says so.
func TestWithoutModule(t *testing.T) {
	m := &module{t: t, dir: t.TempDir()}
	m.write("small/small.go", "package small\n")
	assert.EqualError(t, m.generate("."), "ctxgen: go.mod file not found in current directory or any parent directory; see 'go help modules'")
	assert.EqualError(t, m.generate("./..."), "pattern ./...: no go.mod file in this directory or above it")
	assert.EqualError(t, m.generate("small"), "package small is not in std: did you mean ./small?")
	m.write("go.mod", "module x\n\nnonsense x\n")
	assert.EqualError(t, m.generate("."), "ctxgen: errors parsing go.mod: go.mod:3: unknown directive: nonsense")
	assert.Equal(t, "go command required, not found", driverMessage(errors.New("err: go command required, not found: stderr: ")))
}

// Output that the source has left behind does not compile, and says what to do.
func TestStaleOutputDoesNotCompile(t *testing.T) {
	const object = "\n//encore:object\ntype node struct{ next *node }\n"
	m := newModule(t, "counter/counter.go", counterSource+resetMethod+object)
	require.NoError(t, m.generate("./..."))
	m.mustRun("go", "build", "./...")
	assert.True(t, strings.HasPrefix(m.read(counterOutput), header+"\n"+staleLine+"\n"))
	for _, source := range []string{
		counterSource + object, // a behaviour has gone
		counterSource + resetMethod + strings.Replace(object, "next *node", "next *node; n int", 1), // a field has come
	} {
		m.write("counter/counter.go", source)
		out, err := m.run("go", "build", "./...")
		assert.Error(t, err)
		assert.Contains(t, out, "counter_encore.go:")
		require.NoError(t, m.generate("./..."))
		m.mustRun("go", "build", "./...")
	}
}

func TestCheckAndDiff(t *testing.T) {
	m := newModule(t, "counter/counter.go", counterSource)
	cfg := Config{Dir: m.dir, Env: m.env(), Patterns: []string{"./counter"}}
	files, err := Generate(t.Context(), cfg)
	require.NoError(t, err)
	stale, err := Check(files)
	require.NoError(t, err)
	assert.Equal(t, files, stale, "a missing file is not up to date")
	changed, err := Commit(files)
	require.NoError(t, err)
	assert.Len(t, changed, 1)
	stale, err = Check(files)
	require.NoError(t, err)
	assert.Empty(t, stale)
	text, err := Diff(files, m.dir)
	require.NoError(t, err)
	assert.Empty(t, text)
	m.write(counterOutput, strings.Replace(m.read(counterOutput), "AskAdd", "AskSub", 1))
	text, err = Diff(files, m.dir)
	require.NoError(t, err)
	assert.Contains(t, string(text), "--- a/counter/counter_encore.go\n+++ b/counter/counter_encore.go\n")
	assert.Regexp(t, `(?m)^-.*AskSub`, string(text))
	assert.Regexp(t, `(?m)^\+.*AskAdd`, string(text))
	require.NoError(t, os.Remove(m.path(counterOutput)))
	require.NoError(t, os.Mkdir(m.path(counterOutput), 0o755))
	_, err = Commit(files)
	assert.Error(t, err)
	assert.False(t, errors.Is(err, os.ErrNotExist))
}
