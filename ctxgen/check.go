package ctxgen

import (
	"cmp"
	"fmt"
	"go/token"
)

// checker reports what cannot be generated, wherever the model came from.
type checker struct {
	pkg  *Package
	errs Errors
}

// check returns the faults of a complete model as Errors.
func check(p *Package) error {
	c := &checker{pkg: p}
	if !token.IsIdentifier(p.Name) || p.Path == "" {
		c.errs.add(token.Position{}, "package needs a path and a name: %q, %q", p.Path, p.Name)
	}
	c.identifiers()
	if len(c.errs) == 0 {
		checkNames(p, &c.errs)
	}
	for _, o := range p.Objects {
		for _, f := range o.Fields {
			c.objectField(o, f)
		}
	}
	for _, a := range p.Actors {
		for _, f := range a.State {
			if fault := cmp.Or(contextIn(f.Type), c.stateFault(f.Type, c.pkg.Path, seen{})); fault != "" {
				c.errs.add(f.Pos, "field %s of actor %s %s", f.Name, a.Name, fault)
			}
		}
		if a.New != nil {
			c.behaviour(a, a.New)
		}
		for _, b := range a.Behaviours {
			c.behaviour(a, b)
		}
	}
	return c.errs.asError()
}

// identifiers rejects what a compiler may have put into a model and Go would not read.
func (c *checker) identifiers() {
	name := func(s, what string, pos token.Position) {
		if !token.IsIdentifier(s) {
			c.errs.add(pos, "%s needs a name that is a Go identifier, not %q", what, s)
		}
	}
	referred := func(s, what string, pos token.Position) { // to, by generated code
		if name(s, what, pos); s == "_" {
			c.errs.add(pos, "%s needs a name, and _ is none", what)
		}
	}
	fields := func(owner string, fields []Field) {
		for _, f := range fields {
			name(f.Name, "field of "+owner, f.Pos)
			if f.Type == nil {
				c.errs.add(f.Pos, "field %s of %s has no type", f.Name, owner)
			}
		}
	}
	for _, o := range c.pkg.Objects {
		referred(o.Name, "object", o.Pos)
		fields(o.Name, o.Fields)
	}
	for _, a := range c.pkg.Actors {
		referred(a.Name, "actor", a.Pos)
		if a.Handle != "" {
			referred(a.Handle, "handle of actor "+a.Name, a.Pos)
		}
		fields(a.Name, a.State)
		behaviours := a.Behaviours
		if a.New != nil {
			behaviours = append([]*Behaviour{a.New}, behaviours...)
		}
		for _, b := range behaviours {
			referred(b.Name, "behaviour of actor "+a.Name, b.Pos)
			for i, p := range b.Params {
				if p.Mode > Iso {
					c.errs.add(p.Pos, "parameter %d of %s has no mode that exists", i+1, b.Name)
				}
				if p.Type == nil {
					c.errs.add(p.Pos, "parameter %d of %s has no type", i+1, b.Name)
				} else if p.Variadic && (i < len(b.Params)-1 || p.Type.kind != sliceKind) {
					c.errs.add(p.Pos, "variadic parameter of %s must be the last one and a slice", b.Name)
				}
			}
		}
		if a.New != nil && (a.New.Result != nil || a.New.Err) {
			c.errs.add(a.New.Pos, "%s cannot have results: nobody waits for it", a.New.Name)
		}
	}
}

func (c *checker) behaviour(a *Actor, b *Behaviour) {
	for i, p := range b.Params {
		if p.Type == nil {
			continue
		}
		label := p.Name
		if label == "" || label == "_" {
			label = fmt.Sprint(i + 1)
		}
		if fault := cmp.Or(contextIn(p.Type), c.messageFault(p.Type, c.pkg.Path)); fault != "" {
			c.errs.add(p.Pos, "parameter %s of %s.%s %s", label, a.Name, b.Name, fault)
		} else if fault := modeFault(p.Type, p.Mode); fault != "" {
			c.errs.add(p.Pos, "parameter %s of %s.%s %s", label, a.Name, b.Name, fault)
		} else if len(p.Type.heapPaths()) > maxHeapPaths {
			c.errs.add(p.Pos, "parameter %s of %s.%s holds more than %d object pointers: put them into an object", label, a.Name, b.Name, maxHeapPaths)
		}
	}
	if b.ResultMode == Iso {
		c.errs.add(b.Pos, "result of %s.%s cannot be iso: several may read a future", a.Name, b.Name)
	}
	if b.Result == nil || b.Result.isObjectPointer() {
		return
	}
	fault := cmp.Or(contextIn(b.Result), c.messageFault(b.Result, c.pkg.Path))
	switch {
	case b.Result.has(heapRole):
		fault = "is a gc." + b.Result.resolve().name + ": not supported as a result; put it into an object and return the object"
	case fault == "" && b.Result.heapPaths() != nil:
		fault = "holds object pointers inside a value: not supported as a result; return one object"
	}
	if fault == "" {
		fault = modeFault(b.Result, b.ResultMode)
	}
	if fault != "" {
		c.errs.add(b.Pos, "result of %s.%s %s", a.Name, b.Name, fault)
	}
}

// resolveIn is resolve together with the package whose names are visible in
// the struct that t stands for.
func resolveIn(t *Type, owner string) (*Type, string) {
	for t != nil && t.kind == namedKind && t.role == plainRole {
		owner = t.path
		if t.under == nil {
			return nil, owner
		}
		t = t.under()
	}
	return t, owner
}

func (c *checker) visible(f Field, owner string) bool {
	return owner == c.pkg.Path || token.IsExported(f.Name)
}

const contextFault = "is or holds an execution context: it belongs to the strand that runs, take it from cctx"

// contextIn says that a value of t gives access to an execution context, or "".
func contextIn(t *Type) string {
	if t.reachesContext(seen{}) {
		return contextFault
	}
	return ""
}

// messageFault says why a message cannot carry a value of t, contexts apart, or "".
func (c *checker) messageFault(t *Type, owner string) string {
	r, owner := resolveIn(t, owner)
	if r == nil || r.isHeapPointer() {
		return ""
	}
	switch r.role {
	case objectRole:
		if r.under != nil && r.under().kind == rawKind {
			return fmt.Sprintf("is or holds the interface %s, behind which are heap objects that nobody could copy for another actor: use a pointer to an object type", r.in(c.pkg.Path))
		}
		return fmt.Sprintf("is or holds the object %s by value: use *%[1]s", r.in(c.pkg.Path))
	case handleRole, futureRole:
		return ""
	}
	switch r.kind {
	case pointerKind, sliceKind, mapKind, chanKind:
		if r.reaches(seen{}) {
			return fmt.Sprintf("has heap objects behind %s, where they cannot be copied for another actor: pass the objects themselves, or an object that links them", t.in(c.pkg.Path))
		}
	case arrayKind:
		if r.len > 0 {
			return c.messageFault(r.elem, owner)
		}
	case structKind:
		for _, f := range r.fields {
			if fault := c.messageFault(f.Type, owner); fault != "" {
				return fault
			}
			if f.Name != "_" && !c.visible(f, owner) && f.Type.heapPaths() != nil {
				return fmt.Sprintf("has a heap object in field %s of %s, which is not exported: it cannot be copied for another actor", f.Name, owner)
			}
		}
	}
	return ""
}

// stateFault says why an actor cannot hold a value of t, contexts apart, or "".
func (c *checker) stateFault(t *Type, owner string, s seen) string {
	r, owner := resolveIn(t, owner)
	if r == nil || s.again(r) || r.isHeapPointer() {
		return ""
	}
	switch r.role {
	case objectRole:
		return fmt.Sprintf("is or holds the object %s by value: use *%[1]s, objects live in the actor's heap", r.in(c.pkg.Path))
	case handleRole, futureRole:
		return ""
	}
	switch r.kind {
	case pointerKind, chanKind:
		if r.reaches(seen{}) {
			return fmt.Sprintf("cannot be traced: heap objects are behind %s; hold them in the actor's state directly, or make the type an object", t.in(c.pkg.Path))
		}
	case arrayKind, sliceKind:
		return c.stateFault(r.elem, owner, s)
	case mapKind:
		if fault := c.stateFault(r.key, owner, s); fault != "" {
			return fault
		}
		return c.stateFault(r.elem, owner, s)
	case structKind:
		for _, f := range r.fields {
			if fault := c.stateFault(f.Type, owner, s); fault != "" {
				return fault
			}
			if f.Name != "_" && !c.visible(f, owner) && f.Type.traced(seen{}) {
				return fmt.Sprintf("cannot be traced: a heap object is in field %s of a struct of %s, which is not exported", f.Name, owner)
			}
		}
	}
	return ""
}

func (c *checker) objectField(o *Object, f Field) {
	if f.Type == nil || formOf(f.Type) != scalarForm {
		if f.Type != nil && formOf(f.Type) == arrayForm && f.Type.resolve().len > maxArray {
			c.errs.add(f.Pos, "field %s of object %s has more than %d object pointers: link objects instead", f.Name, o.Name, maxArray)
		}
		return
	}
	if fault := c.objectFault(f.Type); fault != "" {
		c.errs.add(f.Pos, "field %s of object %s %s", f.Name, o.Name, fault)
	}
}

// maxArray bounds an array of object pointers in an object, whose descriptor lists each; picked, not measured.
const maxArray = 1024

// objectFault says why an object cannot hold a value of t, which is no heap
// pointer and no array of them, or "".
func (c *checker) objectFault(t *Type) string {
	const remedy = "objects hold numbers, arrays and structs of them, pointers to objects, gc.Slice"
	r := t.resolve()
	if r == nil {
		return fmt.Sprintf("has type %s, of which nothing is known: %s", t.in(c.pkg.Path), remedy)
	}
	intoGo := func(what string) string { return fmt.Sprintf("points into Go's heap (%s): %s", what, remedy) }
	switch r.role {
	case objectRole:
		return fmt.Sprintf("is the object %s by value: use *%[1]s", r.in(c.pkg.Path))
	case handleRole:
		return intoGo("handle " + t.in(c.pkg.Path))
	case futureRole:
		return intoGo("future " + t.in(c.pkg.Path))
	case contextRole:
		return contextFault
	}
	switch r.kind {
	case basicKind:
		if r.name == "string" || r.name == "unsafe.Pointer" {
			return intoGo(r.name)
		}
	case pointerKind:
		fault := intoGo(t.in(c.pkg.Path))
		if r.elem.kind == namedKind && r.elem.path == c.pkg.Path && r.elem.is(structKind) {
			fault += fmt.Sprintf("; if %s is to be one, write %s%s above it", r.elem.in(c.pkg.Path), annotationPrefix, objectAnnotation)
		}
		return fault
	case sliceKind:
		return intoGo("slice " + t.in(c.pkg.Path))
	case mapKind:
		return intoGo("map " + t.in(c.pkg.Path))
	case chanKind:
		return intoGo("channel " + t.in(c.pkg.Path))
	case rawKind:
		return intoGo("function or interface " + t.in(c.pkg.Path))
	case arrayKind:
		return c.partFault(r.elem, "an element")
	case structKind:
		for _, f := range r.fields {
			if fault := c.partFault(f.Type, "field "+f.Name); fault != "" {
				return fault
			}
		}
	}
	return ""
}

// partFault is objectFault for a part of a field, in which heap pointers are not supported.
func (c *checker) partFault(t *Type, what string) string {
	if formOf(t) != scalarForm {
		return fmt.Sprintf("has an object pointer inside (%s): not supported, make it a field of the object itself", what)
	}
	fault := c.objectFault(t)
	if fault != "" {
		fault = "has " + what + " that " + fault
	}
	return fault
}
