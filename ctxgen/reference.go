package ctxgen

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
)

// A place is memory inside an object, as hand-written code names it.
type place struct {
	owner *types.Named
	field *types.Var // of owner: the place is the field or in it
	base  ast.Expr   // what the field is selected from
	index ast.Expr   // of the element, if the field is an array
}

// placeOf returns the place that e denotes. ok is false if it is in no object, as far as e shows.
func (c *useChecker) placeOf(e ast.Expr) (p place, ok bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		s := c.info.Selections[e]
		if s == nil || s.Kind() != types.FieldVal {
			return place{}, false
		}
		p, ok, _ = c.walk(e.X, s.Recv(), s.Index())
		return p, ok
	case *ast.IndexExpr:
		x := e.X
		if s, ok := ast.Unparen(x).(*ast.SliceExpr); ok { // x.kids[:][i]
			x = s.X
		}
		t := c.info.TypeOf(x)
		if _, ok := c.under(x).(*types.Array); !ok {
			return place{}, false
		}
		p, ok = c.placeOf(x)
		if ok && p.index == nil && types.Identical(t, p.field.Type()) {
			p.index = e.Index
		}
		return p, ok
	}
	return place{}, false
}

// walk follows the fields that index names from x, which has the type t, and returns the type at the end.
func (c *useChecker) walk(x ast.Expr, t types.Type, index []int) (p place, ok bool, end types.Type) {
	pointed := false
	for _, i := range index {
		if elem := pointee(t); elem != nil {
			t, p, ok, pointed = elem, place{}, false, true
		}
		s, isStruct := t.Underlying().(*types.Struct)
		if !isStruct {
			return place{}, false, nil
		}
		if o := objectOf(t); o != nil {
			p, ok = place{owner: o, field: s.Field(i), base: x}, true
		}
		t = s.Field(i).Type()
	}
	if !ok && !pointed {
		p, ok = c.placeOf(x)
	}
	return p, ok, t
}

// refers reports whether values of t have references to objects in them.
func refers(t types.Type) bool {
	if t == nil {
		return false
	}
	if isHeapReference(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return objectOf(u.Elem()) != nil
	case *types.Array:
		return u.Len() > 0 && refers(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if refers(u.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}

// store checks the left side of an assignment.
func (c *useChecker) store(e ast.Expr) {
	if e == nil {
		return
	}
	e = ast.Unparen(e)
	if _, ok := e.(*ast.StarExpr); ok {
		if o := objectOf(c.info.TypeOf(e)); o != nil {
			c.add(e, "%s is an object of the actor's heap and cannot be overwritten: assign its fields, references with their setters", c.name(o))
			c.excused[e] = true
			return
		}
	}
	if p, ok := c.placeOf(e); ok && refers(c.info.TypeOf(e)) {
		c.add(e, "%s: %s", c.reference(e, p), c.remedy(p))
	}
}

// address checks an expression whose address is taken, openly or by a method or a slice.
func (c *useChecker) address(e ast.Expr) {
	if p, ok := c.placeOf(e); ok && refers(c.info.TypeOf(e)) {
		c.add(e, "%s, and its address cannot be taken: %s", c.reference(e, p), c.remedy(p))
	}
}

// method checks the hidden address of x.kids.sort(), where sort has a pointer receiver.
func (c *useChecker) method(e *ast.SelectorExpr) {
	s := c.info.Selections[e]
	if s == nil || s.Kind() != types.MethodVal {
		return
	}
	f, ok := s.Obj().(*types.Func)
	if !ok || pointee(f.Signature().Recv().Type()) == nil {
		return
	}
	p, ok, t := c.walk(e.X, s.Recv(), s.Index()[:len(s.Index())-1])
	if !ok || t == nil || pointee(t) != nil || objectOf(t) != nil || !refers(t) {
		return
	}
	c.add(e, "%s, and its address cannot be taken, as by the method %s: %s", c.reference(e.X, p), e.Sel.Name, c.remedy(p))
}

// isHeapReference reports whether t is a type of package gc whose values are references: gc.Slice and its like.
func isHeapReference(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && isHeapValue(named.Obj())
}

// isHeapValue reports whether the type of that name is one word that points into an actor's heap.
func isHeapValue(o *types.TypeName) bool {
	return slices.ContainsFunc([]string{"Slice", "String", "Ref", "Array"}, func(name string) bool { return isIn(o, gcPath, name) })
}

// reference says what e, which is in p, refers to.
func (c *useChecker) reference(e ast.Expr, p place) string {
	name := p.field.Name()
	if s, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
		name = s.Sel.Name
	}
	t := c.info.TypeOf(e)
	switch {
	case isHeapReference(t):
		if isIn(types.Unalias(t).(*types.Named).Obj(), gcPath, "Slice") {
			return name + " refers to an array of the actor's heap"
		}
		return name + " refers to the actor's heap"
	case pointee(t) != nil:
		return name + " refers to an object"
	}
	return name + " has references to objects"
}

// remedy says how to store into p.
func (c *useChecker) remedy(p place) string {
	t, index := p.field.Type(), ""
	if array, ok := t.Underlying().(*types.Array); ok {
		t, index = array.Elem(), "i, "
		if p.index != nil {
			index = types.ExprString(p.index) + ", "
		}
	}
	if pointee(t) == nil && !isHeapReference(t) {
		return fmt.Sprintf("a reference inside %s has no setter, make it a field of %s", p.field.Name(), c.name(p.owner))
	}
	base := ast.Unparen(p.base)
	if star, ok := base.(*ast.StarExpr); ok {
		base = star.X
	}
	return fmt.Sprintf("store it with %s.%s(ctx, %sv)", types.ExprString(base), setterName(p.field.Name()), index)
}
