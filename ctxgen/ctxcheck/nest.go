package ctxcheck

import (
	"go/types"
	"strconv"

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
