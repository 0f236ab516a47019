package ctxcheck

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// usePointers reports heap pointers that i uses and that may be gone.
func (f *flow) usePointers(s *state, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.ChangeType, *ssa.Convert, *ssa.MultiConvert, *ssa.Slice, *ssa.ChangeInterface, *ssa.MakeInterface,
		*ssa.TypeAssert, *ssa.Field, *ssa.Extract, *ssa.MakeClosure, *ssa.Defer, *ssa.If:
		return // to compute from a pointer is no use yet
	case *ssa.BinOp:
		return // nor is to compare it
	case *ssa.UnOp:
		if _, variable := f.at(i.X).root.(*ssa.Alloc); variable {
			return
		}
	case *ssa.Store:
		if _, variable := f.at(i.Addr).root.(*ssa.Alloc); variable {
			return
		}
	}
	for _, o := range i.Operands(nil) {
		if *o != nil {
			f.usePointer(s, i, *o)
		}
	}
}

// usePointer reports v, which i uses, if it may be gone.
func (f *flow) usePointer(s *state, i ssa.Instruction, v ssa.Value) {
	if v == nil {
		return
	}
	root := f.base(v)
	if variable := f.variable(v); variable != nil { // by its address: who has that may read it
		root = variable
	}
	if root == nil {
		return
	}
	for _, l := range f.kinds.leaves(heapKind, typeOf(root)) {
		p := place{root, l.path}
		call := s.gone.get(p)
		if call == nil {
			continue
		}
		f.goneUse(i, root, l.loose, call)
		for _, l := range f.kinds.leaves(heapKind, typeOf(root)) {
			s.gone.set(place{root, l.path}, nil)
			if from, ok := s.from[root]; ok {
				s.gone.set(place{from.root, from.path + l.path}, nil)
			}
		}
		return
	}
}

func (f *flow) goneUse(i ssa.Instruction, root ssa.Value, loose bool, call ssa.CallInstruction) {
	name := f.report.name(f.nest, root)
	if !takesCell(call.Common()) && len(gives(call.Common())) > 0 {
		pos := i.Pos()
		if !pos.IsValid() {
			pos = f.position(call)
		}
		f.report.addf(isoCategory, pos, "%s was given away by %s, and belongs to the receiver: read what is needed before, or send a copy", name, f.report.describe(f.nest, call))
		return
	}
	if loose {
		f.report.addf(frameCategory, f.position(call), "%s has pointers into the heap and is used after %s, which may collect: no frame can hold all of them; "+
			"keep it in the actor's state and read it from there again", name, f.report.describe(f.nest, call))
		return
	}
	f.report.addf(frameCategory, f.position(call), "%s points into the heap, is used after %s, which may collect, and is in no frame: "+
		"push it before (gc.Push) and pop the frame after its last use", name, f.report.describe(f.nest, call))
}

// checkPopped reports frames of fn that are open where it returns. One that is returned is the caller's.
func (f *flow) checkPopped(s *state, fn *ssa.Function, r *ssa.Return) {
	for _, v := range r.Results {
		if isNamed(v.Type(), gcPath, "Frame") {
			return
		}
	}
	for _, frame := range s.frames {
		if frame.Parent() != fn {
			continue
		}
		pos := r.Pos()
		if !pos.IsValid() {
			pos = frame.Pos()
		}
		f.report.addf(frameCategory, pos, "the frame of %s is not popped on the way out here: what it holds would never be freed",
			f.report.describe(f.nest, frame.(*ssa.Call)))
		return
	}
}

// checkArguments reports what a behaviour is given and the function that runs it does not hold: a behaviour's own
// parameters are in frames of that function.
func (f *flow) checkArguments(s *state, i *ssa.Call) {
	for k, a := range i.Call.Args {
		for _, p := range f.pointers(a, a) {
			if p.from.root == nil {
				continue
			}
			if _, frame := f.look(s, p.from); frame != nil || f.isLoose(p.from) {
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

// isLoose reports whether p is a slice or map of heap pointers.
func (f *flow) isLoose(p place) bool {
	return slices.ContainsFunc(f.kinds.leaves(heapKind, typeOf(p.root)), func(l leaf) bool { return l.path == p.path && l.loose })
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
	switch v := v.(type) {
	case *ssa.Call:
		return "the result of " + r.describe(n, v)
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.FieldAddr); ok && n.variable(a.X) == nil {
			return pointee(a.X.Type()).Underlying().(*types.Struct).Field(a.Field).Name()
		}
		if variable, ok := n.at(v.X).root.(*ssa.Alloc); ok {
			return r.name(n, variable)
		}
	case *ssa.Field:
		return r.name(n, v.X)
	case *ssa.Extract:
		return r.name(n, v.Tuple)
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
