package ctxgen

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
)

// An Expr is an expression of a body: made by the functions of this file and by methods of Package and Body, immutable,
// and usable in several places. Operands are evaluated from left to right; what may switch is taken out into
// a statement of its own where that is needed, so a compiler nests calls as its language does.
type Expr struct {
	op       exprOp
	typ      *Type   // of the first result; nil: none
	results  []*Type // of a call
	text     string  // literal, operator, name of a field
	args     []*Expr
	local    *Local
	fn       *Function
	typeArgs []*Type
	names    []string // of a composite literal's fields
	closure  *Body
	hoists   bool // must or may become statements: it contains what switches, or Must
	pos      token.Position
}

type exprOp uint8

const (
	literalOp exprOp = iota
	localOp
	unaryOp
	binaryOp
	logicOp
	fieldOp
	indexOp
	callOp
	valueCallOp // of a function value, args[0]
	builtinOp
	convertOp
	compositeOp
	closureOp
	mustOp
	zeroOp
)

// Type returns the type of the expression's value; nil if it has none.
func (e *Expr) Type() *Type { return e.typ }

// At returns the expression with a position, for errors; others have that of their statement.
func (e *Expr) At(pos token.Position) *Expr {
	at := *e
	at.pos = pos
	return &at
}

func newExpr(op exprOp, typ *Type, args ...*Expr) *Expr {
	e := &Expr{op: op, typ: typ, args: args}
	for _, a := range args {
		if a == nil {
			panic("ctxgen: an operand is missing")
		}
		e.hoists = e.hoists || a.hoists
	}
	return e
}

// Int is a constant of an integer type.
func Int(t *Type, v int64) *Expr { return &Expr{op: literalOp, typ: t, text: strconv.FormatInt(v, 10)} }

// Float is a constant of a floating-point type.
func Float(t *Type, v float64) *Expr {
	return &Expr{op: literalOp, typ: t, text: strconv.FormatFloat(v, 'g', -1, 64)}
}

// String is a constant of type string.
func String(s string) *Expr {
	return &Expr{op: literalOp, typ: Basic("string"), text: strconv.Quote(s)}
}

// Bool is true or false.
func Bool(v bool) *Expr {
	return &Expr{op: literalOp, typ: Basic("bool"), text: strconv.FormatBool(v)}
}

// Nil is the nil of a pointer, slice, map, function or interface type.
func Nil(t *Type) *Expr { return &Expr{op: literalOp, typ: t, text: "nil"} }

// Zero is the zero value of any type.
func Zero(t *Type) *Expr { return &Expr{op: zeroOp, typ: t} }

// Unary applies a Go operator, - ! or ^, to x.
func Unary(op string, x *Expr) *Expr {
	switch op {
	case "-", "!", "^":
	default:
		panic(fmt.Sprintf("ctxgen: %q is no unary operator", op))
	}
	e := newExpr(unaryOp, x.typ, x)
	e.text = op
	return e
}

// Binary applies a Go operator to x and y. The right side of && and || is evaluated only where it counts, also if it
// switches.
func Binary(op string, x, y *Expr) *Expr {
	kind, typ := binaryOp, x.typ
	switch op {
	case "+", "-", "*", "/", "%", "&", "|", "^", "&^", "<<", ">>":
	case "==", "!=", "<", "<=", ">", ">=":
		typ = Basic("bool")
	case "&&", "||":
		kind = logicOp
	default:
		panic(fmt.Sprintf("ctxgen: %q is no binary operator", op))
	}
	e := newExpr(kind, typ, x, y)
	e.text = op
	return e
}

// Select is the field called name, of type t, of an object, of the receiver's state or of a struct. As a target of Set it stores
// through the setter where one is needed.
func Select(x *Expr, name string, t *Type) *Expr {
	e := newExpr(fieldOp, t, x)
	e.text = name
	return e
}

// Index is element i, of type t, of an array, slice, string or map.
func Index(x, i *Expr, t *Type) *Expr { return newExpr(indexOp, t, x, i) }

// Len is the length of an array, slice, string or map. That of a gc.Slice is a method, so a foreign function.
func Len(x *Expr) *Expr {
	e := newExpr(builtinOp, Basic("int"), x)
	e.text = "len"
	return e
}

// Append is the slice with more elements.
func Append(slice *Expr, elements ...*Expr) *Expr {
	e := newExpr(builtinOp, slice.typ, append([]*Expr{slice}, elements...)...)
	e.text = "append"
	return e
}

// Convert is x as a value of type t.
func Convert(t *Type, x *Expr) *Expr { return newExpr(convertOp, t, x) }

// A FieldValue is one field of a struct literal.
type FieldValue struct {
	Name  string
	Value *Expr
}

// Composite is a literal of a struct type; objects are made by Package.New.
func Composite(t *Type, fields ...FieldValue) *Expr {
	var args []*Expr
	var names []string
	for _, f := range fields {
		args, names = append(args, f.Value), append(names, f.Name)
	}
	e := newExpr(compositeOp, t, args...)
	e.names = names
	return e
}

// Call calls a function; the first argument of a method is its receiver. The context goes without saying.
func Call(f *Function, args ...*Expr) *Expr { return CallGeneric(f, nil, args...) }

// CallGeneric is Call with type arguments; nil leaves them to Go's inference.
func CallGeneric(f *Function, typeArgs []*Type, args ...*Expr) *Expr {
	e := newExpr(callOp, nil, args...)
	e.fn, e.typeArgs, e.results = f, typeArgs, f.Results
	if len(f.Results) > 0 {
		e.typ = f.Results[0]
	}
	if f.Effect == Blocking {
		e.results = append(slices.Clip(f.Results), errorType)
		e.typ = e.results[0]
	}
	e.hoists = e.hoists || f.Effect.switches()
	return e
}

// CallValue calls a function value, as Body.Closure makes them, with the given effect, Blocking excepted.
func CallValue(x *Expr, effect Effect, results []*Type, args ...*Expr) *Expr {
	if effect == Blocking {
		panic("ctxgen: a function value cannot block: call a foreign function")
	}
	e := newExpr(valueCallOp, nil, append([]*Expr{x}, args...)...)
	e.fn, e.results = &Function{Name: "function value", Effect: effect}, results
	if len(results) > 0 {
		e.typ = results[0]
	}
	e.hoists = e.hoists || effect.switches()
	return e
}

// Must is the first of a call's two results; the body panics with the second, an error, if that is not nil.
func Must(call *Expr) *Expr {
	if len(call.results) != 2 {
		panic("ctxgen: Must needs a call with two results")
	}
	e := newExpr(mustOp, call.typ, call)
	e.hoists = true
	return e
}

var errorType = Raw("error")

// Get waits for a future and stops the actor meanwhile; results are its value and an error.
func Get(future *Expr) *Expr { return wait("Get", Switching, future) }

// Await waits for a future, and lets other behaviours of the actor run meanwhile; results are its value and an error.
func Await(future *Expr) *Expr { return wait("Await", Switching, future) }

func wait(name string, effect Effect, future *Expr) *Expr {
	t := future.typ
	if t == nil || t.role != futureRole || len(t.args) != 1 {
		panic("ctxgen: " + name + " needs a future")
	}
	return Call(&Function{Name: name, Method: true, Effect: effect, Results: []*Type{t.args[0], errorType}}, future)
}

// TryGet does not wait; results are the value, an error, and whether they are there.
func TryGet(future *Expr) *Expr {
	e := wait("TryGet", Leaf, future)
	e.results = append(e.results, Basic("bool"))
	return e
}

// Suspend lets messages of the actor run that wait now, and goes on then; the result is an error.
func Suspend() *Expr {
	return Call(&Function{Path: futuresPath, Name: "Suspend", Effect: Switching, Results: []*Type{errorType}})
}

// Safepoint collects the actor's heap if that is due: for long loops without calls that switch.
func Safepoint() *Expr { return Call(&Function{Path: gcPath, Name: "Safepoint", Effect: Switching}) }

// Send sends a message to an actor, one way.
func Send(b *Behaviour, handle *Expr, args ...*Expr) *Expr {
	return Call(&Function{Name: b.Name, Method: true, Effect: Leaf, Params: b.Params, Pos: b.Pos}, append([]*Expr{handle}, args...)...)
}

// Ask sends a message to an actor; the result is the future of its answer.
func Ask(b *Behaviour, handle *Expr, args ...*Expr) *Expr {
	answer := b.Result
	switch {
	case answer == nil:
		answer = Struct()
	case b.forwards():
		answer = answer.args[0]
	}
	return Call(&Function{Name: askName(b), Method: true, Effect: Leaf, Params: b.Params, Results: []*Type{FutureOf(answer)}, Pos: b.Pos},
		append([]*Expr{handle}, args...)...)
}

// HandleOf returns the handle type of one of the package's actors.
func (p *Package) HandleOf(a *Actor) *Type { return HandleOf(p.Path, handleName(a)) }

// PointerTo returns the type of pointers to one of the package's objects.
func (p *Package) PointerTo(o *Object) *Type { return ObjectPointer(p.Path, o.Name) }

// Spawn starts an actor of the package; the result is its handle.
func (p *Package) Spawn(a *Actor, args ...*Expr) *Expr {
	f := &Function{Path: p.Path, Name: newName(a), Effect: Leaf, Results: []*Type{p.HandleOf(a)}, Pos: a.Pos}
	if a.New != nil {
		f.Params = a.New.Params
	}
	return Call(f, args...)
}

// Self is the handle of the running actor; receiver is the state, Body.Receiver.
func (p *Package) Self(a *Actor, receiver *Expr) *Expr {
	return Call(&Function{Name: selfName, Method: true, Effect: Leaf, Results: []*Type{p.HandleOf(a)}}, receiver)
}

// New makes an object of the package in the running actor's heap, with a value for each of its fields.
func (p *Package) New(o *Object, values ...*Expr) *Expr {
	f := &Function{Path: p.Path, Name: constructorName(o), Effect: Leaf, Results: []*Type{p.PointerTo(o)}, Pos: o.Pos}
	for _, field := range o.Fields {
		if field.Name != "_" {
			f.Params = append(f.Params, Param{Name: field.Name, Type: field.Type})
		}
	}
	return Call(f, values...)
}
