package ctxgen

import "go/token"

// A Body builds the statements of a function, behaviour or closure, in order. Blocks are functions that are called at
// once and add the statements of the block:
//
//	b.If(cond, func() { b.Return(x) }, nil)
//
// Which calls switch is known from their effect. From it follow, when the program is emitted, the load of the context,
// its reloads, and the frames that hold heap pointers; a compiler does not ask for them.
type Body struct {
	program   *Program
	sig       Signature
	fn        *Function
	outer     *Body // of a closure
	main      bool
	behaviour bool // dispatch holds the parameters
	receiver  *Local
	params    []*Local
	block     *[]*stmt
	top       []*stmt
	pos       token.Position
	nest      []*nesting
}

// A Local is a variable or parameter of a body.
type Local struct {
	body     *Body
	wanted   string
	name     string // chosen when the program is emitted
	typ      *Type
	pos      token.Position
	assigned bool
	read     bool
	known    bool // declared already, where emission is
	index    int  // among the tracked ones of its function; 0: none
	paths    []heapPath
}

type stmt struct {
	kind    stmtKind
	pos     token.Position
	locals  []*Local
	targets []*Expr
	expr    *Expr
	exprs   []*Expr
	blocks  [][]*stmt
	cases   [][]*Expr
	nest    *nesting // a loop, or the one that a break leaves
}

type stmtKind uint8

const (
	letStmt stmtKind = iota
	setStmt
	doStmt
	ifStmt
	loopStmt
	switchStmt
	returnStmt
	breakStmt
	continueStmt
)

// nesting is a loop or a switch around a statement.
type nesting struct {
	loop    bool
	post    func()
	label   string
	labeled bool // some break leaves it from inside a switch
	broken  bool // some break leaves it
}

func newBody(p *Program, s Signature) *Body {
	b := &Body{program: p, sig: s, pos: s.Pos}
	b.block = &b.top
	if s.Receiver != nil {
		b.receiver = b.local(s.Receiver.Name, s.Receiver.Type, s.Receiver.Pos)
	}
	for _, param := range s.Params {
		b.params = append(b.params, b.local(param.Name, param.Type, param.Pos))
	}
	return b
}

func (b *Body) local(name string, t *Type, pos token.Position) *Local {
	b.program.wanted[name] = true
	return &Local{body: b, wanted: name, typ: t, pos: pos}
}

// Function is what others call; nil for behaviours and closures.
func (b *Body) Function() *Function { return b.fn }

// At sets the position of the statements that follow.
func (b *Body) At(pos token.Position) *Body {
	b.pos = pos
	return b
}

// Receiver is the state of a behaviour's actor, or a method's object.
func (b *Body) Receiver() *Expr { return b.receiver.expr() }

// Param is a parameter.
func (b *Body) Param(i int) *Expr { return b.params[i].expr() }

func (l *Local) expr() *Expr { return &Expr{op: localOp, typ: l.typ, local: l} }

func (b *Body) add(s *stmt) {
	s.pos = b.pos
	list := *b.block
	if len(list) > 0 && list[len(list)-1].leaves() {
		return // cannot be reached, and Go's vet says so
	}
	*b.block = append(list, s)
}

func (b *Body) in(block func()) []*stmt {
	outer, pos := b.block, b.pos
	var list []*stmt
	b.block = &list
	if block != nil {
		block()
	}
	b.block, b.pos = outer, pos
	return list
}

// Let declares a variable of type t; a nil value is the zero value.
func (b *Body) Let(name string, t *Type, value *Expr) *Expr {
	l := b.local(name, t, b.pos)
	if value == nil {
		value = Zero(t)
	}
	b.add(&stmt{kind: letStmt, locals: []*Local{l}, expr: value})
	return l.expr()
}

// LetAll declares a variable for each result of a call; an empty name drops the result.
func (b *Body) LetAll(names []string, call *Expr) []*Expr {
	if len(names) != len(call.results) {
		panic("ctxgen: as many names as the call has results are needed")
	}
	s := &stmt{kind: letStmt, expr: call}
	var out []*Expr
	for i, name := range names {
		l := b.local(name, call.results[i], b.pos)
		s.locals = append(s.locals, l)
		out = append(out, l.expr())
	}
	b.add(s)
	return out
}

// Set assigns to a variable, a field (Select) or an element (Index). Assignments to fields of objects that hold heap
// pointers call the generated setter.
func (b *Body) Set(target, value *Expr) {
	b.add(&stmt{kind: setStmt, targets: []*Expr{target}, expr: value})
	if target.op == localOp {
		target.local.assigned = true
	}
}

// Do evaluates a call for what it does; results are dropped.
func (b *Body) Do(call *Expr) { b.add(&stmt{kind: doStmt, expr: call}) }

// If runs one of two blocks; otherwise may be nil.
func (b *Body) If(cond *Expr, then, otherwise func()) {
	b.add(&stmt{kind: ifStmt, expr: cond, blocks: [][]*stmt{b.in(then), b.in(otherwise)}})
}

// Loop runs a block while cond holds, for ever if cond is nil; post, if not nil, adds what runs after each round, by
// Continue too, and is called once for each.
func (b *Body) Loop(cond *Expr, post, block func()) {
	n := &nesting{loop: true, post: post}
	b.nest = append(b.nest, n)
	list := b.in(func() {
		block()
		if post != nil {
			post()
		}
	})
	b.nest = b.nest[:len(b.nest)-1]
	b.add(&stmt{kind: loopStmt, expr: cond, blocks: [][]*stmt{list}, nest: n})
}

// A Case is one alternative of Switch; one without values is the default, and comes last.
type Case struct {
	Values []*Expr
	Block  func()
}

// Switch runs the first case that has the value of x. The values must not switch; no case falls through.
func (b *Body) Switch(x *Expr, cases ...Case) {
	s := &stmt{kind: switchStmt, expr: x}
	b.nest = append(b.nest, &nesting{})
	for _, c := range cases {
		s.cases = append(s.cases, c.Values)
		s.blocks = append(s.blocks, b.in(c.Block))
	}
	b.nest = b.nest[:len(b.nest)-1]
	b.add(s)
}

// Return leaves the body with its results.
func (b *Body) Return(results ...*Expr) { b.add(&stmt{kind: returnStmt, exprs: results}) }

// Break leaves the innermost loop.
func (b *Body) Break() { b.leave(breakStmt) }

// Continue begins the next round of the innermost loop.
func (b *Body) Continue() { b.leave(continueStmt) }

func (b *Body) leave(kind stmtKind) {
	inSwitch := false
	for i := len(b.nest) - 1; i >= 0; i-- {
		n := b.nest[i]
		if !n.loop {
			inSwitch = true
			continue
		}
		if kind == continueStmt && n.post != nil {
			n.post()
		}
		if list := *b.block; kind == breakStmt && (len(list) == 0 || !list[len(list)-1].leaves()) {
			n.broken = true
			n.labeled = n.labeled || inSwitch
		}
		b.add(&stmt{kind: kind, nest: n})
		return
	}
	b.add(&stmt{kind: kind}) // reported when the program is emitted
}

// Closure makes a function value of the given effect, Blocking excepted; build fills its body. It may use variables of
// the bodies around it, but none that holds a heap pointer: nothing would trace that. Such a value goes as a parameter.
func (b *Body) Closure(s Signature, build func(*Body)) *Expr {
	if s.Effect == Blocking {
		panic("ctxgen: a closure cannot be declared as blocking")
	}
	if !s.Pos.IsValid() {
		s.Pos = b.pos
	}
	c := newBody(b.program, s)
	c.outer = b
	build(c)
	parts := []any{"func("}
	if s.Effect != Plain {
		parts = append(parts, contextOf(s.Effect), comma(len(s.Params)))
	}
	for i, p := range s.Params {
		parts = append(parts, p.Type, comma(len(s.Params)-1-i))
	}
	parts = append(parts, ") (")
	for i, r := range s.Results {
		parts = append(parts, r, comma(len(s.Results)-1-i))
	}
	e := &Expr{op: closureOp, typ: Raw(append(parts, ")")...), closure: c}
	return e
}

// comma separates what comes after it.
func comma(more int) string {
	if more > 0 {
		return ", "
	}
	return ""
}

// contextOf is the type of the context that a function of the effect takes.
func contextOf(e Effect) *Type {
	ctx := &Type{kind: namedKind, role: contextRole, path: rtPath, name: "Ctx"}
	if e.switches() {
		return Pointer(Pointer(ctx))
	}
	return Pointer(ctx)
}

// leaves reports whether the statement after s cannot be reached, as Go's specification has it.
func (s *stmt) leaves() bool {
	switch s.kind {
	case returnStmt, breakStmt, continueStmt:
		return true
	case ifStmt:
		return leaves(s.blocks[0]) && leaves(s.blocks[1])
	case loopStmt:
		return s.expr == nil && !s.nest.broken
	case switchStmt:
		for _, block := range s.blocks {
			if !leaves(block) {
				return false
			}
		}
		return len(s.cases) > 0 && len(s.cases[len(s.cases)-1]) == 0
	}
	return false
}

func leaves(list []*stmt) bool { return len(list) > 0 && list[len(list)-1].leaves() }
