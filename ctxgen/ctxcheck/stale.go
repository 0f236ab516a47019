package ctxcheck

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// uses reports what i uses and cannot be used any more in s: stale contexts, and heap pointers that may be gone. After the
// report they count as good: one fault is one report.
func (f *flow) uses(s *state, i ssa.Instruction) {
	switch i := i.(type) {
	case ssa.CallInstruction:
		c := i.Common()
		if c.IsInvoke() {
			f.useContext(s, i, c.Value, f.report.argument(c, -1))
		}
		for k, a := range c.Args {
			f.useContext(s, i, a, f.report.argument(c, k))
		}
	case *ssa.FieldAddr:
		if isCtx(i.X.Type()) {
			f.useContext(s, i, i.X, f.report.selected(i.Pos()))
		}
	case *ssa.UnOp:
		if i.Op == token.MUL && isCtx(i.X.Type()) {
			f.useContext(s, i, i.X, nil)
		}
	case *ssa.Return:
		for k, r := range i.Results {
			f.useContext(s, i, r, f.report.result(i.Pos(), k, len(i.Results)))
		}
	}
	f.usePointers(s, i)
}

// useContext reports v, which is written as e, if it has a stale context.
func (f *flow) useContext(s *state, at ssa.Instruction, v ssa.Value, e ast.Expr) {
	t := v.Type()
	if !f.kinds.has(contextKind, t) {
		return
	}
	p := place{v, ""}
	if root := f.variable(v); root != nil { // a variable by its address
		p, t = place{root, ""}, pointee(t)
	}
	for _, l := range append(f.kinds.leaves(contextKind, t), leaf{}) {
		if call := s.stale.get(place{p.root, p.path + l.path}); call != nil {
			f.staleUse(at, v, e, call)
			s.stale.set(p, nil)
			if load, ok := v.(*ssa.UnOp); ok {
				s.stale.set(f.at(load.X), nil)
			}
			return
		}
	}
}

func (f *flow) staleUse(at ssa.Instruction, v ssa.Value, e ast.Expr, call ssa.CallInstruction) {
	r := f.report
	pos := at.Pos()
	if e != nil {
		pos = e.Pos()
	}
	what := "a context"
	if !isCtx(v.Type()) {
		what = "what holds a context"
	}
	if e != nil {
		what = types.ExprString(e)
	}
	d := analysis.Diagnostic{Pos: pos, Category: staleCategory, Message: r.sprintf(
		"stale context: %s was taken %s, before %s, which may switch threads or collect; %s",
		what, r.origin(f.nest, v), r.describe(f.nest, call), r.remedy(e))}
	if id, ok := e.(*ast.Ident); ok && isCtx(v.Type()) {
		d.SuggestedFixes = r.reload(id, call)
	}
	r.add(d)
}

// deferredUses reports what a deferred call has been given before s, where it cannot be used any more.
func (f *flow) deferredUses(s *state, d *ssa.Defer) {
	for _, o := range d.Operands(nil) {
		f.usePointer(s, d, *o)
	}
	for k, a := range d.Call.Args {
		if f.kinds.has(contextKind, a.Type()) {
			if call := s.stale.get(place{a, ""}); call != nil {
				e := f.report.argument(&d.Call, k)
				what, pos := "a context", d.Pos()
				if e != nil {
					what, pos = types.ExprString(e), e.Pos()
				}
				f.report.add(analysis.Diagnostic{Pos: pos, Category: staleCategory, Message: f.report.sprintf(
					"stale context: %s is taken when the call is deferred, and used after %s, which may switch threads or collect; "+
						"defer a function literal that loads it: func() { ...(*cctx) }()", what, f.report.describe(f.nest, call))})
			}
		}
	}
}

// origin says where the context v was taken.
func (r *reporter) origin(n *nest, v ssa.Value) string {
	switch x := v.(type) {
	case *ssa.Parameter:
		return "as a parameter"
	case *ssa.UnOp:
		if root := n.variable(x.X); root != nil && len(n.stores[root]) > 0 {
			return r.origin(n, n.stores[root][0])
		}
	case *ssa.Phi:
		for _, e := range x.Edges {
			if e != v {
				if _, again := e.(*ssa.Phi); !again {
					return r.origin(n, e)
				}
			}
		}
	}
	if pos := v.Pos(); pos.IsValid() {
		return "at " + r.line(pos)
	}
	return "before"
}

// remedy says what to do about the stale context that is written as e.
func (r *reporter) remedy(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return "load it again after that: " + id.Name + " = *cctx"
	}
	return "load it again after that from *cctx"
}

// reload is the fix for the context variable id that is stale after call: a load behind the statement that has the call
// in it, or the cell in place of the variable where both are in one statement. None where the cell has no name there.
func (r *reporter) reload(id *ast.Ident, call ssa.CallInstruction) []analysis.SuggestedFix {
	variable, ok := r.pass.TypesInfo.Uses[id].(*types.Var)
	if !ok {
		return nil
	}
	c := r.calls[call.Common().Pos()]
	if c == nil {
		return nil
	}
	cell := r.cellName(c.Pos(), id.Pos())
	if cell == "" {
		return nil
	}
	inPlace := []analysis.SuggestedFix{{
		Message:   "Use the context of now",
		TextEdits: []analysis.TextEdit{{Pos: id.Pos(), End: id.End(), NewText: []byte("*" + cell)}},
	}}
	path := r.path(c.Pos())
	for k, n := range path {
		stmt, isStmt := n.(ast.Stmt)
		if !isStmt || k+1 == len(path) {
			continue
		}
		var list []ast.Stmt
		switch parent := path[k+1].(type) {
		case *ast.BlockStmt:
			list = parent.List
		case *ast.CaseClause:
			list = parent.Body
		case *ast.CommClause:
			list = parent.Body
		}
		found := false
		for _, s := range list {
			found = found || s == stmt
		}
		if !found {
			continue
		}
		within := stmt.Pos() <= id.Pos() && id.Pos() < stmt.End()
		if scope := r.pass.Pkg.Scope().Innermost(c.Pos()); within || scope == nil || !visible(scope, variable, stmt.End()) {
			return inPlace
		}
		if _, ok := stmt.(*ast.ReturnStmt); ok {
			return nil
		}
		return []analysis.SuggestedFix{{
			Message:   "Load the context again",
			TextEdits: []analysis.TextEdit{{Pos: stmt.End(), End: stmt.End(), NewText: []byte("\n" + id.Name + " = *" + cell)}},
		}}
	}
	return inPlace
}

// visible reports whether the name of v means v at pos.
func visible(scope *types.Scope, v *types.Var, pos token.Pos) bool {
	_, o := scope.LookupParent(v.Name(), pos)
	return o == v
}

// cellName returns the name of a context cell that both places see; "" if there is none.
func (r *reporter) cellName(places ...token.Pos) string {
	scope := r.pass.Pkg.Scope().Innermost(places[0])
	for ; scope != nil && scope != r.pass.Pkg.Scope(); scope = scope.Parent() {
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if !ok || !isCell(v.Type()) || name == "_" {
				continue
			}
			all := true
			for _, p := range places {
				s := r.pass.Pkg.Scope().Innermost(p)
				all = all && s != nil && visible(s, v, p)
			}
			if all {
				return name
			}
		}
	}
	return ""
}
