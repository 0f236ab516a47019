package ctxgen

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// writer writes the second file of a program: type declarations, functions and methods. It prints text, not jennifer's
// statements: bodies are what large programs consist of, and that is several times as fast.
type writer struct {
	program  *Program
	errs     *Errors
	declared map[string]token.Position // by this file
	names    *scope                    // of imports: no variable and no declaration has one of these
	imports  map[string]string         // names of those that are used
	out      *bytes.Buffer
	line     token.Position // what the next line of the file counts as
}

func newWriter(p *Program, errs *Errors) *writer {
	w := &writer{program: p, errs: errs, declared: map[string]token.Position{}, imports: map[string]string{}}
	declare := func(name string, pos token.Position, what string) {
		if !token.IsIdentifier(name) {
			errs.add(pos, "%s needs a name that is a Go identifier, not %q", what, name)
		} else if at, ok := w.declared[name]; ok {
			errs.add(pos, "%s %s is declared at %s already", what, name, shortPos(at))
		}
		w.declared[name] = pos
	}
	for _, a := range p.Actors {
		declare(a.Name, a.Pos, "actor")
	}
	for _, o := range p.Objects {
		declare(o.Name, o.Pos, "object")
	}
	for _, t := range p.Types {
		declare(t.Name, t.Pos, "type")
	}
	for _, b := range p.funcs {
		if b.receiver == nil {
			declare(b.sig.Name, b.sig.Pos, "function")
		}
	}
	for name := range p.Declared {
		if _, ok := w.declared[name]; !ok {
			w.declared[name] = p.Declared[name]
		}
	}
	taken := newScope(nil)
	taken.reserve(sortedKeys(w.declared)...)
	for _, a := range p.Actors {
		taken.reserve(handleName(a), newName(a))
	}
	for _, o := range p.Objects {
		taken.reserve(constructorName(o))
	}
	taken.reserve(usedPredeclared...)
	w.names = newScope(taken)
	for _, path := range []string{rtPath, gcPath, futuresPath} {
		w.names.reserve(guessName(path))
	}
	return w
}

// qualified is the name of a package-level declaration. Imports get their names when they are first used, which no
// variable of the program has asked for.
func (w *writer) qualified(path, name string) string {
	if path == "" || path == w.program.Path {
		return name
	}
	alias := w.imports[path]
	switch {
	case alias != "":
	case path == rtPath || path == gcPath || path == futuresPath || path == "unsafe":
		alias = guessName(path)
	default:
		own := w.program.Imports[path]
		if own == "" {
			own = guessName(path)
		}
		for alias = own; w.program.wanted[alias] || w.names.has(alias); {
			alias += importSuffix
		}
		w.names.reserve(alias)
	}
	w.imports[path] = alias
	return alias + "." + name
}

// importSuffix ends no variable's name.
const importSuffix = "_pkg"

func (w *writer) typ(t *Type) string {
	switch t.kind {
	case basicKind:
		if t.name == "unsafe.Pointer" {
			return w.qualified("unsafe", "Pointer")
		}
		return t.name
	case pointerKind:
		return "*" + w.typ(t.elem)
	case sliceKind:
		return "[]" + w.typ(t.elem)
	case arrayKind:
		return "[" + strconv.FormatInt(t.len, 10) + "]" + w.typ(t.elem)
	case mapKind:
		return "map[" + w.typ(t.key) + "]" + w.typ(t.elem)
	case chanKind:
		return t.name + " (" + w.typ(t.elem) + ")"
	case structKind:
		var fields []string
		for _, f := range t.fields {
			fields = append(fields, w.field(f))
		}
		return "struct{" + strings.Join(fields, "; ") + "}"
	case rawKind:
		text := ""
		for _, p := range t.parts {
			if u, ok := p.(*Type); ok {
				p = w.typ(u)
			}
			text += fmt.Sprint(p)
		}
		return text
	}
	text := w.qualified(t.path, t.name)
	for i, a := range t.args {
		text += []string{"[", ", "}[min(i, 1)] + w.typ(a)
	}
	if len(t.args) > 0 {
		text += "]"
	}
	return text
}

func (w *writer) field(f Field) string {
	text := w.typ(f.Type)
	if !f.Embedded {
		text = f.Name + " " + text
	}
	if f.Tag != "" {
		text += " " + strconv.Quote(f.Tag)
	}
	return text
}

// lines writes whole lines.
func (w *writer) lines(text string) {
	w.out.WriteString(text)
	w.out.WriteByte('\n')
	w.line.Line += 1 + strings.Count(text, "\n")
}

// at makes the next line count as pos, with a directive if it does not do so anyway. A line of another column needs
// none: nobody looks for statements by column in generated code.
func (w *writer) at(pos token.Position) {
	if pos.IsValid() && pos.Filename != "" && (pos.Line != w.line.Line || pos.Filename != w.line.Filename) {
		fmt.Fprintf(w.out, "//line %s:%d\n", pos.Filename, pos.Line)
		w.line = pos
	}
}

func (w *writer) doc(text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		w.lines(strings.TrimSpace("// " + line))
	}
}

func (w *writer) structType(name, doc string, fields []Field) {
	w.lines("")
	w.doc(doc)
	w.lines("type " + name + " struct {")
	for _, f := range fields {
		w.lines(w.field(f))
	}
	w.lines("}")
}

// writeAll writes all declarations.
func (w *writer) writeAll(out *bytes.Buffer) {
	w.out = out
	p := w.program
	for _, t := range p.Types {
		w.lines("")
		w.doc(t.Doc)
		w.lines("type " + t.Name + " " + w.typ(t.Under))
	}
	for _, o := range p.Objects {
		w.structType(o.Name, o.Doc, o.Fields)
	}
	for _, a := range p.Actors {
		w.structType(a.Name, a.Doc, a.State)
	}
	for _, a := range p.Actors {
		for _, of := range a.behaviours() {
			w.function(p.bodies[of], of.Doc)
		}
	}
	for _, b := range p.funcs {
		w.function(b, b.sig.Doc)
	}
}

// lowered is a body that was analysed; reload and declare of its steps are set.
func (w *writer) lowered(b *Body, names *localNames) []*goStep {
	l := &lowering{w: w, body: b, names: names, pos: b.sig.Pos}
	if b.receiver != nil {
		l.declare(b.receiver)
	}
	for i, p := range b.params {
		if b.sig.Params[i].Variadic || b.sig.Params[i].Mode != Copy || b.behaviour {
			p.wanted = cmpOr(p.wanted, "p")
		}
		l.declare(p)
	}
	if b.behaviour {
		l.heldByDispatch()
	}
	steps := l.block(b.top)
	if len(b.sig.Results) > 0 && !leaves(b.top) {
		l.fault(b.sig.Pos, "%s ends without a return", l.name())
	}
	f := &flow{tracked: l.tracked}
	f.live(steps, f.empty(), nil)
	if b.sig.Effect.switches() {
		needed := f.need(steps, false, nil)
		steps = declareContext(steps, needed)
	}
	return steps
}

// heldByDispatch forgets those parameters of a behaviour that keep their values: the dispatch function holds them.
func (l *lowering) heldByDispatch() {
	l.tracked = slices.DeleteFunc(l.tracked, func(v *Local) bool { return !v.assigned })
	for _, v := range l.body.params {
		v.index = 0
	}
	for i, v := range l.tracked {
		v.index = i + 1
	}
}

func cmpOr(s, otherwise string) string {
	if s == "" || s == "_" {
		return otherwise
	}
	return s
}

// signature is the parameters and results of a body.
func (w *writer) signature(b *Body) string {
	var params []string
	switch b.sig.Effect {
	case Leaf:
		params = append(params, "ctx *"+w.qualified(rtPath, "Ctx"))
	case Switching:
		params = append(params, "cctx **"+w.qualified(rtPath, "Ctx"))
	}
	for i, p := range b.params {
		text := w.typ(p.typ)
		if b.sig.Params[i].Variadic {
			text = "..." + strings.TrimPrefix(text, "[]")
		}
		params = append(params, p.name+" "+text)
	}
	var results []string
	for _, r := range b.sig.Results {
		results = append(results, w.typ(r))
	}
	text := "(" + strings.Join(params, ", ") + ")"
	switch len(results) {
	case 0:
	case 1:
		text += " " + results[0]
	default:
		text += " (" + strings.Join(results, ", ") + ")"
	}
	return text
}

func (w *writer) function(b *Body, doc string) {
	names := newLocalNames(w)
	steps := w.lowered(b, names)
	w.lines("")
	w.doc(doc)
	w.at(b.sig.Pos)
	switch {
	case b.main:
		w.lines("func main() {")
		w.lines(w.qualified(rtPath, "Main") + "(func(cctx **" + w.qualified(rtPath, "Ctx") + ") {")
		w.steps(steps, names)
		w.lines("})\n}")
		return
	case b.receiver != nil:
		w.lines("func (" + b.receiver.name + " " + w.typ(b.receiver.typ) + ") " + b.sig.Name + w.signature(b) + " {")
	default:
		var params []string
		for _, p := range b.sig.TypeParams {
			params = append(params, p.Name+" "+w.typ(p.Constraint))
		}
		text := "func " + b.sig.Name
		if params != nil {
			text += "[" + strings.Join(params, ", ") + "]"
		}
		w.lines(text + w.signature(b) + " {")
	}
	w.steps(steps, names)
	w.lines("}")
}

// closure is the text of a function literal.
func (l *lowering) closure(b *Body) string {
	w := l.w
	steps := w.lowered(b, l.names)
	outer, line := w.out, w.line
	defer func() { w.out, w.line = outer, line }()
	w.out, w.line = &bytes.Buffer{}, token.Position{}
	w.lines("func" + w.signature(b) + " {")
	w.steps(steps, l.names)
	w.out.WriteByte('}')
	return w.out.String()
}

// contextText is how code reads the context: the cached variable. What generated code in another mode (the cell at
// every use, a look-up at every use) reads instead belongs here, and declareContext then declares nothing.
const contextText = "ctx"

func (w *writer) steps(steps []*goStep, names *localNames) {
	for _, s := range steps {
		w.at(s.pos)
		text := strings.ReplaceAll(s.text, contextMark, contextText)
		switch s.kind {
		case plainStep, returnStep, breakStep, continueStep:
			frames := w.push(s, names)
			w.lines(text)
			if s.reload {
				w.load(s)
			}
			w.pop(s, frames)
			for _, v := range s.declares {
				if !v.read {
					w.lines("_ = " + v.name)
				}
			}
		case ifStep:
			w.lines(text + " {")
			w.steps(s.blocks[0], names)
			if len(s.blocks[1]) > 0 {
				w.lines("} else {")
				w.steps(s.blocks[1], names)
			}
			w.lines("}")
		case loopStep:
			if s.loop.label != "" {
				w.lines(s.loop.label + ":")
			}
			w.lines(text + " {")
			w.steps(s.blocks[0], names)
			w.lines("}")
			if s.reload {
				w.load(s)
			}
		case switchStep:
			w.lines(text + " {")
			for i, block := range s.blocks {
				w.lines(strings.ReplaceAll(s.heads[i], contextMark, contextText))
				w.steps(block, names)
			}
			w.lines("}")
		}
	}
}

func (w *writer) load(s *goStep) {
	if s.declare {
		w.lines("ctx := *cctx")
	} else {
		w.lines("ctx = *cctx")
	}
}

// push writes the frames that hold what lives across a call, up to three pointers in one.
func (w *writer) push(s *goStep, names *localNames) (frames []string) {
	var roots []string
	for _, v := range s.hold {
		for _, h := range v.paths {
			root := v.name
			for _, step := range h.steps {
				if step.field != "" {
					root += "." + step.field
				} else {
					root += "[" + strconv.FormatInt(step.index, 10) + "]"
				}
			}
			if h.typ.has(heapRole) {
				root = "(*byte)(" + root + ".Root())"
			}
			roots = append(roots, root)
		}
	}
	for group := range slices.Chunk(roots, 3) {
		f := names.take("f")
		call := [...]string{1: "Push", 2: "Push2", 3: "Push3"}[len(group)]
		w.lines(f + " := " + w.qualified(gcPath, call) + "(" + contextText + ", " + strings.Join(group, ", ") + ")")
		frames = append(frames, f)
	}
	return frames
}

func (w *writer) pop(s *goStep, frames []string) {
	after := "*cctx"
	if s.reload {
		after = contextText
	}
	for _, f := range slices.Backward(frames) {
		w.lines(f + ".Pop(" + after + ")")
	}
}

// finish puts the head before the declarations.
func (w *writer) finish(decls *bytes.Buffer) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(programHeader + "\n")
	if len(w.program.Sources) > 0 {
		out.WriteString("//\n// Input: " + strings.Join(w.program.Sources, ", ") + ".\n")
	}
	out.WriteString("\npackage " + w.program.Name + "\n")
	if len(w.imports) > 0 {
		out.WriteString("\nimport (\n")
		for _, path := range sortedKeys(w.imports) {
			out.WriteString("\t")
			if alias := w.imports[path]; alias != w.program.Imports[path] && alias != path[strings.LastIndex(path, "/")+1:] {
				out.WriteString(alias + " ")
			}
			out.WriteString(strconv.Quote(path) + "\n")
		}
		out.WriteString(")\n")
	}
	out.Write(decls.Bytes())
	text, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("ctxgen: emit %s: %w", w.program.Path, err)
	}
	return text, nil
}

const programHeader = "// Code generated by a compiler with ctxgen; DO NOT EDIT."

// localNames gives out the names of variables of one function, closures in it included.
type localNames struct {
	outer *scope
	next  map[string]int
	taken map[string]bool
}

func newLocalNames(w *writer) *localNames {
	return &localNames{outer: w.names, next: map[string]int{}, taken: map[string]bool{"ctx": true, "cctx": true, "init": true}}
}

func (n *localNames) take(wanted string) string {
	if !token.IsIdentifier(wanted) || wanted == "_" || strings.HasSuffix(wanted, importSuffix) {
		wanted += "_"
		if !token.IsIdentifier(wanted) {
			wanted = "v"
		}
	}
	name := wanted
	for n.taken[name] || n.outer.has(name) {
		n.next[wanted]++
		name = wanted + "_" + strconv.Itoa(n.next[wanted]+1)
	}
	n.taken[name] = true
	return name
}
