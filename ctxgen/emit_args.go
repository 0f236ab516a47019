package ctxgen

import (
	"fmt"

	"github.com/dave/jennifer/jen"
)

// packSlots writes the fields of a message literal:
//
//	W0: uint64(amount), W1: uint64(len(owner)), P0: unsafe.Pointer(unsafe.StringData(owner))
func (e *emitter) packSlots(d *dispatch, params []string) []jen.Code {
	layout, _ := slots(d.behaviour.Params, d.ask)
	var words, pointers []jen.Code
	word := func(i int, x jen.Code) { words = append(words, jen.Id(fmt.Sprintf("W%d", i)).Op(":").Add(x)) }
	point := func(i int, x jen.Code) { pointers = append(pointers, jen.Id(fmt.Sprintf("P%d", i)).Op(":").Add(x)) }
	for i, s := range layout {
		x := func() *jen.Statement { return jen.Id(params[i]) }
		t := d.behaviour.Params[i].Type
		uint64Of := func(x jen.Code) jen.Code { return jen.Uint64().Call(x) }
		switch s.carriage {
		case intCarriage:
			word(s.word, as("uint64", t, x()))
		case boolCarriage:
			word(s.word, uint64Of(jen.Op("*").Parens(jen.Op("*").Uint8()).Call(pointer(jen.Op("&").Add(x())))))
		case float64Carriage:
			word(s.word, jen.Qual("math", "Float64bits").Call(as("float64", t, x())))
		case float32Carriage:
			word(s.word, uint64Of(jen.Qual("math", "Float32bits").Call(as("float32", t, x()))))
		case stringCarriage:
			word(s.word, uint64Of(jen.Len(x())))
			point(s.pointer, pointer(jen.Qual("unsafe", "StringData").Call(as("string", t, x()))))
		case pointerCarriage:
			point(s.pointer, pointer(x()))
		case wordCarriage:
			point(s.pointer, jen.Op("*").Parens(jen.Op("*").Qual("unsafe", "Pointer")).Call(pointer(jen.Op("&").Add(x()))))
		}
	}
	return append(words, pointers...)
}

// unpackSlots writes the variables of arguments that come in a message:
//
//	amount := int64(m.W0)
//	owner := unsafe.String((*byte)(m.P0), int(m.W1))
//	to := *(*Account)(unsafe.Pointer(&m.P1))
func (e *emitter) unpackSlots(d *dispatch, m string, params []string) []jen.Code {
	layout, _ := slots(d.behaviour.Params, d.ask)
	var out []jen.Code
	for i, s := range layout {
		t := d.behaviour.Params[i].Type
		word := func() *jen.Statement { return jen.Id(m).Dot(fmt.Sprintf("W%d", s.word)) }
		point := func() *jen.Statement { return jen.Id(m).Dot(fmt.Sprintf("P%d", s.pointer)) }
		var x jen.Code
		switch s.carriage {
		case intCarriage:
			x = e.convertFrom("uint64", t, word())
		case boolCarriage:
			x = e.convertFrom("bool", t, word().Op("!=").Lit(0))
		case float64Carriage:
			x = e.convertFrom("float64", t, jen.Qual("math", "Float64frombits").Call(word()))
		case float32Carriage:
			x = e.convertFrom("float32", t, jen.Qual("math", "Float32frombits").Call(jen.Uint32().Call(word())))
		case stringCarriage:
			x = e.convertFrom("string", t, jen.Qual("unsafe", "String").Call(jen.Parens(jen.Op("*").Byte()).Call(point()), jen.Int().Call(word())))
		case pointerCarriage:
			x = e.convertFrom("unsafe.Pointer", t, point())
		case wordCarriage:
			x = jen.Op("*").Parens(jen.Op("*").Add(e.typ(t))).Call(pointer(jen.Op("&").Add(point())))
		}
		out = append(out, jen.Id(params[i]).Op(":=").Add(x))
	}
	return out
}

// packArgs writes the filling of an argument struct; heap objects are replaced
// by copies, or shared, or given away, so that the struct never holds the sender's
// after the send:
//
//	args := accountMergePool.Get()
//	args.from, args.log, args.rates, args.tree = from, log, rates, tree
//	args.graph = gc.CopyOut(ctx, (*unsafe.Pointer)(unsafe.Pointer(&args.log)))
//	args.graph = gc.ShareOut(ctx, args.graph, (*unsafe.Pointer)(unsafe.Pointer(&args.rates)))
//	args.graph = gc.MoveOut(ctx, args.graph, (*unsafe.Pointer)(unsafe.Pointer(&args.tree)))
func (e *emitter) packArgs(d *dispatch, args string, params []string, ctx string) []jen.Code {
	var left, right []jen.Code
	var slots [len(modes)][]jen.Code
	for i, p := range d.behaviour.Params {
		field := jen.Id(args).Dot(d.args.fields[i])
		left = append(left, field)
		right = append(right, jen.Id(params[i]))
		for _, h := range p.Type.heapPaths() {
			slots[p.Mode] = append(slots[p.Mode], jen.Parens(jen.Op("*").Qual("unsafe", "Pointer")).Call(pointer(jen.Op("&").Add(follow(field, h.steps)))))
		}
	}
	body := []jen.Code{
		jen.Id(args).Op(":=").Id(d.args.pool).Dot("Get").Call(),
		jen.List(left...).Op("=").List(right...),
	}
	fragment := jen.Nil()
	for _, m := range []struct {
		slots []jen.Code
		out   string
	}{{slots[Copy], "CopyOut"}, {slots[Val], "ShareOut"}, {slots[Iso], "MoveOut"}} {
		if m.slots == nil {
			continue
		}
		call := []jen.Code{jen.Id(ctx)}
		if m.out != "CopyOut" {
			call = append(call, fragment)
		}
		fragment = jen.Id(args).Dot(d.args.fragment)
		body = append(body, fragment.Clone().Op("=").Qual(gcPath, m.out).Call(append(call, m.slots...)...))
	}
	return body
}

// unpackArgs writes the variables of arguments that come in a struct:
//
//	args := (*accountMergeArgs)(m.P0)
//	gc.Adopt(ctx, args.graph)
//	from, log := args.from, args.log
//	accountMergePool.Put(args)
func (e *emitter) unpackArgs(d *dispatch, m, ctx, args string, params []string) []jen.Code {
	body := []jen.Code{jen.Id(args).Op(":=").Parens(jen.Op("*").Id(d.args.typ)).Call(jen.Id(m).Dot("P0"))}
	if d.args.fragment != "" {
		body = append(body, jen.Qual(gcPath, "Adopt").Call(jen.Id(ctx), jen.Id(args).Dot(d.args.fragment)))
	}
	var left, right []jen.Code
	for i := range params {
		left = append(left, jen.Id(params[i]))
		right = append(right, jen.Id(args).Dot(d.args.fields[i]))
	}
	return append(body,
		jen.List(left...).Op(":=").List(right...),
		jen.Id(d.args.pool).Dot("Put").Call(jen.Id(args)),
	)
}

// follow writes the part of x that the steps lead to.
func follow(x *jen.Statement, steps []step) *jen.Statement {
	x = x.Clone()
	for _, s := range steps {
		if s.field != "" {
			x.Dot(s.field)
		} else {
			x.Index(jen.Lit(int(s.index)))
		}
	}
	return x
}
