package ctxgen

import (
	"go/token"
	"slices"
	"strings"
)

// The lowered form of a body: Go statements as text, one call that switches in each at most, and last in it; what the
// analyses of flow.go must know stands beside the text.
type goStep struct {
	kind     stepKind
	text     string // a statement, or the header of a compound one; contextMark stands for the context
	pos      token.Position
	reads    []int // tracked locals
	writes   []int
	context  bool // reads the cached context
	switches bool
	declares []*Local
	blocks   [][]*goStep
	heads    []string // of a switch's cases
	loop     *nesting
	endless  bool

	// What the analyses found.
	hold    []*Local // in a frame across the call
	reload  bool     // after the call; of a loop: after it
	declare bool     // that reload declares the variable
	live    bits     // at the loop's head
	needed  bool     // at the loop's head
	sink    int8     // of a loop: 1 the context is reloaded after it and not in it, 2 not so, 0 not known
}

type stepKind uint8

const (
	plainStep stepKind = iota
	ifStep
	loopStep
	switchStep
	returnStep
	breakStep
	continueStep
)

const contextMark = "\x00"

// frag is the text of an expression with its effects.
type frag struct {
	text    string
	reads   []int
	context bool
	stable  bool // evaluating it later makes no difference
	atom    bool // needs no parentheses
}

func (f *frag) add(g frag) {
	f.reads = append(f.reads, g.reads...)
	f.context = f.context || g.context
}

// lowering makes the lowered form of one body. A closure has one of its own, with the names of those around it.
type lowering struct {
	w       *writer
	body    *Body
	names   *localNames
	out     *[]*goStep
	pos     token.Position
	tracked []*Local // by index; 0 is none
}

func (l *lowering) fault(pos token.Position, format string, args ...any) {
	if !pos.IsValid() {
		pos = l.pos
	}
	l.w.errs.add(pos, format, args...)
}

func (l *lowering) emit(s *goStep) *goStep {
	s.pos = l.pos
	*l.out = append(*l.out, s)
	return s
}

// plain adds a statement made of a fragment.
func (l *lowering) plain(text string, f frag) *goStep {
	return l.emit(&goStep{text: text, reads: f.reads, context: f.context})
}

// declare gives a local its name and says whether the analyses must know it.
func (l *lowering) declare(v *Local) string {
	v.known = true
	v.name = l.names.take(v.wanted)
	v.paths = nil
	v.index = 0
	if v.typ == nil {
		l.fault(v.pos, "variable %s has no type", v.wanted)
		return v.name
	}
	v.paths = v.typ.heapPaths()
	if v.paths == nil && v.typ.traced(seen{}) {
		l.fault(v.pos, "variable %s of type %s holds heap pointers where no frame can hold them: keep it in the actor's state", v.wanted, v.typ.in(l.w.program.Path))
	}
	if v.paths != nil {
		l.tracked = append(l.tracked, v)
		v.index = len(l.tracked)
	}
	return v.name
}

// temp makes a variable that the compiler did not ask for.
func (l *lowering) temp(t *Type) *Local {
	v := l.body.local("t", t, l.pos)
	l.declare(v)
	v.read = true
	return v
}

func (v *Local) tracks() []int {
	if v.index == 0 {
		return nil
	}
	return []int{v.index}
}

// use is a read of the variable.
func (l *lowering) use(v *Local, pos token.Position) frag {
	v.read = true
	switch {
	case !v.known:
		l.fault(pos, "variable %s is used before its declaration or outside of its block", v.wanted)
	case v.body != l.body && len(v.paths) > 0:
		l.fault(pos, "closure uses %s, which holds a heap pointer that nothing would trace: pass it as a parameter", v.wanted)
		return frag{text: v.name, stable: true, atom: true}
	case v.body != l.body && !l.inside(v.body):
		l.fault(pos, "variable %s belongs to another body", v.wanted)
	}
	if v.body != l.body {
		return frag{text: v.name, stable: !v.assigned, atom: true}
	}
	return frag{text: v.name, reads: v.tracks(), stable: true, atom: true}
}

func (l *lowering) inside(b *Body) bool {
	for o := l.body; o != nil; o = o.outer {
		if o == b {
			return true
		}
	}
	return false
}

// block lowers statements into a list of their own; variables are known in it only.
func (l *lowering) block(list []*stmt, before ...func()) []*goStep {
	var out []*goStep
	outer := l.out
	l.out = &out
	for _, f := range before {
		f()
	}
	var declared []*Local
	for _, s := range list {
		l.pos = s.pos
		l.stmt(s)
		declared = append(declared, s.locals...)
	}
	for _, v := range declared {
		v.known = false
	}
	l.out = outer
	return out
}

func (l *lowering) stmt(s *stmt) {
	switch s.kind {
	case letStmt:
		l.let(s)
	case setStmt:
		l.set(s.targets[0], s.expr)
	case doStmt:
		l.do(s.expr)
	case ifStmt:
		l.branch(s)
	case loopStmt:
		l.loop(s)
	case switchStmt:
		l.choose(s)
	case returnStmt:
		l.ret(s)
	case breakStmt, continueStmt:
		if s.nest == nil {
			l.fault(s.pos, "break or continue outside of a loop")
			return
		}
		step := &goStep{kind: breakStep, text: "break", loop: s.nest}
		if s.kind == continueStmt {
			step.kind, step.text = continueStep, "continue"
		} else if s.nest.labeled {
			step.text = "break " + l.label(s.nest)
		}
		l.emit(step)
	}
}

func (l *lowering) label(n *nesting) string {
	if n.label == "" {
		n.label = l.names.take("loop")
	}
	return n.label
}

func (l *lowering) let(s *stmt) {
	if len(s.locals) == 1 && s.expr.op == zeroOp {
		v := s.locals[0]
		name := l.declare(v)
		step := l.plain("var "+name+" "+l.w.typ(v.typ), frag{})
		step.declares, step.writes = s.locals, v.tracks()
		return
	}
	l.checkType(s.expr, s.locals[0].typ)
	if s.expr.op == mustOp || !s.expr.isCall() {
		f := l.expr(s.expr)
		v := s.locals[0]
		name := l.declare(v)
		text := name + " := " + f.text
		if s.expr.op == literalOp || s.expr.op == closureOp || !sameType(v.typ, s.expr.typ) {
			text = "var " + name + " " + l.w.typ(v.typ) + " = " + f.text
		}
		step := l.plain(text, f)
		step.declares, step.writes = s.locals, v.tracks()
		return
	}
	targets := make([]*Local, len(s.locals))
	for i, v := range s.locals {
		if v.wanted != "" {
			targets[i] = v
		}
	}
	l.call(s.expr, targets, true)
}

// isCall reports whether an expression is a call that may have several results or none.
func (e *Expr) isCall() bool { return e.op == callOp || e.op == valueCallOp }

func (l *lowering) set(target, value *Expr) {
	l.checkType(value, target.typ)
	switch target.op {
	case localOp:
		v := target.local
		if v.body == l.body && v.known && value.isCall() && len(value.results) > 0 {
			l.call(value, []*Local{v}, false)
			return
		}
		f := l.expr(value)
		if v.body != l.body || !v.known {
			l.use(v, target.pos)
		}
		step := l.plain(v.name+" = "+f.text, f)
		step.writes = v.tracks()
	case fieldOp:
		l.setField(target, nil, value)
	case indexOp:
		if base := target.args[0]; base.op == fieldOp && base.args[0].isObject() && target.typ.isHeapPointer() {
			l.setField(base, target.args[1], value)
			return
		}
		fs := l.exprs([]*Expr{target.args[0], target.args[1], value})
		f := fs[0]
		f.add(fs[1])
		f.add(fs[2])
		l.plain(fs[0].paren()+"["+fs[1].text+"] = "+fs[2].text, f)
	default:
		l.fault(target.pos, "cannot assign to this expression")
	}
}

func (e *Expr) isObject() bool { return e.typ != nil && e.typ.isObjectPointer() }

// setField stores into a field, or into element index of one that is an array.
func (l *lowering) setField(target, index, value *Expr) {
	x := target.args[0]
	operands := []*Expr{x, value}
	if index != nil {
		operands = []*Expr{x, index, value}
	}
	fs := l.exprs(operands)
	var all frag
	for _, f := range fs {
		all.add(f)
	}
	v := fs[len(fs)-1].text
	switch {
	case !x.isObject() || index == nil && formOf(target.typ) == scalarForm:
		l.plain(fs[0].paren()+"."+target.text+" = "+v, all)
	case index == nil && formOf(target.typ) == arrayForm:
		l.fault(target.pos, "field %s is an array of heap pointers, which is assigned element by element", target.text)
	default:
		l.needContext(Leaf, "the setter of "+target.text)
		all.context = true
		args := contextMark
		if index != nil {
			args += ", " + fs[1].text
		}
		l.plain(fs[0].paren()+"."+setterName(target.text)+"("+args+", "+v+")", all)
	}
}

func (l *lowering) do(e *Expr) {
	switch {
	case e.isCall():
		l.call(e, make([]*Local, len(e.results)), false)
	default:
		f := l.expr(e)
		if e.op != mustOp {
			l.plain("_ = "+f.text, f)
		}
	}
}

func (l *lowering) branch(s *stmt) {
	f := l.expr(s.expr)
	then, otherwise := l.block(s.blocks[0]), l.block(s.blocks[1])
	l.emitAt(s.pos, &goStep{kind: ifStep, text: "if " + f.text, reads: f.reads, context: f.context, blocks: [][]*goStep{then, otherwise}})
}

func (l *lowering) emitAt(pos token.Position, s *goStep) *goStep {
	l.pos = pos
	return l.emit(s)
}

func (l *lowering) loop(s *stmt) {
	step := &goStep{kind: loopStep, text: "for", loop: s.nest, endless: s.expr == nil}
	switch {
	case s.expr == nil:
		step.blocks = [][]*goStep{l.block(s.blocks[0])}
	case s.expr.hoists:
		// Its statements run in each round.
		step.endless = true
		step.blocks = [][]*goStep{l.block(s.blocks[0], func() {
			l.pos = s.pos
			f := l.expr(s.expr)
			leave := []*goStep{{kind: breakStep, text: "break", loop: s.nest, pos: s.pos}}
			l.emit(&goStep{kind: ifStep, text: "if !" + f.paren(), reads: f.reads, context: f.context, blocks: [][]*goStep{leave, nil}})
		})}
	default:
		f := l.expr(s.expr)
		step.text, step.reads, step.context = "for "+f.text, f.reads, f.context
		step.blocks = [][]*goStep{l.block(s.blocks[0])}
	}
	l.emitAt(s.pos, step)
}

func (l *lowering) choose(s *stmt) {
	f := l.expr(s.expr)
	step := &goStep{kind: switchStep, text: "switch " + f.text, reads: f.reads, context: f.context}
	for i, values := range s.cases {
		if len(values) == 0 {
			if i < len(s.cases)-1 {
				l.fault(s.pos, "the default case of a switch must be the last one")
			}
			step.heads = append(step.heads, "default:")
		} else {
			var h frag
			var texts []string
			for _, v := range values {
				if v.hoists {
					l.fault(v.pos, "the value of a case must not switch")
					continue
				}
				g := l.expr(v)
				h.add(g)
				texts = append(texts, g.text)
			}
			step.reads = append(step.reads, h.reads...)
			step.context = step.context || h.context
			step.heads = append(step.heads, "case "+strings.Join(texts, ", ")+":")
		}
		step.blocks = append(step.blocks, l.block(s.blocks[i]))
	}
	l.emitAt(s.pos, step)
}

func (l *lowering) ret(s *stmt) {
	want := l.body.sig.Results
	if len(s.exprs) == 1 && s.exprs[0].isCall() && len(s.exprs[0].results) == len(want) && s.exprs[0].fn.Effect != Blocking {
		f := l.callText(s.exprs[0])
		step := l.emit(&goStep{kind: returnStep, text: "return " + f.text, reads: f.reads, context: f.context})
		step.switches = s.exprs[0].fn.Effect.switches()
		return
	}
	if len(s.exprs) != len(want) {
		l.fault(s.pos, "return has %d results where %s has %d", len(s.exprs), l.body.sig.Name, len(want))
		return
	}
	for i, e := range s.exprs {
		l.checkType(e, want[i])
	}
	fs := l.exprs(s.exprs)
	var all frag
	texts := make([]string, len(fs))
	for i, f := range fs {
		all.add(f)
		texts[i] = f.text
	}
	l.emit(&goStep{kind: returnStep, text: strings.TrimSpace("return " + strings.Join(texts, ", ")), reads: all.reads, context: all.context})
}

// needContext reports a call that the body's own signature does not allow.
func (l *lowering) needContext(effect Effect, what string) {
	have := l.body.sig.Effect
	if effect.switches() && !have.switches() || effect == Leaf && have == Plain {
		l.fault(l.pos, "%s is %s, and %s, which is %s, cannot call it", what, effect, l.name(), have)
	}
}

func (l *lowering) name() string {
	if l.body.outer != nil {
		return "the closure"
	}
	return l.body.sig.Name
}

// checkType reports a value of another type than is wanted, where both are known for certain.
func (l *lowering) checkType(e *Expr, want *Type) {
	if e.typ == nil {
		l.fault(e.pos, "this call has no value")
		return
	}
	if want == nil || e.op == literalOp || e.op == closureOp {
		return
	}
	a, b := e.typ.resolve(), want.resolve()
	if a == nil || b == nil || a.kind == rawKind || b.kind == rawKind || sameType(e.typ, want) {
		return
	}
	if a.kind != b.kind || a.role != b.role || e.typ.kind == want.kind {
		l.fault(e.pos, "value of type %s where %s is wanted", e.typ.in(l.w.program.Path), want.in(l.w.program.Path))
	}
}

func sameType(a, b *Type) bool { return a == b || a.identical(b) }

// identical compares two types as written; byte is uint8 and rune is int32.
func (t *Type) identical(u *Type) bool {
	if t == nil || u == nil || t == u {
		return t == u
	}
	if t.kind != u.kind || t.path != u.path || t.len != u.len || len(t.args) != len(u.args) || len(t.fields) != len(u.fields) || len(t.parts) != len(u.parts) {
		return false
	}
	if t.name != u.name && basicAliases[t.name] != u.name && basicAliases[u.name] != t.name {
		return false
	}
	for i := range t.args {
		if !t.args[i].identical(u.args[i]) {
			return false
		}
	}
	for i := range t.fields {
		if t.fields[i].Name != u.fields[i].Name || !t.fields[i].Type.identical(u.fields[i].Type) {
			return false
		}
	}
	for i := range t.parts {
		if a, ok := t.parts[i].(*Type); ok {
			if b, ok := u.parts[i].(*Type); !ok || !a.identical(b) {
				return false
			}
		} else if t.parts[i] != u.parts[i] {
			return false
		}
	}
	return t.key.identical(u.key) && t.elem.identical(u.elem)
}

var basicAliases = map[string]string{"byte": "uint8", "rune": "int32"}

// exprs lowers operands in order. What is evaluated before something that switches is kept in a variable, unless
// a later evaluation gives the same.
func (l *lowering) exprs(es []*Expr) []frag {
	last := -1
	for i, e := range es {
		if e.hoists {
			last = i
		}
	}
	out := make([]frag, len(es))
	for i, e := range es {
		out[i] = l.expr(e)
		if i < last && !out[i].stable {
			out[i] = l.spill(out[i], e.typ)
		}
	}
	return out
}

func (l *lowering) spill(f frag, t *Type) frag {
	if t == nil {
		l.fault(l.pos, "an operand has no value")
		return f
	}
	v := l.temp(t)
	step := l.plain(v.name+" := "+f.text, f)
	step.writes = v.tracks()
	return l.use(v, l.pos)
}

// paren is the text as an operand of a selector, call or unary operator.
func (f frag) paren() string {
	if f.atom {
		return f.text
	}
	return "(" + f.text + ")"
}

// expr lowers an expression to one that does not switch.
func (l *lowering) expr(e *Expr) frag {
	switch e.op {
	case literalOp:
		return frag{text: e.text, stable: true, atom: e.text[0] != '-'}
	case zeroOp:
		return frag{text: "*new(" + l.w.typ(e.typ) + ")", stable: true}
	case localOp:
		return l.use(e.local, e.pos)
	case unaryOp:
		f := l.expr(e.args[0])
		f.text, f.atom = e.text+f.paren(), false
		return f
	case binaryOp:
		fs := l.exprs(e.args)
		return frag{text: fs[0].paren() + " " + e.text + " " + fs[1].paren(), reads: join(fs), context: anyContext(fs), stable: fs[0].stable && fs[1].stable && e.text != "/" && e.text != "%"}
	case logicOp:
		return l.logic(e)
	case fieldOp:
		f := l.expr(e.args[0])
		f.text, f.stable, f.atom = f.paren()+"."+e.text, false, true
		return f
	case indexOp:
		fs := l.exprs(e.args)
		return frag{text: fs[0].paren() + "[" + fs[1].text + "]", reads: join(fs), context: anyContext(fs), atom: true}
	case builtinOp:
		return l.list(e.text+"(", e.args, nil, ")")
	case convertOp:
		f := l.expr(e.args[0])
		f.text, f.atom = "("+l.w.typ(e.typ)+")("+f.text+")", true
		if e.typ.kind == basicKind || e.typ.kind == namedKind {
			f.text = f.text[1:strings.Index(f.text, ")(")] + f.text[strings.Index(f.text, ")(")+1:]
		}
		return f
	case compositeOp:
		if e.typ.traced(seen{}) && e.typ.heapPaths() == nil {
			l.fault(e.pos, "a value of type %s holds heap pointers that no frame can hold", e.typ.in(l.w.program.Path))
		}
		return l.list("("+l.w.typ(e.typ)+"{", e.args, e.names, "})")
	case closureOp:
		return frag{text: l.closure(e.closure), stable: true}
	case mustOp:
		return l.must(e)
	}
	// A call.
	if !e.fn.Effect.switches() {
		if len(e.results) != 1 {
			l.fault(e.pos, "call of %s has %d results where one is used", e.fn.Name, len(e.results))
		}
		return l.callText(e)
	}
	if len(e.results) == 0 {
		l.fault(e.pos, "call of %s has no value", e.fn.Name)
		return frag{text: "nil"}
	}
	if len(e.results) > 1 {
		l.fault(e.pos, "call of %s has %d results where one is used", e.fn.Name, len(e.results))
	}
	v := l.temp(e.typ)
	v.known = false
	targets := make([]*Local, len(e.results))
	targets[0] = v
	l.callInto(e, targets, true)
	return l.use(v, e.pos)
}

func join(fs []frag) (reads []int) {
	for _, f := range fs {
		reads = append(reads, f.reads...)
	}
	return reads
}

func anyContext(fs []frag) bool {
	return slices.ContainsFunc(fs, func(f frag) bool { return f.context })
}

func (l *lowering) list(open string, args []*Expr, names []string, end string) frag {
	fs := l.exprs(args)
	texts := make([]string, len(fs))
	for i, f := range fs {
		if texts[i] = f.text; names != nil {
			texts[i] = names[i] + ": " + f.text
		}
	}
	return frag{text: open + strings.Join(texts, ", ") + end, reads: join(fs), context: anyContext(fs), atom: true}
}

// logic keeps the right side where it may switch from running when the left side decides.
func (l *lowering) logic(e *Expr) frag {
	left := l.expr(e.args[0])
	if !e.args[1].hoists {
		right := l.expr(e.args[1])
		f := frag{text: left.paren() + " " + e.text + " " + right.paren(), stable: left.stable && right.stable}
		f.add(left)
		f.add(right)
		return f
	}
	v := l.temp(e.typ)
	l.plain(v.name+" := "+left.text, left)
	pos := l.pos
	block := l.block(nil, func() {
		right := l.expr(e.args[1])
		l.plain(v.name+" = "+right.text, right)
	})
	cond := "if " + v.name
	if e.text == "||" {
		cond = "if !" + v.name
	}
	l.emitAt(pos, &goStep{kind: ifStep, text: cond, blocks: [][]*goStep{block, nil}})
	return l.use(v, e.pos)
}

// must evaluates a call with a value and an error, and panics with the error.
func (l *lowering) must(e *Expr) frag {
	v, err := l.temp(e.typ), l.body.local("err", errorType, l.pos)
	l.declare(err)
	v.known, err.known, err.read = false, false, true
	l.callInto(e.args[0], []*Local{v, err}, true)
	fail := []*goStep{{text: "panic(" + err.name + ")", pos: l.pos}}
	l.emit(&goStep{kind: ifStep, text: "if " + err.name + " != nil", blocks: [][]*goStep{fail, nil}})
	return l.use(v, e.pos)
}

// call adds the statement of a call; a nil target drops a result, new ones are declared.
func (l *lowering) call(e *Expr, targets []*Local, declares bool) {
	if len(targets) != len(e.results) {
		l.fault(e.pos, "call of %s has %d results where %d are used", e.fn.Name, len(e.results), len(targets))
		return
	}
	if e.fn.Effect == Blocking {
		l.blocking(e, targets, declares)
		return
	}
	f := l.callText(e)
	if declares {
		for _, v := range targets {
			if v != nil {
				l.declare(v)
			}
		}
	}
	l.assignCall(e, f, targets, declares)
}

// callInto is call with targets that have their names.
func (l *lowering) callInto(e *Expr, targets []*Local, declares bool) {
	if e.fn.Effect == Blocking {
		l.blocking(e, targets, declares)
	} else {
		l.assignCall(e, l.callText(e), targets, declares)
	}
	for _, v := range targets {
		if v != nil {
			v.known = true
		}
	}
}

func (l *lowering) assignCall(e *Expr, f frag, targets []*Local, declares bool) {
	var names []string
	var writes []int
	var declared []*Local
	for _, v := range targets {
		if v == nil {
			names = append(names, "_")
			continue
		}
		names = append(names, v.name)
		writes = append(writes, v.tracks()...)
		if declares {
			declared = append(declared, v)
		}
	}
	text := f.text
	switch {
	case declared != nil:
		text = strings.Join(names, ", ") + " := " + text
	case slices.ContainsFunc(targets, func(v *Local) bool { return v != nil }):
		text = strings.Join(names, ", ") + " = " + text
	}
	step := l.plain(text, f)
	step.writes, step.declares, step.switches = writes, declared, e.fn.Effect.switches()
}

// blocking adds a call through rt.Blocking:
//
//	var t int
//	t_ := rt.Blocking(cctx, func() { t = os.Getpid() })
func (l *lowering) blocking(e *Expr, targets []*Local, declares bool) {
	l.needContext(Switching, e.fn.Name)
	args := l.exprs(e.args)
	for i, a := range args {
		if t := e.args[i].typ; t != nil && t.traced(seen{}) {
			l.fault(e.args[i].pos, "heap pointer given to %s, which blocks: it may outlive the behaviour", e.fn.Name)
		}
		if !a.stable {
			args[i] = l.spill(a, e.args[i].typ)
		}
	}
	inner := *e.fn
	inner.Effect = Plain
	f := l.formatCall(&inner, e, args)
	var results []string
	for i, t := range e.fn.Results {
		v := targets[i]
		if declares && v != nil {
			if v.name == "" {
				l.declare(v)
			}
		} else {
			v = l.temp(t)
		}
		l.plain("var "+v.name+" "+l.w.typ(t), frag{}).declares = []*Local{v}
		results = append(results, v.name)
	}
	if results != nil {
		f.text = strings.Join(results, ", ") + " = " + f.text
	}
	text := l.w.qualified(rtPath, "Blocking") + "(cctx, func() { " + f.text + " })"
	var declared []*Local
	if v := targets[len(targets)-1]; v == nil {
		text = "_ = " + text
	} else if declares {
		if v.name == "" {
			l.declare(v)
		}
		text, declared = v.name+" := "+text, []*Local{v}
	} else {
		text = v.name + " = " + text
	}
	step := l.plain(text, f)
	step.switches, step.declares = true, declared
	if !declares {
		for i, name := range results {
			if targets[i] != nil {
				l.plain(targets[i].name+" = "+name, frag{})
			}
		}
	}
}

// callText is the call itself.
func (l *lowering) callText(e *Expr) frag {
	fn := e.fn
	if e.op == callOp {
		want := len(fn.Params)
		if fn.Method {
			want++
		}
		variadic := len(fn.Params) > 0 && fn.Params[len(fn.Params)-1].Variadic
		if len(e.args) != want && (!variadic || len(e.args) < want-1) && !fn.untyped() {
			l.fault(e.pos, "call of %s has %d arguments where %d are wanted", fn.Name, len(e.args), want)
		}
		for i, p := range fn.Params {
			if fn.Method {
				i++
			}
			if i < len(e.args) && p.Type.kind == namedKind && p.Type.path == "" && e.args[i].typ != nil && e.args[i].typ.traced(seen{}) {
				l.fault(e.args[i].pos, "heap pointer for a type parameter of %s, where no frame can hold it", fn.Name)
			}
			if i < len(e.args) && !p.Variadic && len(e.typeArgs) == 0 {
				l.checkType(e.args[i], p.Type)
			}
		}
	}
	l.needContext(fn.Effect, fn.Name)
	return l.formatCall(fn, e, l.exprs(e.args))
}

// untyped reports whether a foreign function leaves its parameters to Go's compiler.
func (f *Function) untyped() bool { return f.Params == nil }

func (l *lowering) formatCall(fn *Function, e *Expr, args []frag) frag {
	f := frag{reads: join(args), context: anyContext(args), atom: true}
	var head string
	switch {
	case e.op == valueCallOp || fn.Method:
		if head = args[0].paren(); fn.Method {
			head += "." + fn.Name
		}
		args = args[1:]
	default:
		head = l.w.qualified(fn.Path, fn.Name)
	}
	if len(e.typeArgs) > 0 {
		texts := make([]string, len(e.typeArgs))
		for i, t := range e.typeArgs {
			texts[i] = l.w.typ(t)
		}
		head += "[" + strings.Join(texts, ", ") + "]"
	}
	texts := make([]string, 0, len(args)+1)
	switch fn.Effect {
	case Leaf:
		f.context = true
		texts = append(texts, contextMark)
	case Switching:
		texts = append(texts, "cctx")
	}
	for _, a := range args {
		texts = append(texts, a.text)
	}
	f.text = head + "(" + strings.Join(texts, ", ") + ")"
	return f
}
