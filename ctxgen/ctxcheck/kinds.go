package ctxcheck

import (
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Import paths of the runtime, whose types the rules are about.
const (
	modulePath  = "github.com/encorert/encorert"
	rtPath      = modulePath + "/rt"
	gcPath      = modulePath + "/gc"
	futuresPath = modulePath + "/futures"
)

// markerName is the method by which generated object types are known in every package.
const markerName = "EncoreObject"

// isNamed reports whether t is the named type path.name, or an instance of it.
func isNamed(t types.Type, path, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path
}

// pointee returns what t points to, or nil.
func pointee(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return nil
}

// isCtx reports whether t is *rt.Ctx.
func isCtx(t types.Type) bool {
	e := pointee(t)
	return e != nil && isNamed(e, rtPath, "Ctx")
}

// isCell reports whether t is **rt.Ctx.
func isCell(t types.Type) bool {
	e := pointee(t)
	return e != nil && isCtx(e)
}

// isObject reports whether t is a type whose values live in actors' heaps: a generated one has the marker method on its
// pointer, declared by itself and not by an embedded type.
func isObject(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || types.IsInterface(named) {
		return false
	}
	marker, index, _ := types.LookupFieldOrMethod(types.NewPointer(named), false, named.Obj().Pkg(), markerName)
	_, isMethod := marker.(*types.Func)
	return isMethod && len(index) == 1
}

// isHeapPointer reports whether a value of type t is one pointer into an actor's heap.
func isHeapPointer(t types.Type) bool {
	if param, ok := types.Unalias(t).(*types.TypeParam); ok {
		return hasMarker(param.Constraint())
	}
	if e := pointee(t); e != nil {
		return isObject(e)
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if types.IsInterface(named) {
			return hasMarker(named)
		}
		return isHeapStruct(named)
	}
	return false
}

func hasMarker(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range i.Methods() {
		if m.Name() == markerName {
			return true
		}
	}
	return false
}

// isHeapStruct reports whether t is one of package gc's types that are one heap pointer, such as gc.Slice: a struct
// whose method Root returns it.
func isHeapStruct(t *types.Named) bool {
	if t.Obj().Pkg() == nil || t.Obj().Pkg().Path() != gcPath {
		return false
	}
	if _, ok := t.Underlying().(*types.Struct); !ok {
		return false
	}
	root, _, _ := types.LookupFieldOrMethod(t, false, t.Obj().Pkg(), "Root")
	_, ok := root.(*types.Func)
	return ok
}

// kind is what a value may have in it.
type kind int

const (
	cellKind    kind = iota // a context cell: cctx
	contextKind             // a cached context
	heapKind                // a pointer into an actor's heap
)

// leaf is one value of a kind within a larger one.
type leaf struct {
	path string // as place has it
	// loose leaves are in a slice or map: no frame can hold them all.
	loose bool
}

// maxElements is how many elements of an array are told apart.
const maxElements = 16

// catalogue knows the leaves of types. Owner: one run of the analyzer.
type catalogue struct{ known [3]map[types.Type][]leaf }

// leaves returns where values of t have something of kind k. Pointers are followed only to what holds a context: a
// pointer to an actor's state is none to the heap.
func (c *catalogue) leaves(k kind, t types.Type) []leaf {
	if t == nil {
		return nil
	}
	if found, ok := c.known[k][t]; ok {
		return found
	}
	if c.known[k] == nil {
		c.known[k] = map[types.Type][]leaf{}
	}
	c.known[k][t] = nil // a recursive type has nothing more in it than what is found elsewhere
	found := c.find(k, t)
	c.known[k][t] = found
	return found
}

func (c *catalogue) has(k kind, t types.Type) bool { return len(c.leaves(k, t)) > 0 }

func (c *catalogue) find(k kind, t types.Type) (found []leaf) {
	switch k {
	case cellKind:
		if isCell(t) {
			return []leaf{{}}
		}
	case contextKind:
		if isCtx(t) {
			return []leaf{{}}
		}
		if isNamed(t, rtPath, "Ctx") {
			return nil
		}
	case heapKind:
		if isHeapPointer(t) {
			return []leaf{{}}
		}
		if isObject(t) {
			return nil
		}
	}
	under := func(prefix string, t types.Type) {
		for _, l := range c.leaves(k, t) {
			found = append(found, leaf{prefix + l.path, l.loose})
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == rtPath {
			return nil // the runtime's own
		}
		for i := range u.NumFields() {
			under("."+strconv.Itoa(i), u.Field(i).Type())
		}
	case *types.Array:
		if u.Len() > maxElements {
			under("[*]", u.Elem())
			break
		}
		for i := range u.Len() {
			under("["+strconv.FormatInt(i, 10)+"]", u.Elem())
		}
	case *types.Tuple:
		for i := range u.Len() {
			under("."+strconv.Itoa(i), u.At(i).Type())
		}
	case *types.Slice:
		if k == heapKind && c.has(k, u.Elem()) {
			return []leaf{{loose: true}}
		}
	case *types.Map:
		if k == heapKind && (c.has(k, u.Key()) || c.has(k, u.Elem())) {
			return []leaf{{loose: true}}
		}
	case *types.Pointer:
		if _, ok := u.Elem().Underlying().(*types.Struct); ok && k == contextKind && c.has(k, u.Elem()) {
			return []leaf{{}}
		}
	}
	return found
}

// place is a register or a variable, or a part of one: root is a value of SSA form, a variable stands for itself by its
// Alloc. path leads from there: ".1" is a field or an element of a tuple, "[2]" an element of an array, "[*]" any.
type place struct {
	root ssa.Value
	path string
}

// overlaps reports whether the paths a and b denote memory in common.
func overlaps(a, b string) bool {
	for a != "" && b != "" {
		var x, y string
		x, a = step(a)
		y, b = step(b)
		if x != y && !(x[0] == '[' && y[0] == '[' && (x == "[*]" || y == "[*]")) {
			return false
		}
	}
	return true
}

// step splits the first step from a path.
func step(path string) (first, rest string) {
	if i := strings.IndexAny(path[1:], ".["); i >= 0 {
		return path[:i+1], path[i+1:]
	}
	return path, ""
}
