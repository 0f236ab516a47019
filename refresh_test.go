package encorert_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// The whole module writes through a context cell in one place: where a strand lands after a potential thread switch.
func TestOneWriteThroughAContextCell(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, "./...")
	require.NoError(t, err)
	var writes []string
	for _, pkg := range pkgs {
		require.Empty(t, pkg.Errors, "%s", pkg.PkgPath)
		for _, file := range pkg.Syntax {
			var function string
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					function = n.Name.Name
				case *ast.AssignStmt:
					if n.Tok == token.ASSIGN {
						for _, left := range n.Lhs {
							if isCell(pkg.TypesInfo, left) {
								writes = append(writes, pkg.Name+"."+function)
							}
						}
					}
				}
				return true
			})
		}
	}
	assert.Equal(t, []string{"rt.land"}, writes)
}

// isCell reports whether e is a context cell: *x for an x of type **rt.Ctx, or the field that such pointers point to.
func isCell(info *types.Info, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.StarExpr:
		return isContext(info.TypeOf(e))
	case *ast.SelectorExpr:
		field, ok := info.ObjectOf(e.Sel).(*types.Var)
		return ok && field.IsField() && field.Name() == "cell" && isContext(field.Type())
	}
	return false
}

// isContext reports whether t is *rt.Ctx.
func isContext(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && named.Obj().Name() == "Ctx" && named.Obj().Pkg().Path() == module+"/rt"
}
