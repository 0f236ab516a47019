package ctxcheck

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// objects has the rules for values of object types: they are made by constructors, live in an actor's heap, are never
// copied, and their pointers are changed by setters.
type objects struct {
	*nest
	report *reporter
}

func (o *objects) check() {
	o.each(func(f *ssa.Function, i ssa.Instruction) {
		switch i := i.(type) {
		case *ssa.Alloc:
			if t := holds(pointee(i.Type())); t != nil && !isInitialValue(i) {
				pos := i.Pos()
				if !pos.IsValid() {
					pos = f.Pos()
				}
				o.report.addf(objectCategory, pos, "%s is an object of an actor's heap, and here it would be on Go's: make it with its constructor, and hold a pointer", name(t))
			}
		case *ssa.MakeSlice:
			o.made(i, i.Type())
		case *ssa.MakeMap:
			o.made(i, i.Type())
		case *ssa.MakeChan:
			o.made(i, i.Type())
		case *ssa.UnOp:
			if i.Op == token.MUL && isObject(i.Type()) && !isFirstValue(i) {
				o.report.addf(objectCategory, i.Pos(), "a copy of %s, an object of an actor's heap: copy its fields, or pass the pointer", name(i.Type()))
			}
		case *ssa.Store:
			o.store(i)
		}
		o.addresses(i)
	})
}

// isInitialValue reports whether a is a composite literal that becomes the first value of memory from package gc, as in a
// generated constructor: *(*Leaf)(gc.Alloc(...)) = Leaf{A: a}.
func isInitialValue(a *ssa.Alloc) bool {
	stored := false
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr, *ssa.DebugRef:
		case *ssa.Store:
			if r.Addr != ssa.Value(a) {
				return false
			}
		case *ssa.UnOp:
			if !isFirstValue(r) {
				return false
			}
			stored = true
		default:
			return false
		}
	}
	return stored
}

// isFirstValue reports whether v is only stored to memory that package gc has just allocated.
func isFirstValue(v ssa.Value) bool {
	stored := false
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if r.Val != v || !isNewMemory(r.Addr) {
				return false
			}
			stored = true
		default:
			return false
		}
	}
	return stored
}

// isNewMemory reports whether addr is what a call of gc.Alloc or gc.AllocLarge has returned.
func isNewMemory(addr ssa.Value) bool {
	c, ok := addr.(*ssa.Convert)
	if !ok {
		return false
	}
	call, ok := c.X.(*ssa.Call)
	return ok && packageOf(&call.Call) == gcPath && strings.HasPrefix(callee(&call.Call).Name(), "Alloc")
}

func (o *objects) made(v ssa.Value, t types.Type) {
	if held := holds(t); held != nil {
		o.report.addf(objectCategory, v.Pos(), "%s is an object of an actor's heap and cannot be an element by value: use pointers", name(held))
	}
}

// holds returns the object type that a value of t has in it, nil if there is none.
func holds(t types.Type) types.Type {
	seen := map[types.Type]bool{}
	var look func(types.Type) types.Type
	look = func(t types.Type) types.Type {
		if isObject(t) {
			return t
		}
		if seen[t] {
			return nil
		}
		seen[t] = true
		switch u := t.Underlying().(type) {
		case *types.Array:
			return look(u.Elem())
		case *types.Slice:
			return look(u.Elem())
		case *types.Chan:
			return look(u.Elem())
		case *types.Map:
			if k := look(u.Key()); k != nil {
				return k
			}
			return look(u.Elem())
		case *types.Struct:
			for i := range u.NumFields() {
				if f := look(u.Field(i).Type()); f != nil {
					return f
				}
			}
		}
		return nil
	}
	return look(t)
}

func name(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// inObject returns the field of an object that addr is in and the pointer to the object; nil if it is in none.
func inObject(addr ssa.Value) (field *types.Var, object ssa.Value) {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			t := pointee(a.X.Type())
			if isObject(t) {
				return t.Underlying().(*types.Struct).Field(a.Field), a.X
			}
			addr = a.X
		case *ssa.IndexAddr:
			if pointee(a.X.Type()) == nil { // the elements of a slice are elsewhere
				return nil, nil
			}
			addr = a.X
		default:
			return nil, nil
		}
	}
}

func (o *objects) store(i *ssa.Store) {
	if isObject(i.Val.Type()) {
		if _, variable := i.Addr.(*ssa.Alloc); variable || isNewMemory(i.Addr) {
			return // the variable itself is reported
		}
		o.report.addf(objectCategory, i.Pos(), "a whole %s, an object of an actor's heap, is overwritten: assign its fields, pointers with their setters", name(i.Val.Type()))
		return
	}
	if field, _ := inObject(i.Addr); field != nil && o.kinds.has(heapKind, i.Val.Type()) {
		o.report.addf(objectCategory, i.Pos(), "the pointer field %s of an object is assigned: store it with its setter, which tells the collector", field.Name())
		return
	}
	// A setter stores the integer, after the barrier.
	addr := i.Addr
	for {
		c, ok := addr.(*ssa.Convert)
		if !ok {
			break
		}
		addr = c.X
	}
	if addr == i.Addr {
		return
	}
	field, object := inObject(addr)
	if field == nil || !o.kinds.has(heapKind, pointee(addr.Type())) {
		return
	}
	if !o.barrier(i, object) {
		o.report.addf(objectCategory, i.Pos(), "the pointer field %s of an object is stored without gc.Barrier: a minor collection would not see what it points to", field.Name())
	}
}

// barrier reports whether a call of gc.Barrier for object comes before a store, on all paths.
func (o *objects) barrier(i *ssa.Store, object ssa.Value) bool {
	for _, b := range i.Parent().Blocks {
		for _, before := range b.Instrs {
			if before == ssa.Instruction(i) {
				break
			}
			call, ok := before.(*ssa.Call)
			if !ok || packageOf(&call.Call) != gcPath || callee(&call.Call) == nil || !isBarrier(callee(&call.Call).Name()) {
				continue
			}
			for _, a := range call.Call.Args {
				if o.base(a) == object && (b == i.Block() || b.Dominates(i.Block())) {
					return true
				}
			}
		}
	}
	return false
}

func isBarrier(name string) bool { return strings.HasPrefix(name, "Barrier") }

// addresses reports that the address of an object's pointer field goes where it could be stored through.
func (o *objects) addresses(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.DebugRef, *ssa.Convert, *ssa.BinOp:
		return
	case *ssa.Slice:
		if onlyRead(i) {
			return
		}
	}
	for k, v := range i.Operands(nil) {
		if *v == nil || k == 0 && isStore(i) {
			continue
		}
		addr := *v
		if field, _ := inObject(addr); field != nil && o.kinds.has(heapKind, pointee(addr.Type())) {
			o.report.addf(objectCategory, i.Pos(), "the address of the pointer field %s of an object is taken, through which it could be changed without its setter", field.Name())
		}
	}
}

// onlyRead reports whether a slice of an array is looked at and neither changed nor kept: x.kids[:] that is ranged over,
// copied from or appended.
func onlyRead(s *ssa.Slice) bool {
	for _, r := range *s.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.Range:
		case *ssa.IndexAddr:
			for _, use := range *r.Referrers() {
				switch use.(type) {
				case *ssa.UnOp, *ssa.DebugRef:
				default:
					return false
				}
			}
		case *ssa.Call:
			b, ok := r.Call.Value.(*ssa.Builtin)
			if !ok || b.Name() != "len" && b.Name() != "cap" && (r.Call.Args[0] == ssa.Value(s) || b.Name() != "append" && b.Name() != "copy") {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func isStore(i ssa.Instruction) bool {
	_, ok := i.(*ssa.Store)
	return ok
}
