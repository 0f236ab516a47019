package ctxcheck_test

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/encorert/encorert/ctxgen/ctxcheck"
)

// Findings have a position, a category and a message; some can be fixed.
func ExampleVet() {
	found, err := ctxcheck.Vet(context.Background(), ctxcheck.Config{Patterns: []string{"./testdata/fixed"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	first := found[0]
	fmt.Printf("%s:%d: %s\n", filepath.Base(first.Pos.Filename), first.Pos.Line, first.Message)
	fmt.Println(first.Category, "-", first.Fix)
	// Output:
	// fixed.go:13: stale context: ctx was taken at fixed.go:11, before f.Get (fixed.go:12), which may switch threads or collect; load it again after that: ctx = *cctx
	// stale - Load the context again
}
