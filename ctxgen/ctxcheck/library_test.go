package ctxcheck

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/encorert/encorert/internal/hammer"
)

// The analysis comes to an end, and without a panic, on code of every shape: each function of the standard library is
// followed, though none has a context. The ordinary form takes packages with iterators, generics, labels, defer in loops
// and unsafe.
func TestStandardLibrary(t *testing.T) {
	patterns := []string{"maps", "slices", "iter", "unique", "sync/atomic", "container/list", "text/template/parse", "strconv", "encoding/json", "go/ast", "cmp"}
	if hammer.Rounds(0, 1) == 1 {
		patterns = []string{"std"}
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, patterns...)
	require.NoError(t, err)
	require.NotEmpty(t, pkgs)
	for _, p := range pkgs {
		if len(p.Errors) > 0 || p.PkgPath == "unsafe" {
			require.Empty(t, p.Errors)
			continue
		}
		assert.NotPanics(t, func() {
			check(&analysis.Pass{
				Analyzer: Analyzer, Fset: p.Fset, Files: p.Syntax, Pkg: p.Types, TypesInfo: p.TypesInfo, TypesSizes: p.TypesSizes,
				Report: func(d analysis.Diagnostic) { assert.Fail(t, "a report", "%s: %s", p.Fset.Position(d.Pos), d.Message) },
			}, true)
		}, p.PkgPath)
	}
}
