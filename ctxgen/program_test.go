package ctxgen

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func posAt(line int) token.Position {
	return token.Position{Filename: "prog.lang", Line: line, Column: 1}
}

var (
	intType   = Basic("int")
	printLine = &Function{Path: "fmt", Name: "Println"}
)

// treesProgram has heap objects, an actor that keeps one, loops, branches, closures, waits and generics.
func treesProgram() *Program {
	node := &Object{Name: "node", Pos: posAt(1)}
	p := NewProgram(&Package{Path: "example.com/user", Name: "main"})
	tree := p.PointerTo(node)
	node.Fields = []Field{{Name: "left", Type: tree}, {Name: "right", Type: tree}, {Name: "value", Type: intType}}
	p.Objects = []*Object{node}

	answer := &Behaviour{Name: "Sum", Params: []Param{{Name: "depth", Type: intType}}, Result: intType, Err: true, Pos: posAt(10)}
	keep := &Behaviour{Name: "Keep", Params: []Param{{Name: "t", Type: tree}}, Pos: posAt(30)}
	grow := &Behaviour{Name: "Grow", Result: intType, Pos: posAt(31)}
	summer := &Actor{Name: "summer", Pos: posAt(9), State: []Field{{Name: "root", Type: tree}, {Name: "calls", Type: intType}},
		Behaviours: []*Behaviour{answer, keep, grow}}
	p.Actors = []*Actor{summer}

	build := p.Func(Signature{Name: "build", Params: []Param{{Name: "depth", Type: intType}}, Results: []*Type{tree}, Effect: Leaf, Pos: posAt(2)})
	depth := build.Param(0)
	build.At(posAt(3)).If(Binary("==", depth, Int(intType, 0)), func() { build.Return(p.New(node, Nil(tree), Nil(tree), Int(intType, 1))) }, nil)
	less := Binary("-", depth, Int(intType, 1))
	build.At(posAt(4)).Return(p.New(node, Call(build.Function(), less), Call(build.Function(), less), depth))

	sum := p.Func(Signature{Name: "sum", Receiver: &Param{Name: "n", Type: tree}, Results: []*Type{intType}, Effect: Switching, Pos: posAt(5)})
	n := sum.Receiver()
	sum.At(posAt(6)).If(Binary("==", n, Nil(tree)), func() { sum.Return(Int(intType, 0)) }, nil)
	sum.Do(Safepoint())
	left := Call(sum.Function(), Select(n, "left", tree))
	right := Call(sum.Function(), Select(n, "right", tree))
	sum.At(posAt(7)).Return(Binary("+", Binary("+", left, right), Select(n, "value", intType)))

	b := p.Behaviour(summer, answer)
	b.At(posAt(11))
	total := b.Let("total", intType, Int(intType, 0))
	i := b.Let("i", intType, Int(intType, 0))
	b.At(posAt(12)).Loop(Binary("<", i, b.Param(0)), func() { b.Set(i, Binary("+", i, Int(intType, 1))) }, func() {
		t := b.At(posAt(13)).Let("t", tree, Call(build.Function(), i))
		b.At(posAt(14)).If(Binary("==", Binary("%", i, Int(intType, 3)), Int(intType, 2)), func() { b.Continue() }, nil)
		b.Set(total, Binary("+", total, Call(sum.Function(), t)))
		b.At(posAt(15)).Set(Select(t, "left", tree), Call(build.Function(), Int(intType, 1)))
		b.Set(total, Binary("+", total, Call(sum.Function(), t)))
	})
	b.At(posAt(16)).Set(Select(b.Receiver(), "calls", intType), total)
	b.Return(total, Nil(errorType))

	k := p.Behaviour(summer, keep)
	k.Set(Select(k.Receiver(), "root", tree), k.Param(0))
	k.Do(Suspend())
	k.Set(Select(k.Receiver(), "root", tree), k.Param(0))

	g := p.Behaviour(summer, grow)
	twice := g.At(posAt(32)).Closure(Signature{Name: "twice", Params: []Param{{Name: "n", Type: intType}}, Results: []*Type{intType}, Effect: Switching}, func(c *Body) {
		c.Do(Safepoint())
		c.Return(Binary("*", c.Param(0), Int(intType, 2)))
	})
	f := g.Let("twice", twice.Type(), twice)
	v := g.At(posAt(33)).Let("v", intType, CallValue(f, Switching, []*Type{intType}, Call(sum.Function(), Select(g.Receiver(), "root", tree))))
	g.Switch(v, Case{Values: []*Expr{Int(intType, 0)}, Block: func() { g.Return(Int(intType, -1)) }},
		Case{Block: func() { g.Return(v) }})

	typ := TypeParam{Name: "T", Constraint: Raw("any")}
	first := p.Func(Signature{Name: "first", TypeParams: []TypeParam{typ}, Params: []Param{{Name: "a", Type: typ.TypeOf()}, {Name: "b", Type: typ.TypeOf()}},
		Results: []*Type{typ.TypeOf()}, Pos: posAt(40)})
	first.Return(first.Param(0))

	m := p.Main(posAt(50))
	s := m.At(posAt(51)).Let("s", p.HandleOf(summer), p.Spawn(summer))
	m.Do(Call(printLine, Must(Get(Ask(answer, s, Int(intType, 5)))), Must(Await(Ask(grow, s)))))
	m.At(posAt(52)).Do(Send(keep, s, Call(build.Function(), Int(intType, 2))))
	m.Do(Call(printLine, Must(Get(Ask(grow, s)))))
	getwd := &Function{Path: "os", Name: "Getpagesize", Effect: Blocking, Results: []*Type{intType}}
	m.LetAll([]string{"size", ""}, Call(getwd))
	both := Binary("&&", Binary(">", Must(Get(Ask(grow, s))), Int(intType, 0)), Binary("<", Must(Get(Ask(grow, s))), Int(intType, 0)))
	m.At(posAt(53)).Do(Call(printLine, both, CallGeneric(first.Function(), []*Type{intType}, Int(intType, 7), Int(intType, 8))))
	return p
}

func TestProgramCompilesVetsAndRuns(t *testing.T) {
	glue, code, err := treesProgram().Emit()
	require.NoError(t, err)
	_, again, err := treesProgram().Emit()
	require.NoError(t, err)
	assert.Equal(t, string(code), string(again))
	golden := filepath.Join("testdata", "program.golden")
	if *update {
		require.NoError(t, os.WriteFile(golden, code, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(code))
	randomGlue, random, err := randomProgram().Emit() // for encorert vet alone, that neither a load nor a frame is missing
	require.NoError(t, err)
	m := newModule(t, "main_encore.go", string(glue), "main.go", string(code), "random/random_encore.go", string(randomGlue), "random/random.go", string(random))
	assert.Empty(t, m.mustRun("go", "vet", "."))
	m.mustRun("go", "build", "-o", "prog", ".")
	for _, modes := range []string{"", "migrate", "collect,verify,poison"} {
		t.Setenv("ENCORERT_MODES", modes)
		assert.Equal(t, "114 -1\n16\nfalse 7\n", m.mustRun("./prog"), modes)
	}
	t.Setenv("ENCORERT_MODES", "")
	m.mustRun("go", "tool", "encorert", "vet", "./...")
}

// A compiler's mistakes come back at its own positions, all of them.
func TestProgramErrors(t *testing.T) {
	leaf := Signature{Name: "f", Effect: Leaf, Pos: posAt(1)}
	switching := Signature{Name: "f", Effect: Switching, Pos: posAt(1)}
	node := ObjectPointer("example.com/user", "node")
	use := &Function{Path: "fmt", Name: "Println"}
	for _, c := range []struct {
		name  string
		sig   Signature
		build func(*Body)
		want  []string
	}{
		{"a leaf calls what switches", leaf, func(b *Body) { b.Do(Safepoint()) }, []string{"prog.lang:7:1: Safepoint is switching, and f, which is leaf, cannot call it"}},
		{"plain code calls a leaf", Signature{Name: "f", Pos: posAt(1)}, func(b *Body) { b.Do(Call(&Function{Path: "x", Name: "L", Effect: Leaf})) }, []string{"L is leaf, and f, which is plain"}},
		{"break", leaf, func(b *Body) { b.Break() }, []string{"prog.lang:7:1: break or continue outside of a loop"}},
		{"results", leaf, func(b *Body) { b.Return(Int(intType, 1)) }, []string{"prog.lang:7:1: return has 1 results where f has 0"}},
		{"no return", Signature{Name: "f", Results: []*Type{intType}, Pos: posAt(1)}, func(b *Body) {}, []string{"prog.lang:1:1: f ends without a return"}},
		{"scope", leaf, func(b *Body) {
			var x *Expr
			b.If(Bool(true), func() { x = b.Let("x", intType, nil) }, nil)
			b.Do(Call(use, x))
		}, []string{"prog.lang:7:1: variable x is used before its declaration or outside of its block"}},
		{"type", leaf, func(b *Body) { b.Let("x", Basic("string"), b.Let("y", intType, nil)) }, []string{"value of type int where string is wanted"}},
		{"arguments", leaf, func(b *Body) { b.Do(Call(&Function{Path: "x", Name: "f", Params: []Param{{Type: intType}}})) }, []string{"call of f has 0 arguments where 1 are wanted"}},
		{"no value", switching, func(b *Body) { b.Let("x", intType, Safepoint()) }, []string{"this call has no value"}},
		{"closure over a heap pointer", switching, func(b *Body) {
			n := b.Let("n", node, nil)
			b.Do(b.Closure(switching, func(c *Body) { c.Do(Call(use, n)) }))
		}, []string{"closure uses n, which holds a heap pointer that nothing would trace"}},
		{"slice of heap pointers", switching, func(b *Body) { b.Let("n", Slice(node), nil) }, []string{"variable n of type []*node holds heap pointers where no frame can hold them"}},
		{"type parameter", switching, func(b *Body) {
			b.Do(Call(&Function{Path: "x", Name: "g", Params: []Param{{Type: TypeParam{Name: "T"}.TypeOf()}}}, Nil(node)))
		}, []string{"heap pointer for a type parameter of g"}},
		{"two at once", leaf, func(b *Body) { b.Break(); b.At(posAt(9)); b.Continue() }, []string{"prog.lang:7:1: break"}},
		{"all", leaf, func(b *Body) { b.Do(Safepoint()); b.At(posAt(9)).Do(Suspend()) }, []string{"prog.lang:7:1: Safepoint", "prog.lang:9:1: Suspend"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := NewProgram(&Package{Path: "example.com/user", Name: "user"})
			c.build(p.Func(c.sig).At(posAt(7)))
			_, code, err := p.Emit()
			assert.Nil(t, code)
			var errs Errors
			require.ErrorAs(t, err, &errs)
			for _, want := range c.want {
				assert.Contains(t, err.Error(), want)
			}
		})
	}
}

// Go's compiler and runtime report the lines of the compiler's source.
func TestProgramLinesAreTheCompilers(t *testing.T) {
	p := NewProgram(&Package{Path: "example.com/user", Name: "main"})
	m := p.Main(posAt(1))
	x := m.At(posAt(70)).Let("x", intType, Int(intType, 0))
	m.At(posAt(71)).Do(Safepoint())
	m.At(posAt(93)).Do(Call(printLine, Binary("/", Int(intType, 1), x)))
	_, code, err := p.Emit()
	require.NoError(t, err)
	out, err := newModule(t, "main.go", string(code)).run("go", "run", ".")
	require.Error(t, err)
	assert.Contains(t, out, "prog.lang:93")
}

// 100,000 statements; the promise is below 2 s.
func BenchmarkProgramEmit(b *testing.B) {
	p := NewProgram(&Package{Path: "example.com/user", Name: "user"})
	node := ObjectPointer("x", "node")
	for range 1000 {
		f := p.Func(Signature{Name: "f" + fmt.Sprint(len(p.funcs)), Effect: Switching, Params: []Param{{Name: "n", Type: node}}, Pos: posAt(1)})
		for i := range 25 {
			f.At(posAt(i + 2))
			x := f.Let("x", intType, Int(intType, 1))
			f.If(Binary("<", x, Int(intType, 3)), func() { f.Do(Safepoint()) }, nil)
			f.Do(Call(printLine, x, f.Param(0)))
		}
	}
	for b.Loop() {
		_, _, err := p.Emit()
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.Elapsed().Seconds())/float64(b.N), "s/100k-statements")
}
