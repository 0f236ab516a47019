package ctxgen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The program of docs/compilers.md is a compiler: it runs, and so does what it compiles.
func TestCompilersDocumentRuns(t *testing.T) {
	text, err := os.ReadFile("../docs/compilers.md")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "```go\n")
	source, _, found := strings.Cut(rest, "```\n")
	require.True(t, found)
	m := newModule(t, "compiler/main.go", source)
	require.NoError(t, os.Mkdir(filepath.Join(m.dir, "out"), 0o755))
	m.mustRun("go", "run", "./compiler")
	assert.Equal(t, "42\n", m.mustRun("go", "run", "./out"))
	// What the document shows is what was emitted.
	code := strings.ReplaceAll(m.read("out/main.go"), "\t\t", "    ")
	for line := range strings.Lines(strings.Split(string(text), "body of main above becomes\n\n")[1]) {
		if !strings.HasPrefix(line, "    ") {
			break
		}
		assert.Contains(t, code, line)
	}
}

// A package is compiled against another without that one's source.
func TestProgramUsesAnotherByItsExport(t *testing.T) {
	pair := &Object{Name: "Pair"}
	lib := NewProgram(&Package{Path: "example.com/user/lib", Name: "lib", Objects: []*Object{pair}})
	pair.Fields = []Field{{Name: "Next", Type: lib.PointerTo(pair)}, {Name: "V", Type: intType}}
	depth := lib.Func(Signature{Name: "Depth", Params: []Param{{Name: "p", Type: lib.PointerTo(pair)}}, Results: []*Type{intType}, Effect: Switching})
	p := depth.Param(0)
	depth.If(Binary("==", p, Nil(lib.PointerTo(pair))), func() { depth.Return(Int(intType, 0)) }, nil)
	depth.Do(Safepoint())
	depth.Return(Binary("+", Select(p, "V", intType), Call(depth.Function(), Select(p, "Next", lib.PointerTo(pair)))))
	double := &Behaviour{Name: "Double", Params: []Param{{Name: "n", Type: intType}}, Result: intType}
	worker := &Actor{Name: "worker", Behaviours: []*Behaviour{double}}
	lib.Actors = []*Actor{worker}
	b := lib.Behaviour(worker, double)
	b.Return(Binary("*", b.Param(0), Int(intType, 2)))
	libGlue, libCode, err := lib.Emit()
	require.NoError(t, err)
	data, err := lib.Export()
	require.NoError(t, err)

	in, err := Import(data)
	require.NoError(t, err)
	main := NewProgram(&Package{Path: "example.com/user", Name: "main"})
	m := main.Main(posAt(1))
	o := in.Package.Objects[0]
	list := m.Let("list", in.Package.PointerTo(o), in.Package.New(o, Nil(in.Package.PointerTo(o)), Int(intType, 20)))
	m.Set(list, in.Package.New(o, list, Int(intType, 1)))
	w := m.Let("w", in.Package.HandleOf(in.Package.Actors[0]), in.Package.Spawn(in.Package.Actors[0]))
	m.Do(Call(printLine, Must(Get(Ask(in.Package.Actors[0].Behaviours[0], w, Call(in.Function("Depth"), list)))), Select(list, "V", intType)))
	glue, code, err := main.Emit()
	require.NoError(t, err)
	mod := newModule(t, "lib/lib_encore.go", string(libGlue), "lib/lib.go", string(libCode), "main_encore.go", string(glue), "main.go", string(code))
	t.Setenv("ENCORERT_MODES", "collect,verify,poison")
	assert.Equal(t, "42 1\n", mod.mustRun("go", "run", "."))
	assert.Nil(t, in.Function("Width"))
}

func TestImportRejectsWhatIsDamaged(t *testing.T) {
	for _, text := range []string{"", "{}", `{"Version":1,"Types":[{},{"Kind":2}]}`, `{"Version":1,"Types":[{},{"Kind":2,"Elem":7}]}`,
		`{"Version":1,"Types":[{},{"Kind":1,"Under":1}]}`,
		`{"Version":1,"Types":[{}],"Functions":[{"Name":"f","Effect":9}]}`, `{"Version":1,"Types":[{}],"Functions":[{"Name":"f","Results":[-1]}]}`} {
		_, err := Import([]byte(text))
		assert.Error(t, err, text)
	}
}

func FuzzImport(f *testing.F) {
	data, err := treesProgram().Export()
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte(`{"Version":1,"Types":[{},{"Kind":2,"Elem":1}],"Functions":[{"Name":"f","Results":[1]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = Import(data)
	})
}
