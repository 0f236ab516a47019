package ctxcheck

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// confinement has the rules of where contexts, cells and heap pointers may be. They look at single instructions.
type confinement struct {
	*nest
	report *reporter
	own    bool // the package is rt: its fields are the cells
}

func (c *confinement) check() {
	c.each(func(f *ssa.Function, i ssa.Instruction) {
		switch i := i.(type) {
		case *ssa.Store:
			c.store(i)
		case *ssa.MapUpdate:
			where := "in a map"
			c.cell(i.Pos(), i.Value, where)
			c.context(i.Pos(), i.Key, where)
			c.context(i.Pos(), i.Value, where)
			c.literal(i.Pos(), i.Value, where)
			if c.global(i.Map) {
				c.heap(i.Pos(), i.Key, "in a global map")
				c.heap(i.Pos(), i.Value, "in a global map")
			}
		case *ssa.Send:
			c.everything(i.Pos(), i.X, "in a channel")
		case *ssa.Select:
			for _, s := range i.States {
				if s.Dir == types.SendOnly {
					c.everything(s.Pos, s.Send, "in a channel")
				}
			}
		case *ssa.MakeInterface:
			c.cell(position(i), i.X, "in an interface")
			if !c.transient(i) {
				c.context(position(i), i.X, "in an interface")
				c.heap(position(i), i.X, "in an interface")
				c.literal(position(i), i.X, "in an interface")
			}
		case *ssa.Return:
			for _, r := range i.Results {
				c.cell(i.Pos(), r, "by the caller")
				c.literal(i.Pos(), r, "by the caller")
			}
		case *ssa.Go:
			for _, a := range append(slices.Clone(i.Call.Args), i.Call.Value) {
				c.everything(i.Pos(), a, "by another goroutine")
			}
		case *ssa.Convert:
			if c.kinds.has(cellKind, i.X.Type()) || c.kinds.has(contextKind, i.X.Type()) && !c.kinds.has(contextKind, i.Type()) {
				c.report.addf(contextCategory, i.Pos(), "a context is converted to what is none: nobody sees any more when it is stale")
			}
		case *ssa.UnOp:
			if i.Op == token.MUL && isNamed(i.Type(), rtPath, "Ctx") && !c.own {
				c.report.addf(contextCategory, i.Pos(), "a copy of a context: it belongs to a worker, pass the pointer")
			}
		case *ssa.Alloc:
			if isNamed(pointee(i.Type()), rtPath, "Ctx") && !c.own {
				c.report.addf(contextCategory, i.Pos(), "a context that is no worker's: only the runtime makes them")
			}
		case *ssa.Call:
			c.call(i)
		case *ssa.Defer:
			c.call(i)
		}
		c.address(i)
	})
}

// everything reports whatever may not leave the behaviour in v.
func (c *confinement) everything(pos token.Pos, v ssa.Value, where string) {
	c.cell(pos, v, where)
	c.context(pos, v, where)
	c.heap(pos, v, where)
	c.literal(pos, v, where)
}

const onlyPassed = "the context cell is passed down as an argument and nothing else"

func (c *confinement) cell(pos token.Pos, v ssa.Value, where string) {
	if c.kinds.has(cellKind, v.Type()) && !isNil(v) {
		c.report.addf(contextCategory, pos, "a context cell is kept %s: %s", where, onlyPassed)
	}
}

func (c *confinement) context(pos token.Pos, v ssa.Value, where string) {
	if c.kinds.has(contextKind, v.Type()) && !isNil(v) {
		c.report.addf(contextCategory, pos, "a context is kept %s, where nobody sees when it is stale: pass it as an argument", where)
	}
}

func (c *confinement) heap(pos token.Pos, v ssa.Value, where string) {
	if c.kinds.has(heapKind, v.Type()) && !isNil(v) {
		c.report.addf(placeCategory, pos, "a pointer into an actor's heap is kept %s, where no collection sees it: "+
			"it belongs into an object, an actor's state, a message or a frame", where)
	}
}

// literal reports what a function that is kept has captured.
func (c *confinement) literal(pos token.Pos, v ssa.Value, where string) {
	for _, g := range c.closures(v) {
		c.captured(pos, g, where)
	}
	if m, ok := v.(*ssa.MakeClosure); ok && !c.contains(m.Fn.(*ssa.Function)) { // a method value
		for _, b := range m.Bindings {
			c.everything(pos, b, where)
		}
	}
}

func (c *confinement) captured(pos token.Pos, g *ssa.Function, where string) {
	for _, v := range c.captures(cellKind, g) {
		c.report.addf(contextCategory, pos, "a function that captures the context cell %s is kept %s: %s; give the function a parameter cctx **rt.Ctx",
			c.report.name(c.nest, v), where, onlyPassed)
	}
	for _, v := range c.captures(contextKind, g) {
		c.report.addf(contextCategory, pos, "a function that captures the context %s is kept %s, and may run when that is stale: give the function a context parameter",
			c.report.name(c.nest, v), where)
	}
	for _, v := range c.captures(heapKind, g) {
		c.report.addf(placeCategory, pos, "a function that captures %s, which points into an actor's heap, is kept %s, where no collection sees it: "+
			"pass it as an argument that is traced (futures.ChainWith), or keep it in the actor's state", c.report.name(c.nest, v), where)
	}
}

func (c *confinement) store(i *ssa.Store) {
	if c.isCellAddress(i.Addr) && isCtx(i.Val.Type()) {
		if !c.own {
			c.report.addf(contextCategory, i.Pos(), "a write to the context cell: only the runtime writes it; load a variable instead: ctx := *cctx")
		}
		return
	}
	pos := storePosition(i)
	to := c.at(i.Addr)
	_, local := to.root.(*ssa.Alloc)
	plain := local && to.path == ""
	where := "in " + c.placeName(i.Addr)
	if !plain || !isCell(i.Val.Type()) {
		c.cell(pos, i.Val, where)
	}
	if _, isGlobal := to.root.(*ssa.Global); isGlobal || c.global(to.root) {
		c.context(pos, i.Val, "in a global variable")
		c.heap(pos, i.Val, "in a global variable")
	}
	if array, ok := to.root.(*ssa.Alloc); !plain && !(ok && array.Comment == "varargs" && c.passed(array)) {
		c.literal(pos, i.Val, where)
	}
}

// passed reports whether the array of variadic arguments goes to calls of functions only: append keeps it.
func (c *confinement) passed(array *ssa.Alloc) bool {
	for _, r := range *array.Referrers() {
		if s, ok := r.(*ssa.Slice); ok {
			for _, r := range *s.Referrers() {
				call, ok := r.(ssa.CallInstruction)
				if !ok {
					return false
				}
				if _, builtin := call.Common().Value.(*ssa.Builtin); builtin {
					return false
				}
			}
		}
	}
	return true
}

func (c *confinement) placeName(addr ssa.Value) string {
	switch a := addr.(type) {
	case *ssa.Global:
		return "the global variable " + a.Name()
	case *ssa.FieldAddr:
		if s, ok := pointee(a.X.Type()).Underlying().(*types.Struct); ok {
			return "the field " + s.Field(a.Field).Name()
		}
	case *ssa.IndexAddr:
		return "an element"
	}
	return "memory"
}

// global reports whether v is a global variable, or was read from one.
func (c *confinement) global(v ssa.Value) bool {
	seen := map[ssa.Value]bool{}
	for !seen[v] {
		seen[v] = true
		switch x := v.(type) {
		case *ssa.Global:
			return true
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return false
			}
			v = x.X
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Lookup:
			v = x.X
		case *ssa.Extract:
			v = x.Tuple
		}
	}
	return false
}

// address reports the use of a variable that a context is cached in as a cell.
func (c *confinement) address(i ssa.Instruction) {
	for _, o := range i.Operands(nil) {
		v := *o
		if v == nil || !isCell(v.Type()) || c.isCellAddress(v) {
			continue
		}
		switch i := i.(type) {
		case *ssa.UnOp, *ssa.DebugRef, *ssa.MakeClosure:
			continue
		case *ssa.Store:
			if i.Addr == v && i.Val != v {
				continue
			}
		}
		if alloc, ok := v.(*ssa.Alloc); ok && alloc.Comment == "" {
			continue
		}
		c.report.addf(contextCategory, i.Pos(), "the address of a variable that a context is cached in is no context cell: nobody stores the new context there after a switch; pass cctx on")
	}
}

// call reports what a call keeps of its arguments.
func (c *confinement) call(i ssa.CallInstruction) {
	call := i.Common()
	if slices.Contains(stores, fullName(call)) {
		for _, a := range call.Args {
			if m, ok := a.(*ssa.MakeInterface); ok {
				a = m.X
			}
			c.everything(i.Pos(), a, "by "+callee(call).Name())
		}
	}
	_, passed := c.given(call)
	for _, g := range passed {
		if keeps(call, g) {
			c.captured(i.Pos(), g, "by "+c.report.describe(c.nest, i))
			continue
		}
		cells := c.captures(cellKind, g)
		if takesCell(call) || !c.passesOn(g) {
			continue
		}
		for _, a := range call.Args {
			if c.kinds.has(contextKind, a.Type()) {
				c.report.addf(contextCategory, i.Pos(), "%s is given a context and a function that captures the context cell %s: "+
					"when that has switched the context is stale inside; give it the cell", c.report.describe(c.nest, i), c.report.name(c.nest, cells[0]))
				break
			}
		}
	}
}

// transient reports whether an interface value goes to calls only, which look at it and return.
func (c *confinement) transient(v ssa.Value) bool {
	seen := map[ssa.Value]bool{}
	var only func(v ssa.Value) bool
	only = func(v ssa.Value) bool {
		if seen[v] {
			return true
		}
		seen[v] = true
		for _, r := range *v.Referrers() {
			switch r := r.(type) {
			case *ssa.Call, *ssa.DebugRef, *ssa.TypeAssert, *ssa.BinOp, *ssa.Panic, *ssa.Defer:
			case *ssa.ChangeInterface:
				if !only(r) {
					return false
				}
			case *ssa.Phi:
				if !only(r) {
					return false
				}
			case *ssa.Store:
				// Into the array of a variadic call's arguments, or a variable.
				root, ok := c.at(r.Addr).root.(*ssa.Alloc)
				if !ok || r.Val != v || root.Comment != "varargs" && !plainVariable(root) {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	return only(v)
}

// plainVariable reports whether a variable stays in its function.
func plainVariable(a *ssa.Alloc) bool { return !a.Heap }

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// position is that of v, or of what it goes to, or is made from.
func position(v *ssa.MakeInterface) token.Pos {
	if v.Pos().IsValid() {
		return v.Pos()
	}
	for _, r := range *v.Referrers() {
		if s, ok := r.(*ssa.Store); ok {
			return storePosition(s)
		}
		if r.Pos().IsValid() {
			return r.Pos()
		}
	}
	if v.X.Pos().IsValid() {
		return v.X.Pos()
	}
	return v.Parent().Pos()
}

// storePosition is that of s, or of the variadic call for whose arguments it is.
func storePosition(s *ssa.Store) token.Pos {
	if s.Pos().IsValid() {
		return s.Pos()
	}
	if s.Addr.Pos().IsValid() {
		return s.Addr.Pos()
	}
	if element, ok := s.Addr.(*ssa.IndexAddr); ok {
		for _, r := range *element.X.Referrers() {
			if slice, ok := r.(*ssa.Slice); ok {
				for _, call := range *slice.Referrers() {
					if call.Pos().IsValid() {
						return call.Pos()
					}
				}
			}
		}
	}
	return s.Parent().Pos()
}
