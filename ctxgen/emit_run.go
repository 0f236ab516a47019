package ctxgen

import "github.com/dave/jennifer/jen"

// run writes the function that the runtime calls for a message. It reads all
// of the message before it calls the behaviour, which may send and so reuse it.
//
//	func runAccountAskDeposit(cctx **rt.Ctx, a *rt.Actor, m *rt.Message) {
//		p := futures.PromiseAt[struct{}](m.P1)
//		amount := int64(m.W0)
//		m.P1 = nil
//		if !p.Wanted() {
//			return
//		}
//		(*accountActor)(unsafe.Pointer(a)).state.Deposit(cctx, amount)
//		_ = p.Settle(*cctx, struct{}{}, nil)
//	}
//
// It does not call the behaviour when the future was cancelled before. The
// answer of one that returns a future is that future's, by p.SettleWith.
//
// With heap objects among the arguments they are adopted, and a frame holds
// them until the behaviour ends. ctx is taken again after the behaviour, which
// may have changed threads:
//
//	func runAccountMerge(cctx **rt.Ctx, a *rt.Actor, m *rt.Message) {
//		ctx := *cctx
//		args := (*accountMergeArgs)(m.P0)
//		m.P0 = nil
//		gc.Adopt(ctx, args.graph)
//		from, log := args.from, args.log
//		accountMergePool.Put(args)
//		f := gc.Push(ctx, log)
//		(*accountActor)(unsafe.Pointer(a)).state.Merge(cctx, from, log)
//		f.Pop(*cctx)
//	}
func (e *emitter) run(n *actorNames, d *dispatch) {
	b := d.behaviour
	locals := e.locals(b.types()...)
	cctx, a, m := locals.take("cctx"), locals.take("a"), locals.take("m")
	ctx, args, promise := locals.take("ctx"), locals.take("args"), locals.take("p")
	value, err := locals.take("v"), locals.take("err")
	params := paramNames(locals, b)
	heap := d.args != nil && d.args.fragment != ""

	var body []jen.Code
	if heap {
		body = append(body, jen.Id(ctx).Op(":=").Op("*").Id(cctx))
	}
	if d.ask {
		body = append(body, jen.Id(promise).Op(":=").Qual(futuresPath, "PromiseAt").Types(e.result(b)).Call(jen.Id(m).Dot("P1")))
	}
	if d.args != nil {
		unpacked := e.unpackArgs(d, m, ctx, args, params)
		body = append(body, unpacked[0], e.release(d, m))
		body = append(body, unpacked[1:]...)
	} else {
		body = append(body, e.unpackSlots(d, m, params)...)
		if code := e.release(d, m); code != nil {
			body = append(body, code)
		}
	}
	if d.ask {
		body = append(body, jen.If(jen.Op("!").Id(promise).Dot("Wanted").Call()).Block(jen.Return()))
	}
	var pops []jen.Code
	if heap {
		var pushes []jen.Code
		pushes, pops = e.frames(b, locals, ctx, params)
		body = append(body, pushes...)
	}
	body = append(body, e.call(n, d, a, cctx, value, err, params))
	settle, settler := d.ask, "Settle"
	if b.ResultMode == Val {
		settler = "SettleVal"
	}
	after := jen.Op("*").Id(cctx)
	if len(pops) > 0 && (settle || len(pops) > 1) {
		body = append(body, jen.Id(ctx).Op("=").Op("*").Id(cctx))
		after = jen.Id(ctx)
	}
	for _, frame := range pops {
		body = append(body, jen.Add(frame).Dot("Pop").Call(after))
	}
	if settle && b.forwards() {
		body = append(body, jen.Id(promise).Dot("SettleWith").Call(after, jen.Id(value), settled(b.Err, err, jen.Nil())))
	} else if settle {
		body = append(body, jen.Id("_").Op("=").Id(promise).Dot(settler).Call(after, settled(b.Result != nil, value, jen.Struct().Values()), settled(b.Err, err, jen.Nil())))
	}
	e.file.Func().Id(d.run).Params(
		jen.Id(cctx).Op("**").Qual(rtPath, "Ctx"), jen.Id(a).Op("*").Qual(rtPath, "Actor"), jen.Id(m).Op("*").Qual(rtPath, "Message"),
	).Block(body...)
	e.file.Line()
}

func settled(has bool, name string, otherwise jen.Code) jen.Code {
	if has {
		return jen.Id(name)
	}
	return otherwise
}

// release writes the release of the message's pointers, so that an old slot keeps nothing alive:
//
//	m.P0, m.P1 = nil, nil
func (e *emitter) release(d *dispatch, m string) jen.Code {
	used := [messagePointers]bool{0: d.args != nil, 1: d.ask}
	if d.args == nil {
		layout, _ := slots(d.behaviour.Params, d.ask)
		for _, s := range layout {
			for i := range s.carriage.pointers() {
				used[s.pointer+i] = true
			}
		}
	}
	var left, right []jen.Code
	for i, name := range []string{"P0", "P1"} {
		if used[i] {
			left = append(left, jen.Id(m).Dot(name))
			right = append(right, jen.Nil())
		}
	}
	if left == nil {
		return nil
	}
	return jen.List(left...).Op("=").List(right...)
}

// frames writes the frames that hold the heap pointers among the arguments, up
// to three in one, and returns them in the order in which they are popped:
//
//	f := gc.Push2(ctx, log, (*byte)(data.Root()))
func (e *emitter) frames(b *Behaviour, locals *scope, ctx string, params []string) (pushes, pops []jen.Code) {
	var roots []jen.Code
	for i, p := range b.Params {
		for _, h := range p.Type.heapPaths() {
			root := follow(jen.Id(params[i]), h.steps)
			if h.typ.has(heapRole) {
				root = jen.Parens(jen.Op("*").Byte()).Call(root.Dot("Root").Call())
			}
			roots = append(roots, root)
		}
	}
	for len(roots) > 0 {
		n := min(3, len(roots))
		f := locals.take("f")
		push := []string{1: "Push", 2: "Push2", 3: "Push3"}[n]
		pushes = append(pushes, jen.Id(f).Op(":=").Qual(gcPath, push).Call(append([]jen.Code{jen.Id(ctx)}, roots[:n]...)...))
		pops = append([]jen.Code{jen.Id(f)}, pops...)
		roots = roots[n:]
	}
	return pushes, pops
}

// call writes the call of the behaviour, and takes its results where somebody waits for them:
//
//	v, err := (*accountActor)(unsafe.Pointer(a)).state.Balance(cctx)
func (e *emitter) call(n *actorNames, d *dispatch, a, cctx, value, err string, params []string) jen.Code {
	b := d.behaviour
	args := []jen.Code{jen.Id(cctx)}
	for i, p := range b.Params {
		arg := jen.Id(params[i])
		if p.Variadic {
			arg.Op("...")
		}
		args = append(args, arg)
	}
	call := jen.Parens(jen.Op("*").Id(n.actor)).Call(pointer(jen.Id(a))).Dot("state").Dot(b.Name).Call(args...)
	var results []jen.Code
	if b.Result != nil {
		results = append(results, jen.Id(value))
	}
	if b.Err {
		results = append(results, jen.Id(err))
	}
	if !d.ask || results == nil {
		return call
	}
	return jen.List(results...).Op(":=").Add(call)
}
