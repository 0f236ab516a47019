package ctxcheck

import (
	"go/ast"
	"go/types"
	"slices"
	"sort"

	"golang.org/x/tools/go/ssa"
)

// checkHeld reports heap pointers that are used after a call that may collect, and in no frame while it runs. What a
// literal that runs in the call shares with its function is looked at within the literal.
func (f *flow) checkHeld(s *state, i *ssa.Call, after places, called, passed []*ssa.Function) {
	shared := map[ssa.Value]bool{}
	if !takesCell(&i.Call) {
		for _, g := range slices.Concat(called, passed) {
			for _, v := range f.captures(heapKind, g) {
				shared[v] = true
			}
		}
	}
	var missing []place
	for p := range after {
		if p.root != ssa.Value(i) && !shared[p.root] && s.held[p] == nil {
			missing = append(missing, p)
		}
	}
	sort.Slice(missing, func(a, b int) bool {
		if missing[a].root.Pos() != missing[b].root.Pos() {
			return missing[a].root.Pos() < missing[b].root.Pos()
		}
		return missing[a].path < missing[b].path
	})
	told := map[ssa.Value]bool{}
	for _, p := range missing {
		if told[p.root] {
			continue
		}
		told[p.root] = true
		name := f.report.name(f.nest, p.root)
		if f.loose(p) {
			f.report.addf(frameCategory, f.position(i), "%s has pointers into the heap and is used after %s, which may collect: no frame can hold all of them; "+
				"keep it in the actor's state and read it from there again", name, f.report.describe(f.nest, i))
			continue
		}
		f.report.addf(frameCategory, f.position(i), "%s points into the heap, is used after %s, which may collect, and is in no frame: "+
			"push it before (gc.Push) and pop the frame after its last use", name, f.report.describe(f.nest, i))
	}
	if isDispatch(i.Parent()) && takesCell(&i.Call) {
		f.checkArguments(s, i)
	}
}

func (f *flow) loose(p place) bool {
	t := p.root.Type()
	if _, ok := p.root.(*ssa.Alloc); ok {
		t = pointee(t)
	}
	for _, l := range f.kinds.leaves(heapKind, t) {
		if l.path == p.path {
			return l.loose
		}
	}
	return false
}

// checkArguments reports what a behaviour is given and the function that runs it does not hold: a behaviour's own
// parameters are in frames of that function.
func (f *flow) checkArguments(s *state, i *ssa.Call) {
	for k, a := range i.Call.Args {
		held := f.framesOf(s, a)
		for _, l := range f.kinds.leaves(heapKind, a.Type()) {
			if held[l.path] != nil || l.loose {
				continue
			}
			what := "an argument"
			if e := f.report.argument(&i.Call, k); e != nil {
				what = types.ExprString(e)
			}
			f.report.addf(frameCategory, f.position(i), "%s points into the heap and goes to a behaviour, %s, in no frame: push it before (gc.Push)",
				what, f.report.describe(f.nest, i))
			break
		}
	}
}

// isDispatch reports whether f is what rt.Behaviour.Run is: it takes a message apart and runs a behaviour.
func isDispatch(f *ssa.Function) bool {
	p := f.Signature.Params()
	return p.Len() == 3 && isCell(p.At(0).Type()) && isPointerTo(p.At(1).Type(), "Actor") && isPointerTo(p.At(2).Type(), "Message")
}

func isPointerTo(t types.Type, name string) bool {
	e := pointee(t)
	return e != nil && isNamed(e, rtPath, name)
}

// dispatched returns the functions whose parameters are held by who calls them: behaviours, whose dispatch functions do,
// and literals that the runtime calls.
func dispatched(nests []*nest) map[*ssa.Function]bool {
	found := map[*ssa.Function]bool{}
	for _, n := range nests {
		n.each(func(in *ssa.Function, i ssa.Instruction) {
			call, ok := i.(*ssa.Call)
			if !ok {
				return
			}
			if g := call.Call.StaticCallee(); g != nil && isDispatch(in) && takesCell(&call.Call) {
				if o := g.Origin(); o != nil {
					g = o
				}
				found[g] = true
			}
			if p := packageOf(&call.Call); p == futuresPath || p == rtPath {
				_, passed := n.given(&call.Call)
				for _, g := range passed {
					found[g] = true
				}
			}
		})
	}
	return found
}

// name returns what a message calls the value v.
func (r *reporter) name(n *nest, v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Parameter:
		return v.Name()
	case *ssa.Alloc:
		if v.Comment != "" && isName(v.Comment) {
			return v.Comment
		}
	case *ssa.Phi:
		if v.Comment != "" {
			return v.Comment
		}
	}
	name := ""
	n.each(func(_ *ssa.Function, i ssa.Instruction) {
		if d, ok := i.(*ssa.DebugRef); ok && d.X == v && name == "" {
			if id, ok := d.Expr.(*ast.Ident); ok {
				name = id.Name
			}
		}
	})
	if name != "" {
		return name
	}
	if c, ok := v.(*ssa.Call); ok {
		return "the result of " + r.describe(n, c)
	}
	return "a value"
}

// isName reports whether an Alloc's comment is a variable's name.
func isName(comment string) bool {
	for i, c := range comment {
		if c != '_' && (c < '0' || c > '9' || i == 0) && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return comment != "complit" && comment != "new" && comment != "varargs"
}
