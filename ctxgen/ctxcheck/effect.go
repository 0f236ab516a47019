package ctxcheck

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// callee returns the declared function that c calls, in its generic form; nil if that is not known.
func callee(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method.Origin()
	}
	f := c.StaticCallee()
	if f == nil {
		return nil
	}
	if o := f.Origin(); o != nil {
		f = o
	}
	if f, ok := f.Object().(*types.Func); ok {
		return f.Origin()
	}
	return nil
}

// packageOf returns the import path of the package that c's callee is declared in.
func packageOf(c *ssa.CallCommon) string {
	if f := callee(c); f != nil && f.Pkg() != nil {
		return f.Pkg().Path()
	}
	return ""
}

// takesCell reports whether a call has a context cell among its arguments: by the protocol it may switch threads, and
// collect.
func takesCell(c *ssa.CallCommon) bool {
	if isCell(c.Value.Type()) {
		return true
	}
	for _, a := range c.Args {
		if isCell(a.Type()) {
			return true
		}
	}
	return false
}

// given returns the literals that a call calls or is given.
func (n *nest) given(c *ssa.CallCommon) (called, passed []*ssa.Function) {
	if !c.IsInvoke() {
		called = n.closures(c.Value)
	}
	for _, a := range c.Args {
		passed = append(passed, n.closures(a)...)
	}
	return called, passed
}

// passesOn reports whether the literal f captures a cell and does more with it than to load the context.
func (n *nest) passesOn(f *ssa.Function) bool {
	seen := map[*ssa.Function]bool{}
	var look func(*ssa.Function) bool
	look = func(f *ssa.Function) bool {
		if seen[f] {
			return false
		}
		seen[f] = true
		for _, b := range blocks(f) {
			for _, i := range b.Instrs {
				c, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if takesCell(c.Common()) {
					return true
				}
				called, passed := n.given(c.Common())
				if slices.ContainsFunc(called, look) || slices.ContainsFunc(passed, look) {
					return true
				}
			}
		}
		return false
	}
	return len(n.captures(cellKind, f)) > 0 && look(f)
}

// isCellAddress reports whether v, a **rt.Ctx, is a strand's cell: not a variable that a context is cached in, nor a field.
// The fields of package rt are cells.
func (n *nest) isCellAddress(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.FreeVar, *ssa.IndexAddr, *ssa.Global:
		return false
	case *ssa.FieldAddr:
		e := pointee(v.X.Type())
		named, ok := types.Unalias(e).(*types.Named)
		return ok && isCell(v.Type()) && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == rtPath
	}
	return isCell(v.Type())
}

// given away: the marker method of a handle has a parameter for each send, with a field for each argument.
const givenName = "EncoreGiven"

// gives returns the arguments that a call gives away: it is a generated send, or constructor, with parameters of mode iso.
func gives(c *ssa.CallCommon) (given []ssa.Value) {
	f := callee(c)
	if f == nil || f.Pkg() == nil || c.IsInvoke() {
		return nil
	}
	handle, behind := types.Type(nil), 1 // the context comes first
	if recv := f.Signature().Recv(); recv != nil {
		handle, behind = recv.Type(), 2
	} else if results := f.Signature().Results(); results.Len() == 1 {
		handle = results.At(0).Type()
	}
	named, ok := types.Unalias(handle).(*types.Named)
	if handle == nil || !ok || named.Obj().Pkg() != f.Pkg() {
		return nil
	}
	o, _, _ := types.LookupFieldOrMethod(named, false, f.Pkg(), givenName)
	marker, ok := o.(*types.Func)
	if !ok {
		return nil
	}
	for send := range marker.Signature().Params().Variables() {
		fields, ok := send.Type().(*types.Struct)
		if !ok || !sends(f.Name(), send.Name()) {
			continue
		}
		for field := range fields.Fields() {
			if i, err := strconv.Atoi(strings.TrimPrefix(field.Name(), "p")); err == nil && i-1+behind < len(c.Args) {
				given = append(given, c.Args[i-1+behind])
			}
		}
	}
	return given
}

// sends reports whether a function of this name sends a behaviour: Give and AskGive do, give and askGive.
func sends(function, behaviour string) bool {
	if rest, ok := strings.CutPrefix(function, "Ask"); ok && rest == behaviour {
		return true
	}
	rest, ok := strings.CutPrefix(function, "ask")
	return function == behaviour || ok && rest == strings.ToUpper(behaviour[:1])+behaviour[1:]
}

// frameOf reports whether a call pushes a frame: it returns a gc.Frame.
func frameOf(c *ssa.Call) bool { return isNamed(c.Type(), gcPath, "Frame") }

// popped returns the frames that a call of gc.Frame.Pop may end; ok is false if it is no such call.
func (n *nest) popped(c *ssa.CallCommon) (frames []ssa.Value, ok bool) {
	f := callee(c)
	if f == nil || f.Name() != "Pop" || packageOf(c) != gcPath || len(c.Args) == 0 || !isNamed(c.Args[0].Type(), gcPath, "Frame") {
		return nil, false
	}
	seen := map[ssa.Value]bool{}
	var look func(ssa.Value)
	look = func(v ssa.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Call:
			frames = append(frames, v)
		case *ssa.Phi:
			for _, e := range v.Edges {
				look(e)
			}
		case *ssa.UnOp:
			if root := n.variable(v.X); root != nil {
				for _, s := range n.stores[root] {
					look(s)
				}
			}
		}
	}
	look(c.Args[0])
	return frames, true
}
