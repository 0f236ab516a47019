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
