package ctxgen

import (
	"fmt"

	"github.com/dave/jennifer/jen"
)

// actorNames are the identifiers of one actor.
type actorNames struct {
	*Actor
	handle  string
	field   string // of the handle: its only one
	actor   string // struct of runtime part and state
	typ     string // variable of type rt.ActorType
	private string // prefix of what is not exported: account
}

// actor writes an actor from its struct to its last behaviour.
func (e *emitter) actor(a *Actor) {
	n := &actorNames{Actor: a, handle: handleName(a), field: handleField(a), private: lowerFirst(a.Name)}
	n.actor = e.names.take(n.private + "Actor")
	n.typ = e.names.take(n.private + "ActorType")
	e.actorStruct(n)
	e.actorType(n)
	e.handle(n)
	e.given(n)
	var dispatched []dispatch
	if a.New != nil {
		dispatched = append(dispatched, e.newDispatch(n, a.New, false))
	}
	for _, b := range a.Behaviours {
		dispatched = append(dispatched, e.newDispatch(n, b, false), e.newDispatch(n, b, true))
	}
	e.behaviourVars(dispatched)
	args := map[*Behaviour]*argsNames{}
	for _, d := range dispatched {
		if _, fits := slots(d.behaviour.Params, d.ask); !fits && args[d.behaviour] == nil {
			args[d.behaviour] = e.argsStruct(n, d.behaviour)
		}
	}
	if a.New == nil {
		e.spawn(n)
	}
	for i := range dispatched {
		d := &dispatched[i]
		if _, fits := slots(d.behaviour.Params, d.ask); !fits {
			d.args = args[d.behaviour]
		}
		e.send(n, d)
		e.run(n, d)
	}
	e.self(n)
	e.dispatchInit(dispatched)
}

// actorStruct writes what an actor is in Go's memory:
//
//	// accountActor is an actor account: the runtime's part, which must come first, and the state.
//	type accountActor struct {
//		rt.Actor
//		state account
//	}
func (e *emitter) actorStruct(n *actorNames) {
	e.file.Comment(fmt.Sprintf("// %s is an actor %s: the runtime's part, which must come first, and the state.", n.actor, n.Name))
	e.file.Type().Id(n.actor).Struct(jen.Qual(rtPath, "Actor"), jen.Id("state").Id(n.Name))
	e.file.Line()
}

// actorType writes the descriptor, with a trace function if the state has heap pointers:
//
//	var accountActorType = rt.ActorType{Name: "bank.account", Trace: traceAccount}
func (e *emitter) actorType(n *actorNames) {
	fields := []jen.Code{jen.Id("Name").Op(":").Lit(e.pkg.Name + "." + n.Name)}
	trace := ""
	if Struct(n.State...).traced(seen{}) {
		trace = e.names.take("trace" + upperFirst(n.Name))
		fields = append(fields, jen.Id("Trace").Op(":").Id(trace))
	}
	if n.MailboxLimit != 0 {
		fields = append(fields, jen.Id("MailboxLimit").Op(":").Lit(n.MailboxLimit))
	}
	e.file.Var().Id(n.typ).Op("=").Qual(rtPath, "ActorType").Values(fields...)
	e.file.Line()
	if trace != "" {
		e.traceActor(n, trace)
	}
}

// handle writes the handle type:
//
//	// Account is the handle of an actor account. The zero Account refers to no actor.
//	//
//	// (documentation of account)
//	type Account struct{ a *accountActor }
func (e *emitter) handle(n *actorNames) {
	doc(e.file.Group, fmt.Sprintf("%s is the handle of an actor %s. The zero %s refers to no actor: sends to it panic.", n.handle, n.Name, n.handle), n.Doc)
	e.file.Type().Id(n.handle).Struct(jen.Id(n.field).Op("*").Id(n.actor))
	e.file.Line()
}

// given writes what tells checkers, in other packages too, which arguments of the sends are iso, counted from 1 behind the context:
//
//	// EncoreGiven names the arguments that are given away, for encorert vet.
//	func (Account) EncoreGiven(Merge struct{ p2 bool }) {}
func (e *emitter) given(n *actorNames) {
	var sends []jen.Code
	add := func(name string, b *Behaviour) {
		var fields []jen.Code
		for i, p := range b.Params {
			if p.Mode == Iso {
				fields = append(fields, jen.Id(fmt.Sprintf("p%d", i+1)).Bool())
			}
		}
		if fields != nil {
			sends = append(sends, jen.Id(name).Struct(fields...))
		}
	}
	if n.New != nil {
		add(newName(n.Actor), n.New)
	}
	for _, b := range n.Behaviours {
		add(b.Name, b)
	}
	if sends == nil {
		return
	}
	e.file.Comment(fmt.Sprintf("// %s names the arguments that are given away, for encorert vet.", givenName))
	e.file.Func().Params(jen.Id(n.handle)).Id(givenName).Params(sends...).Block()
	e.file.Line()
}

// spawn writes the function that starts an actor without a constructor:
//
//	// NewAccount starts an actor account. A leaf: it never parks and never collects.
//	func NewAccount(ctx *rt.Ctx) Account {
//		a := new(accountActor)
//		rt.Spawn(ctx, &a.Actor, &accountActorType)
//		return Account{a}
//	}
func (e *emitter) spawn(n *actorNames) {
	e.spawnDoc(n, "")
	locals := e.locals()
	ctx, a := locals.take("ctx"), locals.take("a")
	e.file.Func().Id(newName(n.Actor)).Params(jen.Id(ctx).Add(contextPointer())).Id(n.handle).Block(
		append(e.spawnCode(n, ctx, a), jen.Return(jen.Id(n.handle).Values(jen.Id(a))))...)
	e.file.Line()
}

func (e *emitter) spawnDoc(n *actorNames, modes string) {
	source := ""
	if n.New != nil {
		source = n.New.Doc
	}
	doc(e.file.Group, fmt.Sprintf("%s starts an actor %s. A leaf: it never parks and never collects.", newName(n.Actor), n.Name), source, modes)
}

func (e *emitter) spawnCode(n *actorNames, ctx, a string) []jen.Code {
	return []jen.Code{
		jen.Id(a).Op(":=").New(jen.Id(n.actor)),
		jen.Qual(rtPath, "Spawn").Call(jen.Id(ctx), jen.Op("&").Id(a).Dot("Actor"), jen.Op("&").Id(n.typ)),
	}
}

// self writes the method by which an actor gets its own handle:
//
//	// Self returns the handle of the running actor, which must be an account. A leaf.
//	func (*account) Self(ctx *rt.Ctx) Account {
//		return Account{(*accountActor)(unsafe.Pointer(ctx.Self()))}
//	}
func (e *emitter) self(n *actorNames) {
	locals := e.locals()
	ctx := locals.take("ctx")
	e.file.Comment("// Self returns the handle of the running actor, whose state the receiver is. A leaf: it never parks and never collects.")
	e.file.Func().Params(jen.Op("*").Id(n.Name)).Id(selfName).Params(jen.Id(ctx).Add(contextPointer())).Id(n.handle).Block(
		jen.Return(jen.Id(n.handle).Values(jen.Parens(jen.Op("*").Id(n.actor)).Call(pointer(jen.Id(ctx).Dot("Self").Call())))))
	e.file.Line()
}
