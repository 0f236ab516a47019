package ctxgen

import (
	"fmt"

	"github.com/dave/jennifer/jen"
)

// traceActor writes the trace function of an actor's state, and those of the struct types in it:
//
//	func traceAccount(a *rt.Actor, t *gc.Tracer) {
//		s := &(*accountActor)(unsafe.Pointer(a)).state
//		t.Mark(unsafe.Pointer(s.root))
//		for i0 := range s.slots {
//			t.Mark(unsafe.Pointer(s.slots[i0]))
//		}
//	}
func (e *emitter) traceActor(n *actorNames, name string) {
	w := e.tracing()
	a := w.locals.take("a")
	s := w.locals.take("s")
	body := []jen.Code{jen.Id(s).Op(":=").Op("&").Parens(jen.Op("*").Id(n.actor)).Call(pointer(jen.Id(a))).Dot("state")}
	body = append(body, w.fields(jen.Id(s), n.State)...)
	e.file.Func().Id(name).Params(jen.Id(a).Op("*").Qual(rtPath, "Actor"), jen.Id(w.tracer).Op("*").Qual(gcPath, "Tracer")).Block(body...)
	e.file.Line()
	for len(e.queue) > 0 {
		t := e.queue[0]
		e.queue = e.queue[1:]
		e.traceStruct(t)
	}
}

// traceStruct writes the trace function of a named struct type:
//
//	func tracePair(s *pair, t *gc.Tracer) {
//		t.Mark(unsafe.Pointer(s.left))
//	}
func (e *emitter) traceStruct(t *Type) {
	w := e.tracing()
	s := w.locals.take("s")
	e.file.Func().Id(e.traces[t.identity()]).Params(jen.Id(s).Op("*").Add(e.typ(t)), jen.Id(w.tracer).Op("*").Qual(gcPath, "Tracer")).Block(
		w.fields(jen.Id(s), t.resolve().fields)...)
	e.file.Line()
}

// traceFunc returns the name of a named struct type's trace function and sees to it that it is written.
func (e *emitter) traceFunc(t *Type) string {
	key := t.identity()
	if e.traces[key] == "" {
		e.traces[key] = e.names.take("trace" + upperFirst(t.name) + "Fields")
		e.queue = append(e.queue, t)
	}
	return e.traces[key]
}

// tracing writes the statements of one trace function.
type tracing struct {
	*emitter
	tracer string
	locals *scope
}

func (e *emitter) tracing() *tracing {
	w := &tracing{emitter: e, locals: e.locals()}
	w.tracer = w.locals.take("t")
	return w
}

func (w *tracing) mark(p jen.Code) jen.Code { return jen.Id(w.tracer).Dot("Mark").Call(p) }

// fields traces the fields of the struct x.
func (w *tracing) fields(x *jen.Statement, fields []Field) []jen.Code {
	var out []jen.Code
	for _, f := range fields {
		if f.Name != "_" && f.Type.traced(seen{}) {
			out = append(out, w.value(x.Clone().Dot(f.Name), f.Type)...)
		}
	}
	return out
}

// value traces x, which can be addressed and is named by code that may be repeated.
func (w *tracing) value(x *jen.Statement, t *Type) []jen.Code {
	r := t.resolve()
	switch {
	case r.isObjectPointer():
		return []jen.Code{w.mark(pointer(x))}
	case r.role == heapRole:
		return []jen.Code{w.mark(x.Clone().Dot("Root").Call())}
	}
	switch r.kind {
	case structKind:
		if t.kind != namedKind {
			return w.fields(x, r.fields)
		}
		return []jen.Code{jen.Id(w.traceFunc(t)).Call(jen.Op("&").Add(x), jen.Id(w.tracer))}
	case arrayKind:
		i := w.locals.take("i")
		return []jen.Code{jen.For(jen.Id(i).Op(":=").Range().Add(x)).Block(w.value(x.Clone().Index(jen.Id(i)), r.elem)...)}
	case sliceKind:
		// Up to the capacity: the actor may extend the slice over what it has cut off.
		all, i := w.locals.take("all"), w.locals.take("i")
		return []jen.Code{
			jen.Id(all).Op(":=").Add(x).Index(jen.Empty(), jen.Cap(x.Clone())),
			jen.For(jen.Id(i).Op(":=").Range().Id(all)).Block(w.value(jen.Id(all).Index(jen.Id(i)), r.elem)...),
		}
	}
	// A map: its keys, its values, or both.
	k, v := jen.Id("_"), jen.Null()
	var body []jen.Code
	if r.key.traced(seen{}) {
		k = jen.Id(w.locals.take("k"))
		body = append(body, w.value(k, r.key)...)
	}
	if r.elem.traced(seen{}) {
		name := w.locals.take("v")
		v = jen.Op(",").Id(name)
		body = append(body, w.value(jen.Id(name), r.elem)...)
	}
	return []jen.Code{jen.For(k.Clone().Add(v).Op(":=").Range().Add(x)).Block(body...)}
}

// identity tells named types apart: a named type, with the paths of the packages.
func (t *Type) identity() string {
	text := ""
	t.references(func(u *Type) { text += fmt.Sprintf("%d:%q.%q[%d]%d ", u.kind, u.path, u.name, u.len, len(u.args)) })
	return text
}
