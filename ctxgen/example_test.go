package ctxgen_test

import (
	"fmt"
	"strings"

	"github.com/encorert/encorert/ctxgen"
)

// A compiler describes an actor and gets its Go code; the methods of counter
// are in a file that the compiler writes beside it.
func Example() {
	text, err := ctxgen.Emit(&ctxgen.Package{
		Path: "example.com/counter",
		Name: "counter",
		Actors: []*ctxgen.Actor{{
			Name: "counter",
			Behaviours: []*ctxgen.Behaviour{{
				Name:   "Add",
				Params: []ctxgen.Param{{Name: "n", Type: ctxgen.Basic("int")}},
				Result: ctxgen.Basic("int"),
			}},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "func New") || strings.HasPrefix(line, "func (h ") {
			fmt.Print(line)
		}
	}
	// Output:
	// func NewCounter(ctx *rt.Ctx) Counter {
	// func (h Counter) Add(ctx *rt.Ctx, n int) {
	// func (h Counter) AskAdd(ctx *rt.Ctx, n int) futures.Future[int] {
}

// A parameter's mode decides how the objects in it go to another actor.
func ExampleMode() {
	tree := ctxgen.ObjectPointer("example.com/forest", "Tree")
	text, err := ctxgen.Emit(&ctxgen.Package{
		Path:    "example.com/forest",
		Name:    "forest",
		Objects: []*ctxgen.Object{{Name: "Tree", Fields: []ctxgen.Field{{Name: "Left", Type: tree}}}},
		Actors: []*ctxgen.Actor{{
			Name: "keeper",
			Behaviours: []*ctxgen.Behaviour{{
				Name:   "Plant",
				Params: []ctxgen.Param{{Name: "given", Type: tree, Mode: ctxgen.Iso}, {Name: "shared", Type: tree, Mode: ctxgen.Val}},
			}},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, send, _ := strings.Cut(string(text), "// The send Keeper.Plant")
	for line := range strings.Lines(send) {
		if strings.Contains(line, "graph") || strings.HasPrefix(line, "// ") {
			fmt.Println(strings.TrimSpace(line))
		}
		if line == "}\n" {
			break
		}
	}
	// Output:
	// // Given away, and not to be used afterwards: given.
	// // Shared, and immutable from then on: shared.
	// args.graph = gc.ShareOut(ctx, nil, (*unsafe.Pointer)(unsafe.Pointer(&args.shared)))
	// args.graph = gc.MoveOut(ctx, args.graph, (*unsafe.Pointer)(unsafe.Pointer(&args.given)))
}

// A function whose calls may switch: the context is loaded where it is used, and a frame holds what lives across.
func ExampleProgram() {
	program := ctxgen.NewProgram(&ctxgen.Package{Path: "example.com/list", Name: "list"})
	cell := &ctxgen.Object{Name: "cell"}
	pointer := program.PointerTo(cell)
	cell.Fields = []ctxgen.Field{{Name: "next", Type: pointer}}
	program.Objects = []*ctxgen.Object{cell}

	body := program.Func(ctxgen.Signature{Name: "grow", Effect: ctxgen.Switching, Params: []ctxgen.Param{{Name: "c", Type: pointer}}, Results: []*ctxgen.Type{pointer}})
	body.Do(ctxgen.Safepoint())
	body.Return(program.New(cell, body.Param(0)))
	_, code, err := program.Emit()
	if err != nil {
		fmt.Println(err)
		return
	}
	_, function, _ := strings.Cut(string(code), "\n\nfunc ")
	fmt.Print("func ", function)
	// Output:
	// func grow(cctx **rt.Ctx, c *cell) *cell {
	// 	ctx := *cctx
	// 	f := gc.Push(ctx, c)
	// 	gc.Safepoint(cctx)
	// 	ctx = *cctx
	// 	f.Pop(ctx)
	// 	return newCell(ctx, c)
	// }
}
