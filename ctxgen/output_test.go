package ctxgen

// Where output goes, and when it stays as it is.

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// excludedCall is one call of Config.Excluded.
type excludedCall struct {
	sources []string
	output  string
}

func generateTagged(t *testing.T, m *module, tags string, patterns ...string) (files []File, calls []excludedCall) {
	t.Helper()
	files, err := Generate(t.Context(), Config{Dir: m.dir, Env: m.env(), Patterns: patterns, Tags: tags,
		Excluded: func(sources []string, output string) { calls = append(calls, excludedCall{sources, output}) }})
	require.NoError(t, err)
	_, err = Commit(files)
	require.NoError(t, err)
	return files, calls
}

// What was generated with tags stays when a run without them finds no annotation, whatever else is in the package.
func TestExcludedAnnotationsKeepTheOutput(t *testing.T) {
	m := newModule(t, "counter/counter.go", "//go:build extra\n\n"+counterSource)
	for name, text := range map[string]string{
		"nothing":         "",
		"package":         "package counter\n",
		"near annotation": "package counter\n\n// The counter is an encore:actor, see //encore:actor.\nvar x int\n",
	} {
		t.Run(name, func(t *testing.T) {
			m := &module{t: t, dir: m.dir}
			if text != "" {
				m.write("counter/plain.go", text)
				defer os.Remove(m.path("counter/plain.go"))
			}
			_, calls := generateTagged(t, m, "", "./counter")
			assert.Equal(t, []excludedCall{{[]string{m.path("counter/counter.go")}, ""}}, calls)
			_, calls = generateTagged(t, m, "extra", "./counter")
			assert.Empty(t, calls)
			want := m.read(counterOutput)
			for _, output := range []string{want, "//go:build extra\n\n" + want} {
				m.write(counterOutput, output)
				files, calls := generateTagged(t, m, "", "./counter")
				assert.Empty(t, files)
				assert.Equal(t, []excludedCall{{[]string{m.path("counter/counter.go")}, m.path(counterOutput)}}, calls)
				assert.Equal(t, output, m.read(counterOutput))
			}
			require.NoError(t, os.Remove(m.path(counterOutput)))
		})
	}
	m.write("counter/plain.go", "package counter\n")
	generateTagged(t, m, "extra", "./counter")
	m.write("counter/counter.go", strings.Replace(m.read("counter/counter.go"), "import", "import (", 1)) // half typed
	_, calls := generateTagged(t, m, "", "./counter")
	assert.Len(t, calls, 1)
	assert.FileExists(t, m.path(counterOutput))
	// Without annotations anywhere, output is left over.
	m.write("counter/counter.go", "//go:build extra\n\npackage counter\n\nconst text = `\n//encore:actor`\n")
	_, calls = generateTagged(t, m, "", "./counter")
	assert.Empty(t, calls)
	assert.NoFileExists(t, m.path(counterOutput))
}

// The vendor directory has only what something imported when it was made.
func TestVendoredRuntimeLacksWhatIsGenerated(t *testing.T) {
	const object = "package node\n\nimport \"github.com/encorert/encorert/rt\"\n\nvar _ rt.Stats\n\n//encore:object\ntype node struct{ next *node }\n"
	m := newModule(t, "counter/counter.go", counterSource, "node/node.go", object)
	m.withoutTool()
	generate := func(patterns ...string) error {
		_, err := Generate(t.Context(), Config{Dir: m.dir, Env: append(m.env(), "GOFLAGS=-mod=vendor"), Patterns: patterns})
		return err
	}
	m.mustRun("go", "mod", "vendor")
	const remedy = ", which the vendor directory lacks: run encorert gen before go mod vendor, or vendor again with import _ "
	assert.EqualError(t, generate("./counter"), "the code generated in ./counter will import "+futuresPath+remedy+`"`+futuresPath+`" somewhere in the module`)
	assert.EqualError(t, generate("./node"), "the code generated in ./node will import "+gcPath+remedy+`"`+gcPath+`" somewhere in the module`)

	m.write("imports.go", "package user\n\nimport (\n\t_ \""+futuresPath+"\"\n\t_ \""+gcPath+"\"\n)\n")
	m.mustRun("go", "mod", "vendor")
	assert.NoError(t, generate("./..."))
	require.NoError(t, os.Remove(m.path("imports.go")))
	require.NoError(t, m.generate("./...")) // before vendoring
	m.mustRun("go", "mod", "vendor")
	assert.NoError(t, generate("./..."))
	m.mustRun("go", "build", "-mod=vendor", "-trimpath", "./...") // so that what is vendored is built once for all runs
}

// The go command passes over files that begin with an underscore. Parentheses around types mean nothing.
func TestUnderscoresAndParentheses(t *testing.T) {
	m := newModule(t, "counter/counter.go", `package _counter

import "github.com/encorert/encorert/rt"

//encore:actor
type counter (struct{ n int })

//encore:new
func (c (*counter)) init(cctx (*(*rt.Ctx)), n (int)) { c.n = n }

//encore:behaviour
func (c *(counter)) Add(cctx (**(rt.Ctx)), n int) (int, (error)) { c.n += n; return c.n, nil }

//encore:object
type node (struct{ next (*node); kids [2](*node) })

func build(ctx *rt.Ctx) { n := newNode(ctx, nil, [2]*node{}); n.setNext(ctx, n); n.setKids(ctx, 1, n) }
`)
	require.NoError(t, m.generate("./..."))
	assert.Contains(t, m.read("counter/p_counter_encore.go"), "package _counter\n")
	assert.Empty(t, m.mustRun("go", "vet", "./..."))
	files, err := Generate(t.Context(), Config{Dir: m.dir, Env: m.env(), Patterns: []string{"./counter"}})
	require.NoError(t, err)
	stale, err := Check(files)
	require.NoError(t, err)
	assert.Empty(t, stale)
	m.write("counter/counter.go", "package _counter\n")
	require.NoError(t, m.generate("./..."))
	assert.NoFileExists(t, m.path("counter/p_counter_encore.go"))
}

// An output that is a link is written where it leads to.
func TestLinkedOutput(t *testing.T) {
	m := newModule(t, "counter/counter.go", counterSource, "store/old.txt", "")
	require.NoError(t, m.generate("./counter"))
	want := m.read(counterOutput)
	require.NoError(t, os.Mkdir(m.path("store/deep"), 0o755))
	require.NoError(t, os.Rename(m.path(counterOutput), m.path("store/target.txt")))
	require.NoError(t, os.Symlink("store/deep", m.path("deep"))) // so that deep/.. is store
	require.NoError(t, os.Symlink("../target.txt", m.path("store/deep/link")))
	require.NoError(t, os.Symlink("../deep/link", m.path(counterOutput)))
	for _, old := range []string{want, want + "\n", "garbage"} {
		m.write("store/target.txt", old)
		require.NoError(t, m.generate("./counter"))
		assert.Equal(t, want, m.read("store/target.txt"))
	}
	require.NoError(t, os.Chmod(m.path("store/target.txt"), 0o600))
	require.NoError(t, os.Remove(m.path("store/target.txt")))
	require.NoError(t, m.generate("./counter")) // a link that leads nowhere yet
	assert.Equal(t, want, m.read("store/target.txt"))
	entries, err := filepath.Glob(m.path("*/*"))
	require.NoError(t, err)
	for _, name := range []string{counterOutput, "store/deep/link"} {
		info, err := os.Lstat(m.path(name))
		require.NoError(t, err)
		assert.Equal(t, os.ModeSymlink, info.Mode().Type(), name)
	}
	assert.Len(t, entries, 6, "%v", entries) // counter.go and the link; deep, old.txt, target.txt; deep/link
	m.write("counter/counter.go", "package counter\n")
	require.NoError(t, m.generate("./counter"))
	assert.NoFileExists(t, m.path(counterOutput))
	assert.FileExists(t, m.path("store/target.txt"))
}

// Errors name the output, not a file that is made on the way.
func TestOutputErrorsNameTheOutput(t *testing.T) {
	m := newModule(t, "counter/counter.go", counterSource)
	for target, want := range map[string]string{
		"counter_encore.go": "counter/counter_encore.go: generated code goes to this file, but it cannot be read: too many levels of symbolic links",
		"../counter":        "counter/counter_encore.go: generated code goes to this file, but this is no file: rename it",
	} {
		require.NoError(t, os.Symlink(target, m.path(counterOutput)))
		assert.EqualError(t, m.generate("./counter"), want)
		require.NoError(t, os.Remove(m.path(counterOutput)))
	}
	require.NoError(t, os.Symlink("none/x.go", m.path(counterOutput)))
	files, err := Generate(t.Context(), Config{Dir: m.dir, Env: m.env(), Patterns: []string{"./counter"}})
	require.NoError(t, err)
	_, err = Commit(files)
	assert.EqualError(t, err, "ctxgen: write "+m.path(counterOutput)+": no such file or directory")
	files[0].Path = m.path("counter")
	_, err = Check(files)
	assert.EqualError(t, err, "ctxgen: read "+m.path("counter")+": is a directory")
	_, err = Diff(files, m.dir)
	assert.EqualError(t, err, "ctxgen: read "+m.path("counter")+": is a directory")
}
