package ctxgen

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// translator turns what go/types found in pass 2 into the model.
type translator struct {
	fset *token.FileSet
	pkg  *types.Package
	errs *Errors
	// under caches what named types stand for, so that a recursive type becomes a cyclic graph.
	under *typeutil.Map // types.Type -> *Type
}

// translate fills in the types that scan left out of u.pkg, as far as pkg has
// them: the type checker has reported the others.
func translate(fset *token.FileSet, u *unit, pkg *types.Package, errs *Errors) {
	t := &translator{fset: fset, pkg: pkg, errs: errs, under: new(typeutil.Map)}
	for _, a := range u.pkg.Actors {
		a.State = t.fields(t.structOf(a.Name))
	}
	for _, o := range u.pkg.Objects {
		o.Fields = t.fields(t.structOf(o.Name))
	}
	for _, m := range u.funcs {
		named, ok := pkg.Scope().Lookup(m.actor.actor.Name).(*types.TypeName)
		if !ok {
			continue
		}
		object, _, _ := types.LookupFieldOrMethod(named.Type(), true, pkg, m.behaviour.Name)
		if method, ok := object.(*types.Func); ok && method.Signature().Params().Len() > 0 {
			t.behaviour(m, method.Signature())
		}
	}
	u.pkg.Imports = map[string]string{}
	for _, imported := range pkg.Imports() {
		u.pkg.Imports[imported.Path()] = imported.Name()
	}
}

func (t *translator) structOf(name string) *types.Struct {
	if named, ok := t.pkg.Scope().Lookup(name).(*types.TypeName); ok {
		if s, ok := named.Type().Underlying().(*types.Struct); ok {
			return s
		}
	}
	return types.NewStruct(nil, nil)
}

func (t *translator) behaviour(m *methodDecl, sig *types.Signature) {
	b := m.behaviour
	context := sig.Params().At(0)
	if !isContextCell(context.Type()) {
		if isInvalid(context.Type()) {
			return
		}
		t.errs.add(b.Pos, "%s must take the execution context first: func (%s) %s(cctx **rt.Ctx, ...), not %s",
			b.Name, receiverText(m.decl), b.Name, types.TypeString(context.Type(), types.RelativeTo(t.pkg)))
		return
	}
	for i := 1; i < sig.Params().Len(); i++ {
		p := sig.Params().At(i)
		b.Params = append(b.Params, Param{
			Name: p.Name(), Type: t.typ(p.Type(), p.Pos()), Pos: t.fset.Position(p.Pos()),
			Variadic: sig.Variadic() && i == sig.Params().Len()-1, Mode: m.modes[p.Name()],
		})
	}
	if e, _, _ := resultsOf(m.decl.Type); e != nil && sig.Results().Len() > 0 {
		b.Result = t.typ(sig.Results().At(0).Type(), sig.Results().At(0).Pos())
		b.ResultMode = m.modes[resultWord]
	}
}

// isContextCell reports whether t is **rt.Ctx.
func isContextCell(t types.Type) bool {
	for range 2 {
		p, ok := types.Unalias(t).(*types.Pointer)
		if !ok {
			return false
		}
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && isIn(named.Obj(), rtPath, "Ctx")
}

// isInvalid reports whether t is what the type checker gives to a pointer to something unknown.
func isInvalid(t types.Type) bool {
	for p, ok := t.(*types.Pointer); ok; p, ok = t.(*types.Pointer) {
		t = p.Elem()
	}
	return t == types.Typ[types.Invalid]
}

func isIn(o types.Object, path, name string) bool {
	return o.Pkg() != nil && o.Pkg().Path() == path && o.Name() == name
}

func (t *translator) fields(s *types.Struct) []Field {
	fields := make([]Field, s.NumFields())
	for i := range fields {
		f := s.Field(i)
		fields[i] = Field{Name: f.Name(), Type: t.typ(f.Type(), f.Pos()), Embedded: f.Embedded(), Tag: s.Tag(i), Pos: t.fset.Position(f.Pos())}
	}
	return fields
}

// typ translates u; pos is where it was written.
func (t *translator) typ(u types.Type, pos token.Pos) *Type {
	switch u := u.(type) {
	case *types.Basic:
		return basic(u)
	case *types.Alias:
		if u.Obj().Pkg() == nil { // any
			return Raw(u.Obj().Name())
		}
		if !t.nameable(u.Obj()) {
			return t.typ(types.Unalias(u), pos)
		}
		return t.named(u.Obj(), u.TypeArgs(), types.Unalias(u), plainRole, pos)
	case *types.Named:
		if u.Obj().Pkg() == nil { // error, comparable
			return Raw(u.Obj().Name())
		}
		if !t.nameable(u.Obj()) {
			t.errs.add(t.fset.Position(pos), "%s cannot be written in generated code: it is not exported; use an exported type or an alias of it", u)
		}
		return t.named(u.Obj(), u.TypeArgs(), u.Underlying(), roleOf(u), pos)
	case *types.Pointer:
		return Pointer(t.typ(u.Elem(), pos))
	case *types.Slice:
		return Slice(t.typ(u.Elem(), pos))
	case *types.Array:
		return Array(u.Len(), t.typ(u.Elem(), pos))
	case *types.Map:
		return Map(t.typ(u.Key(), pos), t.typ(u.Elem(), pos))
	case *types.Chan:
		direction := map[types.ChanDir]string{types.SendRecv: "chan", types.SendOnly: "chan<-", types.RecvOnly: "<-chan"}[u.Dir()]
		return Chan(direction, t.typ(u.Elem(), pos))
	case *types.Struct:
		return Struct(t.fields(u)...)
	}
	return t.raw(u)
}

func basic(u *types.Basic) *Type {
	switch {
	case u.Kind() == types.UnsafePointer:
		return Basic("unsafe.Pointer")
	case basicSizes[u.Name()] == 0:
		return Basic("int") // invalid: the type checker has said why
	}
	return Basic(u.Name())
}

// nameable reports whether generated code of this package may write o's name.
func (t *translator) nameable(o types.Object) bool { return o.Exported() || o.Pkg() == t.pkg }

func (t *translator) named(o *types.TypeName, args *types.TypeList, under types.Type, r role, pos token.Pos) *Type {
	n := &Type{kind: namedKind, role: r, path: o.Pkg().Path(), name: o.Name()}
	for i := range args.Len() {
		n.args = append(n.args, t.typ(args.At(i), pos))
	}
	n.under = func() *Type {
		if known := t.under.At(under); known != nil {
			return known.(*Type)
		}
		// Not through t.errs: what is behind a name need not be written here.
		deep := &translator{fset: t.fset, pkg: o.Pkg(), errs: &Errors{}, under: t.under}
		known := deep.typ(under, pos)
		t.under.Set(under, known)
		return known
	}
	return n
}

// roleOf recognises what the runtime and generated files declare.
func roleOf(u *types.Named) role {
	switch {
	case isIn(u.Obj(), futuresPath, "Future"), isIn(u.Obj(), futuresPath, "Promise"):
		return futureRole
	case isHeapValue(u.Obj()):
		return heapRole
	case isIn(u.Obj(), rtPath, "Ctx"):
		return contextRole
	}
	if marker, _, _ := types.LookupFieldOrMethod(u, true, u.Obj().Pkg(), markerName); marker != nil {
		if f, ok := marker.(*types.Func); ok && receiverIs(f, u) {
			return objectRole
		}
	}
	// A handle is struct{ a *xActor }, whatever the names, with xActor struct{ rt.Actor; ... }.
	if s, ok := u.Underlying().(*types.Struct); ok && s.NumFields() == 1 {
		if p, ok := s.Field(0).Type().(*types.Pointer); ok {
			if inner, ok := p.Elem().Underlying().(*types.Struct); ok && inner.NumFields() == 2 && inner.Field(0).Embedded() {
				if actor, ok := inner.Field(0).Type().(*types.Named); ok && isIn(actor.Obj(), rtPath, "Actor") {
					return handleRole
				}
			}
		}
	}
	return plainRole
}

// receiverIs reports whether f is declared on *u itself, not on a type that u embeds.
func receiverIs(f *types.Func, u *types.Named) bool {
	recv := f.Signature().Recv().Type()
	if p, ok := recv.(*types.Pointer); ok {
		recv = p.Elem()
	}
	named, ok := types.Unalias(recv).(*types.Named)
	return ok && named.Origin() == u.Origin()
}

// raw writes a function or interface type as text with references to the packages it names.
func (t *translator) raw(u types.Type) *Type {
	const mark = "\x00"
	text := types.TypeString(u, func(p *types.Package) string { return mark + p.Path() + mark })
	pieces := strings.Split(text, mark) // text, path, .Name text, path, ...
	parts := []any{pieces[0]}
	for i := 1; i+1 < len(pieces); i += 2 {
		rest := strings.TrimPrefix(pieces[i+1], ".")
		end := len(rest)
		for j, r := range rest {
			if !token.IsIdentifier("x" + string(r)) {
				end = j
				break
			}
		}
		parts = append(parts, &Type{kind: namedKind, path: pieces[i], name: rest[:end]}, rest[end:])
	}
	return &Type{kind: rawKind, parts: parts}
}
