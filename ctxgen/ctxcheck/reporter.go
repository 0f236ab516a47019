package ctxcheck

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// Categories of diagnostics, one for each group of rules.
const (
	staleCategory   = "stale"   // a context is used after a call that may have switched
	contextCategory = "context" // a context or its cell is kept, given away or written
	frameCategory   = "frame"   // a heap pointer is in no frame across a call that may collect
	placeCategory   = "place"   // a heap pointer is where no collection sees it
	isoCategory     = "iso"     // an object is used after it was given away
	objectCategory  = "object"  // an object is made, copied or changed past its heap
	ignoreCategory  = "ignore"  // a comment that allows a fault says no reason, or allows nothing
)

// reporter writes diagnostics, and knows how the code they are about is written.
type reporter struct {
	pass  *analysis.Pass
	calls map[token.Pos]*ast.CallExpr // by the position of the parenthesis, which is SSA's
	// selectors are by the position of the selected name.
	selectors map[token.Pos]*ast.SelectorExpr
	returns   map[token.Pos]*ast.ReturnStmt
	told      map[told]bool
	ignores   *ignores
}

type told struct {
	pos     token.Pos
	message string
}

func newReporter(pass *analysis.Pass) *reporter {
	r := &reporter{pass: pass, calls: map[token.Pos]*ast.CallExpr{}, selectors: map[token.Pos]*ast.SelectorExpr{},
		returns: map[token.Pos]*ast.ReturnStmt{}, told: map[told]bool{}, ignores: newIgnores(pass)}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				r.calls[n.Lparen] = n
			case *ast.SelectorExpr:
				r.selectors[n.Sel.Pos()] = n
			case *ast.ReturnStmt:
				r.returns[n.Return] = n
			}
			return true
		})
	}
	return r
}

// add reports d unless that was said.
func (r *reporter) add(d analysis.Diagnostic) {
	key := told{d.Pos, d.Message}
	if r.told[key] {
		return
	}
	r.told[key] = true
	if !r.ignores.allows(r.pass, d.Pos) {
		r.pass.Report(d)
	}
}

// addf reports a fault at pos.
func (r *reporter) addf(category string, pos token.Pos, format string, args ...any) {
	r.add(analysis.Diagnostic{Pos: pos, Category: category, Message: fmt.Sprintf(format, args...)})
}

func (r *reporter) sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// line writes a position for a message.
func (r *reporter) line(pos token.Pos) string {
	p := r.pass.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// describe says which call c is and where.
func (r *reporter) describe(n *nest, c ssa.CallInstruction) string {
	name := "a call"
	if e := r.calls[c.Common().Pos()]; e != nil {
		switch e.Fun.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
			name = types.ExprString(e.Fun)
		case *ast.FuncLit:
			name = "the function literal"
		}
	} else if !takesCell(c.Common()) {
		name = "the loop over a function"
	}
	if _, ok := c.(*ssa.Defer); ok {
		name = "the deferred " + name
	}
	return name + " (" + r.line(n.position(c)) + ")"
}

// position is that of a call; one that a loop over a function is has none, but the loop has.
func (n *nest) position(c ssa.CallInstruction) token.Pos {
	if c.Pos().IsValid() {
		return c.Pos()
	}
	_, passed := n.given(c.Common())
	for _, f := range passed {
		if f.Pos().IsValid() {
			return f.Pos()
		}
	}
	return c.Parent().Pos()
}

// argument returns how the k-th argument of SSA form is written, or the receiver of an interface's method for -1; nil if
// that is not known.
func (r *reporter) argument(c *ssa.CallCommon, k int) ast.Expr {
	e := r.calls[c.Pos()]
	if e == nil {
		return nil
	}
	if c.Signature().Recv() != nil && !c.IsInvoke() {
		k--
	}
	if k < 0 {
		if s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
			return s.X
		}
		return nil
	}
	if k < len(e.Args) {
		return e.Args[k]
	}
	return nil
}

// selected returns what a field is selected from.
func (r *reporter) selected(pos token.Pos) ast.Expr {
	if s := r.selectors[pos]; s != nil {
		return s.X
	}
	return nil
}

// result returns how the k-th of n results is written.
func (r *reporter) result(pos token.Pos, k, n int) ast.Expr {
	if s := r.returns[pos]; s != nil && len(s.Results) == n {
		return s.Results[k]
	}
	return nil
}

// path returns the nodes around pos, the innermost first.
func (r *reporter) path(pos token.Pos) []ast.Node {
	for _, file := range r.pass.Files {
		if file.FileStart <= pos && pos < file.FileEnd {
			path, _ := astutil.PathEnclosingInterval(file, pos, pos)
			return path
		}
	}
	return nil
}
