package ctxgen

import (
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// atLine is a position in a compiler's own source.
func atLine(line, column int) token.Position {
	return token.Position{Filename: "sieve.lang", Line: line, Column: column}
}

// sieveModel is what a compiler would build of a program with an actor and an
// object; no annotation and no Go source is read.
func sieveModel() *Package {
	const path = "example.com/user/sieve"
	cell := ObjectPointer(path, "cell")
	return &Package{
		Path: path, Name: "sieve",
		Objects: []*Object{{
			Name: "cell", Pos: atLine(1, 7), Doc: "cell is a link of a list.",
			Fields: []Field{{Name: "next", Type: cell, Pos: atLine(2, 3)}, {Name: "value", Type: Basic("int"), Pos: atLine(3, 3)}},
		}},
		Actors: []*Actor{{
			Name: "filter", Handle: "Filter", Pos: atLine(5, 7),
			State: []Field{
				{Name: "prime", Type: Basic("int")},
				{Name: "next", Type: HandleOf(path, "Filter")},
				{Name: "seen", Type: cell},
				{Name: "by", Type: Map(Basic("int"), Slice(cell))},
			},
			New: &Behaviour{Name: "create", Params: []Param{{Name: "prime", Type: Basic("int")}}, Pos: atLine(6, 3)},
			Behaviours: []*Behaviour{
				{Name: "Try", Pos: atLine(8, 3), Params: []Param{{Name: "n", Type: Basic("int")}}},
				{Name: "Primes", Pos: atLine(9, 3), Result: Slice(Basic("int")), Err: true},
				{Name: "Take", Pos: atLine(10, 3), Params: []Param{{Name: "list", Type: cell, Mode: Iso}, {Type: FutureOf(cell)}, {Type: PromiseOf(Basic("bool"))}}, Result: cell, ResultMode: Val},
				{Name: "Each", Pos: atLine(11, 3), Params: []Param{
					{Name: "f", Type: Raw("func(", Named("time", "Duration", Basic("int64")), ") error")},
					{Name: "rest", Type: Slice(Named("example.com/user/sieve/v2", "Level", Basic("int8"))), Variadic: true},
				}},
			},
		}},
	}
}

// The bodies are Go here; a compiler would write them beside its actors in the same way.
const sieveBodies = `package sieve

import (
	"errors"
	"time"

	"example.com/user/sieve/v2"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

type cell struct {
	next  *cell
	value int
}

type filter struct {
	prime int
	next  Filter
	seen  *cell
	by    map[int][]*cell
}

func (f *filter) create(cctx **rt.Ctx, prime int) { f.prime = prime }

func (f *filter) Try(cctx **rt.Ctx, n int) {
	ctx := *cctx
	if n%f.prime == 0 {
		f.seen = newCell(ctx, f.seen, n)
		return
	}
	if f.next == (Filter{}) {
		f.next = NewFilter(ctx, n)
		return
	}
	f.next.Try(ctx, n)
}

func (f *filter) Primes(cctx **rt.Ctx) ([]int, error) {
	if f.next == (Filter{}) {
		return []int{f.prime}, nil
	}
	rest, err := f.next.AskPrimes(*cctx).Await(cctx)
	return append([]int{f.prime}, rest...), err
}

func (f *filter) Take(cctx **rt.Ctx, list *cell, _ futures.Future[*cell], _ futures.Promise[bool]) *cell { return f.seen }

func (f *filter) Each(cctx **rt.Ctx, g func(time.Duration) error, rest ...level.Level) { _ = errors.Join(g(1)) }
`

const sieveMain = `package main

import (
	"fmt"

	"example.com/user/sieve"
	"github.com/encorert/encorert/rt"
)

func main() {
	rt.Main(func(cctx **rt.Ctx) {
		f := sieve.NewFilter(*cctx, 2)
		for n := 3; n < 30; n++ {
			f.Try(*cctx, n)
		}
		fmt.Println(f.AskPrimes(*cctx).Get(cctx))
	})
}
`

func TestModelBuiltInGoCompilesAndRuns(t *testing.T) {
	text, err := Emit(sieveModel())
	require.NoError(t, err)
	again, err := Emit(sieveModel())
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
	m := newModule(t, "sieve/sieve_encore.go", string(text), "sieve/bodies.go", sieveBodies,
		"sieve/v2/level.go", "package level\n\n// Level is a number.\ntype Level int8\n", "main.go", sieveMain)
	assert.Equal(t, "[2 3 5 7 11 13 17 19 23 29] <nil>\n", m.mustRun("go", "run", "."))
	assert.Empty(t, m.mustRun("go", "vet", "./..."))
}

// A compiler's mistakes come back at the compiler's positions.
func TestModelErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*Package)
		want string
	}{
		{"no path", func(p *Package) { p.Path = "" }, `package needs a path and a name: "", "sieve"`},
		{"no name", func(p *Package) { p.Name = "no name" }, `package needs a path and a name`},
		{"actor", func(p *Package) { p.Actors[0].Name = "a-b" }, `sieve.lang:5:7: actor needs a name that is a Go identifier, not "a-b"`},
		{"handle", func(p *Package) { p.Actors[0].Handle = "1" }, `sieve.lang:5:7: handle of actor filter needs a name`},
		{"object", func(p *Package) { p.Objects[0].Name = "" }, `sieve.lang:1:7: object needs a name`},
		{"field type", func(p *Package) { p.Objects[0].Fields[1].Type = nil }, `sieve.lang:3:3: field value of cell has no type`},
		{"field name", func(p *Package) { p.Objects[0].Fields[1].Name = "func" }, `sieve.lang:3:3: field of cell needs a name`},
		{"behaviour", func(p *Package) { p.Actors[0].Behaviours[0].Name = "" }, `sieve.lang:8:3: behaviour of actor filter needs a name`},
		{"blank actor", func(p *Package) { p.Actors[0].Name = "_" }, `sieve.lang:5:7: actor needs a name, and _ is none`},
		{"blank handle", func(p *Package) { p.Actors[0].Handle = "_" }, `sieve.lang:5:7: handle of actor filter needs a name, and _ is none`},
		{"blank object", func(p *Package) { p.Objects[0].Name = "_" }, `sieve.lang:1:7: object needs a name, and _ is none`},
		{"blank behaviour", func(p *Package) { p.Actors[0].New.Name = "_" }, `sieve.lang:6:3: behaviour of actor filter needs a name, and _ is none`},
		{"parameter", func(p *Package) { p.Actors[0].Behaviours[0].Params[0].Type = nil }, `parameter 1 of Try has no type`},
		{"variadic", func(p *Package) { p.Actors[0].Behaviours[0].Params[0].Variadic = true }, `variadic parameter of Try must be the last one and a slice`},
		{"new with a result", func(p *Package) { p.Actors[0].New.Err = true }, `sieve.lang:6:3: create cannot have results`},
		{"clash", func(p *Package) { p.Declared = map[string]token.Position{"Filter": atLine(99, 1)} }, `sieve.lang:5:7: handle Filter clashes with Filter declared at sieve.lang:99`},
		{"two sends", func(p *Package) { p.Actors[0].Behaviours[1].Name = "AskTry" }, `sieve.lang:9:3: behaviours Try and AskTry of actor filter would both generate the send AskTry`},
		{"self", func(p *Package) { p.Actors[0].Behaviours[1].Name = "Self" }, `sieve.lang:9:3: behaviour Self of actor filter clashes`},
		{"opaque field", func(p *Package) { p.Objects[0].Fields[1].Type = Named("x/y", "Z", nil) }, `sieve.lang:3:3: field value of object cell has type y.Z, of which nothing is known`},
		{"string field", func(p *Package) { p.Objects[0].Fields[1].Type = Basic("string") }, `sieve.lang:3:3: field value of object cell points into Go's heap (string)`},
		{"result", func(p *Package) { p.Actors[0].Behaviours[1].Result = HeapSlice(Basic("int")) }, `sieve.lang:9:3: result of filter.Primes is a gc.Slice`},
		{"mode without objects", func(p *Package) { p.Actors[0].Behaviours[0].Params[0].Mode = Val }, `parameter n of filter.Try cannot be val: int has no heap objects (it is copied anyway)`},
		{"mode of a function", func(p *Package) { p.Actors[0].Behaviours[3].Params[0].Mode = Iso }, `parameter f of filter.Each cannot be iso: func(time.Duration) error has no heap objects (nobody knows`},
		{"no such mode", func(p *Package) { p.Actors[0].Behaviours[2].Params[0].Mode = 3 }, `parameter 1 of Take has no mode that exists`},
		{"result given away", func(p *Package) { p.Actors[0].Behaviours[2].ResultMode = Iso }, `sieve.lang:10:3: result of filter.Take cannot be iso: several may read a future`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := sieveModel()
			c.edit(p)
			text, err := Emit(p)
			assert.Nil(t, text)
			var errs Errors
			require.ErrorAs(t, err, &errs)
			assert.Contains(t, err.Error(), c.want)
		})
	}
}

func TestModelConstructorsPanicOnMistakes(t *testing.T) {
	assert.PanicsWithValue(t, `ctxgen: "number" is no basic type`, func() { Basic("number") })
	assert.PanicsWithValue(t, "ctxgen: part of a raw type must be a string or a *Type, not a int", func() { Raw("func(", 1, ")") })
}

func TestTypeString(t *testing.T) {
	node := ObjectPointer("a/b", "Node")
	for want, typ := range map[string]*Type{
		"map[string][]*b.Node":                    Map(Basic("string"), Slice(node)),
		"[3]chan<- unsafe.Pointer":                Array(3, Chan("chan<-", Basic("unsafe.Pointer"))),
		"struct{A int; B futures.Future[string]}": Struct(Field{Name: "A", Type: Basic("int")}, Field{Name: "B", Type: FutureOf(Basic("string"))}),
		"func(*b.Node) error":                     Raw("func(", node, ") error"),
		"b.Pair[int, *b.Node]":                    Named("a/b", "Pair", nil, Basic("int"), node),
	} {
		assert.Equal(t, want, typ.String())
		assert.NotContains(t, typ.in("a/b"), "b.")
	}
}

func TestGuessName(t *testing.T) {
	for path, want := range map[string]string{
		"math/rand/v2": "rand", "gopkg.in/yaml.v3": "yaml", "github.com/google/go-cmp/cmp": "cmp", "github.com/x/go-thing": "thing",
		"v2": "v2", "example.com/9lives": "pkg", "a/b-c": "b",
	} {
		assert.Equal(t, want, guessName(path), path)
	}
}

func TestLowerFirst(t *testing.T) {
	for name, want := range map[string]string{"Left": "left", "left": "left", "ID": "id", "URLPath": "urlPath", "I": "i", "": "", "Ünï": "ünï"} {
		assert.Equal(t, want, lowerFirst(name))
	}
}

// Objects of more than half a block go to the large-object space; the sizes are those of 64-bit platforms.
func TestLargeObjectsAreThoseAboveHalfABlock(t *testing.T) {
	for elements, large := range map[int64]bool{2046: false, 2047: false, 2048: true} {
		text, err := Emit(&Package{Path: "p", Name: "p", Objects: []*Object{{Name: "o", Fields: []Field{{Name: "a", Type: Array(elements, Basic("int64"))}}}}})
		require.NoError(t, err)
		assert.Equal(t, large, strings.Contains(string(text), "gc.AllocLarge"), elements)
	}
	size, align := structSize([]Field{{Type: Basic("bool")}, {Type: Basic("int32")}, {Type: Basic("string")}, {Type: Basic("byte")}, {Type: Array(3, Basic("uint16"))}})
	assert.Equal(t, []int64{32, 8}, []int64{size, align})
}
