package ctxcheck

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// nest is a declared function with all function literals in it. They share variables: a variable that a literal captures
// is an Alloc of the function that declares it, and a FreeVar of those that capture it.
type nest struct {
	kinds *catalogue
	outer *ssa.Function
	funcs []*ssa.Function
	made  map[*ssa.Function]*ssa.MakeClosure // where a literal that captures something becomes a value
	// stores are those to each captured or address-taken variable as a whole.
	stores map[ssa.Value][]ssa.Value
}

func newNest(kinds *catalogue, outer *ssa.Function) *nest {
	n := &nest{kinds: kinds, outer: outer, made: map[*ssa.Function]*ssa.MakeClosure{}, stores: map[ssa.Value][]ssa.Value{}}
	var add func(*ssa.Function)
	add = func(f *ssa.Function) {
		n.funcs = append(n.funcs, f)
		for _, inner := range f.AnonFuncs {
			add(inner)
		}
	}
	add(outer)
	n.each(func(_ *ssa.Function, i ssa.Instruction) {
		if c, ok := i.(*ssa.MakeClosure); ok {
			n.made[c.Fn.(*ssa.Function)] = c
		}
	})
	n.each(func(_ *ssa.Function, i ssa.Instruction) {
		if s, ok := i.(*ssa.Store); ok {
			if root := n.variable(s.Addr); root != nil {
				n.stores[root] = append(n.stores[root], s.Val)
			}
		}
	})
	return n
}

func (n *nest) each(visit func(*ssa.Function, ssa.Instruction)) {
	for _, f := range n.funcs {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				visit(f, i)
			}
		}
	}
}

// contains reports whether f is a literal of the nest.
func (n *nest) contains(f *ssa.Function) bool {
	for p := f; p != nil; p = p.Parent() {
		if p == n.outer {
			return f != n.outer
		}
	}
	return false
}

// variable returns the Alloc that the address v is, as whole, nil if it is none that can be followed.
func (n *nest) variable(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.Alloc:
		return v
	case *ssa.FreeVar:
		made := n.made[v.Parent()]
		if made == nil {
			return nil
		}
		for i, free := range v.Parent().FreeVars {
			if free == v {
				return n.variable(made.Bindings[i])
			}
		}
	}
	return nil
}

// at returns the place that the address v denotes. Its root is a variable's Alloc, or the pointer that the address is
// computed from.
func (n *nest) at(v ssa.Value) place {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		p := n.at(v.X)
		return place{p.root, p.path + field(v.Field)}
	case *ssa.IndexAddr:
		if e := pointee(v.X.Type()); e != nil {
			if array, ok := e.Underlying().(*types.Array); ok {
				p := n.at(v.X)
				return place{p.root, p.path + element(v.Index, array.Len())}
			}
		}
	case *ssa.Alloc, *ssa.FreeVar:
		if root := n.variable(v); root != nil {
			return place{root, ""}
		}
	}
	return place{v, ""}
}

func element(index ssa.Value, length int64) string {
	if c, ok := index.(*ssa.Const); ok && length <= maxElements {
		return "[" + strconv.FormatInt(c.Int64(), 10) + "]"
	}
	return "[*]"
}

// closures returns the literals of the nest that v may be, as far as variables of the nest lead. What a call returns is
// taken to be what it was given: iterators and decorated functions are.
func (n *nest) closures(v ssa.Value) []*ssa.Function {
	var found []*ssa.Function
	seen := map[ssa.Value]bool{}
	var look func(ssa.Value)
	look = func(v ssa.Value) {
		if v == nil || seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Function:
			if n.contains(v) {
				found = append(found, v)
			}
		case *ssa.MakeClosure:
			if f := v.Fn.(*ssa.Function); n.contains(f) {
				found = append(found, f)
			}
		case *ssa.Phi:
			for _, e := range v.Edges {
				look(e)
			}
		case *ssa.ChangeType:
			look(v.X)
		case *ssa.MakeInterface:
			look(v.X)
		case *ssa.ChangeInterface:
			look(v.X)
		case *ssa.Extract:
			look(v.Tuple)
		case *ssa.UnOp:
			if root := n.variable(v.X); root != nil {
				for _, s := range n.stores[root] {
					look(s)
				}
			}
		case *ssa.Slice: // the variadic arguments of a call
			for _, a := range variadic(v) {
				look(a)
			}
		case *ssa.Call:
			if !returnsFunc(v.Type()) {
				return
			}
			for _, a := range v.Call.Args {
				if isFunc(a.Type()) {
					look(a)
				}
			}
		}
	}
	if mayBeFunc(v.Type()) {
		look(v)
	}
	return found
}

// returnsFunc reports whether a function is among the results t.
func returnsFunc(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		for v := range tuple.Variables() {
			if isFunc(v.Type()) {
				return true
			}
		}
		return false
	}
	return isFunc(t)
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// variadic returns the values that are passed as variadic arguments by way of s, nil if s is another slice.
func variadic(s *ssa.Slice) (values []ssa.Value) {
	array, ok := s.X.(*ssa.Alloc)
	if !ok || array.Comment != "varargs" {
		return nil
	}
	for _, r := range *array.Referrers() {
		if element, ok := r.(*ssa.IndexAddr); ok {
			for _, r := range *element.Referrers() {
				if store, ok := r.(*ssa.Store); ok && store.Addr == ssa.Value(element) {
					values = append(values, store.Val)
				}
			}
		}
	}
	return values
}

func mayBeFunc(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return isFunc(t.Elem())
	case *types.Signature, *types.Interface, *types.Tuple:
		return true
	}
	return false
}

// captures returns the variables of kind k that the literal f captures, also through the function variables that it calls.
func (n *nest) captures(k kind, f *ssa.Function) []ssa.Value {
	var found []ssa.Value
	seen := map[*ssa.Function]bool{}
	var look func(*ssa.Function)
	look = func(f *ssa.Function) {
		if seen[f] {
			return
		}
		seen[f] = true
		for _, free := range f.FreeVars {
			root := n.variable(free)
			if root == nil {
				continue
			}
			if declares(f, root) {
				continue
			}
			elem := pointee(root.Type())
			if n.kinds.has(k, elem) {
				found = append(found, root)
			}
			if isFunc(elem) {
				for _, s := range n.stores[root] {
					for _, c := range n.closures(s) {
						look(c)
					}
				}
			}
		}
	}
	look(f)
	return found
}

// declares reports whether variable belongs to f or to a literal in it.
func declares(f *ssa.Function, variable ssa.Value) bool {
	for p := variable.Parent(); p != nil; p = p.Parent() {
		if p == f {
			return true
		}
	}
	return false
}

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
