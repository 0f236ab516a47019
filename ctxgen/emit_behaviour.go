package ctxgen

import (
	"fmt"

	"github.com/dave/jennifer/jen"
)

// A dispatch is one kind of message: a behaviour sent one way or asked.
type dispatch struct {
	behaviour *Behaviour
	ask       bool
	isNew     bool
	variable  string     // rt.Behaviour
	run       string     // its function
	args      *argsNames // nil: the arguments fit into the message
}

// argsNames are the identifiers of an argument struct.
type argsNames struct {
	typ, pool string
	fields    []string // of the parameters
	fragment  string   // field with the copied heap objects; empty: none
}

// newDispatch names one kind of message.
func (e *emitter) newDispatch(n *actorNames, b *Behaviour, ask bool) dispatch {
	stem := upperFirst(b.Name)
	if ask {
		stem = "Ask" + stem
	}
	return dispatch{
		behaviour: b, ask: ask, isNew: b == n.New,
		variable: e.names.take(n.private + stem),
		run:      e.names.take("run" + upperFirst(n.Name) + stem),
	}
}

// behaviourVars writes the descriptors of an actor's messages. Their Run is set by dispatchInit.
//
//	var (
//		accountDeposit    = rt.Behaviour{Name: "Deposit"}
//		accountAskDeposit = rt.Behaviour{Name: "Deposit", Fail: futures.FailReply}
//	)
func (e *emitter) behaviourVars(dispatched []dispatch) {
	if len(dispatched) == 0 {
		return
	}
	e.file.Var().DefsFunc(func(g *jen.Group) {
		for _, d := range dispatched {
			fields := []jen.Code{jen.Id("Name").Op(":").Lit(d.behaviour.Name)}
			if d.ask {
				fields = append(fields, jen.Id("Fail").Op(":").Qual(futuresPath, "FailReply"))
			}
			g.Id(d.variable).Op("=").Qual(rtPath, "Behaviour").Values(fields...)
		}
	})
	e.file.Line()
}

// dispatchInit connects messages with the functions that run them:
//
//	// Behaviours name methods, which may send and so name behaviours: set here, they make no initialisation cycle.
//	func init() {
//		accountDeposit.Run = runAccountDeposit
//	}
func (e *emitter) dispatchInit(dispatched []dispatch) {
	if len(dispatched) == 0 {
		return
	}
	e.file.Comment("// Behaviours name methods, which may send and so name behaviours: set here, they make no initialisation cycle.")
	e.file.Func().Id("init").Params().BlockFunc(func(g *jen.Group) {
		for _, d := range dispatched {
			g.Id(d.variable).Dot("Run").Op("=").Id(d.run)
		}
	})
	e.file.Line()
}

// argsStruct writes the struct of arguments that do not fit into a message:
//
//	// accountMergeArgs are the arguments of Merge on their way.
//	type accountMergeArgs struct {
//		from  Account
//		log   *Entry
//		graph *gc.Fragment // the objects among them, which belong to no actor
//	}
//
//	var accountMergePool rt.ArgPool[accountMergeArgs]
func (e *emitter) argsStruct(n *actorNames, b *Behaviour) *argsNames {
	stem := n.private + upperFirst(b.Name)
	names := &argsNames{typ: e.names.take(stem + "Args"), pool: e.names.take(stem + "Pool")}
	fields := newScope(nil)
	heap := false
	var code []jen.Code
	for i, p := range b.Params {
		name := fields.take(paramName(p, i))
		names.fields = append(names.fields, name)
		code = append(code, jen.Id(name).Add(e.typ(p.Type)))
		heap = heap || p.Type.heapPaths() != nil
	}
	if heap {
		names.fragment = fields.take("graph")
		code = append(code, jen.Id(names.fragment).Op("*").Qual(gcPath, "Fragment").Comment("the objects among them, which belong to no actor"))
	}
	e.file.Comment(fmt.Sprintf("// %s are the arguments of %s on their way.", names.typ, b.Name))
	e.file.Type().Id(names.typ).Struct(code...)
	e.file.Line()
	e.file.Var().Id(names.pool).Qual(rtPath, "ArgPool").Types(jen.Id(names.typ))
	e.file.Line()
	return names
}

func paramName(p Param, i int) string {
	if p.Name == "" || p.Name == "_" {
		return fmt.Sprintf("arg%d", i+1)
	}
	return p.Name
}

// paramNames chooses the names of a behaviour's parameters in a function.
func paramNames(s *scope, b *Behaviour) []string {
	names := make([]string, len(b.Params))
	for i, p := range b.Params {
		names[i] = s.take(paramName(p, i))
	}
	return names
}

func (b *Behaviour) types() []*Type {
	types := []*Type{b.Result}
	for _, p := range b.Params {
		types = append(types, p.Type)
	}
	return types
}

// result writes what a future of the behaviour is a future of.
func (e *emitter) result(b *Behaviour) *jen.Statement {
	if b.Result == nil {
		return jen.Struct()
	}
	if b.forwards() {
		return e.typ(b.Result.args[0])
	}
	return e.typ(b.Result)
}

// forwards reports whether the answer of the behaviour is that of the future
// which it returns. An alias of that type is a value like others.
func (b *Behaviour) forwards() bool {
	r := b.Result
	return r != nil && r.role == futureRole && r.name == "Future"
}

// send writes what a sender calls: a constructor, a one-way send, or an ask.
//
//	func (h Account) AskDeposit(ctx *rt.Ctx, amount int64) futures.Future[struct{}] {
//		p := futures.NewPromiseFor[struct{}](ctx, (*rt.Actor)(unsafe.Pointer(h.a)), &accountAskDeposit)
//		rt.Send(ctx, (*rt.Actor)(unsafe.Pointer(h.a)), rt.Message{B: &accountAskDeposit, W0: uint64(amount), P1: p.Pointer()})
//		return p.Future()
//	}
//
//	func (h Account) Merge(ctx *rt.Ctx, from Account, log *Entry) {
//		rt.CheckReceiver(ctx, (*rt.Actor)(unsafe.Pointer(h.a)))
//		args := accountMergePool.Get()
//		args.from, args.log = from, log
//		args.graph = gc.CopyOut(ctx, (*unsafe.Pointer)(unsafe.Pointer(&args.log)))
//		rt.Send(ctx, (*rt.Actor)(unsafe.Pointer(h.a)), rt.Message{B: &accountMerge, P0: unsafe.Pointer(args)})
//	}
//
// The address of the actor is taken by conversion, since &h.a.Actor would fault
// on a zero handle before rt.Send can say what is wrong. The receiver is checked
// before objects are copied: nobody would free their copies.
func (e *emitter) send(n *actorNames, d *dispatch) {
	b := d.behaviour
	locals := e.locals(b.types()...)
	params := paramNames(locals, b)
	ctx := locals.take("ctx")
	signature := []jen.Code{jen.Id(ctx).Add(contextPointer())}
	for i, p := range b.Params {
		if p.Variadic {
			signature = append(signature, jen.Id(params[i]).Op("...").Add(e.typ(p.Type.elem)))
		} else {
			signature = append(signature, jen.Id(params[i]).Add(e.typ(p.Type)))
		}
	}
	var body []jen.Code
	var to func() jen.Code
	f := e.file
	switch {
	case d.isNew:
		a := locals.take("a")
		e.spawnDoc(n, b.modesDoc(params))
		f.Func().Id(newName(n.Actor)).Params(signature...).Id(n.handle).BlockFunc(func(g *jen.Group) {
			body = e.spawnCode(n, ctx, a)
			to = func() jen.Code { return jen.Op("&").Id(a).Dot("Actor") }
			body = append(body, e.sendCode(d, locals, params, ctx, to)...)
			body = append(body, jen.Return(jen.Id(n.handle).Values(jen.Id(a))))
			for _, c := range body {
				g.Add(c)
			}
		})
	default:
		h := locals.take("h")
		to = func() jen.Code {
			return jen.Parens(jen.Op("*").Qual(rtPath, "Actor")).Call(pointer(jen.Id(h).Dot(n.field)))
		}
		receiver := jen.Id(h).Id(n.handle)
		if d.ask {
			doc(f.Group, fmt.Sprintf("%s sends %s and returns a future of its %s. A leaf: it never parks and never collects.", askName(b), b.Name, outcome(b)), b.modesDoc(params))
			f.Func().Params(receiver).Id(askName(b)).Params(signature...).Qual(futuresPath, "Future").Types(e.result(b)).Block(
				e.sendCode(d, locals, params, ctx, to)...)
		} else {
			doc(f.Group, b.Doc, fmt.Sprintf("The send %s.%s is one way. A leaf: it never parks and never collects.", n.handle, b.Name), b.modesDoc(params))
			f.Func().Params(receiver).Id(b.Name).Params(signature...).Block(e.sendCode(d, locals, params, ctx, to)...)
		}
	}
	f.Line()
}

func outcome(b *Behaviour) string {
	switch {
	case b.Result != nil && b.Err:
		return "result or error"
	case b.Result != nil:
		return "result"
	case b.Err:
		return "end or error"
	}
	return "end"
}

// sendCode writes the statements of a send from the arguments to the return.
func (e *emitter) sendCode(d *dispatch, locals *scope, params []string, ctx string, to func() jen.Code) []jen.Code {
	var body []jen.Code
	message := []jen.Code{jen.Id("B").Op(":").Op("&").Id(d.variable)}
	if d.args != nil {
		if d.args.fragment != "" && !d.isNew {
			body = append(body, jen.Qual(rtPath, "CheckReceiver").Call(jen.Id(ctx), to()))
		}
		args := locals.take("args")
		body = append(body, e.packArgs(d, args, params, ctx)...)
		message = append(message, jen.Id("P0").Op(":").Add(pointer(jen.Id(args))))
	} else {
		message = append(message, e.packSlots(d, params)...)
	}
	if !d.ask {
		return append(body, jen.Qual(rtPath, "Send").Call(jen.Id(ctx), to(), jen.Qual(rtPath, "Message").Values(message...)))
	}
	p := locals.take("p")
	message = append(message, jen.Id("P1").Op(":").Id(p).Dot("Pointer").Call())
	return append(body,
		jen.Id(p).Op(":=").Qual(futuresPath, "NewPromiseFor").Types(e.result(d.behaviour)).Call(jen.Id(ctx), to(), jen.Op("&").Id(d.variable)),
		jen.Qual(rtPath, "Send").Call(jen.Id(ctx), to(), jen.Qual(rtPath, "Message").Values(message...)),
		jen.Return(jen.Id(p).Dot("Future").Call()),
	)
}
