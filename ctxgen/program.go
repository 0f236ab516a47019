package ctxgen

import (
	"bytes"
	"go/token"
)

// A Program is a Go package of which everything is built from Go values: what a Package describes, and the declarations
// and bodies around it. It is for one goroutine at a time.
type Program struct {
	*Package
	Types []*TypeDecl // beside the state types and objects, which are declared from Actors and Objects

	funcs   []*Body
	methods []*Body
	bodies  map[*Behaviour]*Body
	wanted  map[string]bool // as names of variables
}

// A TypeDecl declares a type that is neither an actor's state nor an object.
type TypeDecl struct {
	Name  string
	Doc   string
	Under *Type
	Pos   token.Position
}

// NewProgram begins a program; p may still be added to until Emit.
func NewProgram(p *Package) *Program {
	return &Program{Package: p, bodies: map[*Behaviour]*Body{},
		wanted: map[string]bool{"t": true, "f": true, "p": true, "v": true, "err": true, "loop": true, "self": true, "ctx": true, "cctx": true}}
}

// A Signature describes a function of the program. A method has a receiver, which is a pointer to an object.
type Signature struct {
	Name       string
	Doc        string
	Receiver   *Param
	TypeParams []TypeParam
	Params     []Param
	Results    []*Type
	Effect     Effect // not Blocking
	Pos        token.Position
}

// Func adds a function to the program and returns its body, to be filled; Body.Function is what others call.
func (p *Program) Func(s Signature) *Body {
	if s.Effect == Blocking {
		panic("ctxgen: a function of the program cannot be declared as blocking: foreign functions are")
	}
	b := newBody(p, s)
	b.fn = &Function{Path: p.Path, Name: s.Name, Method: s.Receiver != nil, Effect: s.Effect, Params: s.Params, Results: s.Results, Pos: s.Pos}
	p.funcs = append(p.funcs, b)
	return b
}

// Main adds the function main of a program that is called Name "main": it runs the body in the runtime until
// everything has been done.
func (p *Program) Main(pos token.Position) *Body {
	b := p.Func(Signature{Name: "main", Effect: Switching, Pos: pos})
	b.main = true
	return b
}

// Behaviour returns the body of a behaviour, or of an actor's New.
func (p *Program) Behaviour(a *Actor, of *Behaviour) *Body {
	if b := p.bodies[of]; b != nil {
		return b
	}
	var results []*Type
	if of.Result != nil {
		results = append(results, of.Result)
	}
	if of.Err {
		results = append(results, errorType)
	}
	b := newBody(p, Signature{
		Name: of.Name, Effect: Switching, Params: of.Params, Results: results, Pos: of.Pos,
		Receiver: &Param{Name: "self", Type: Pointer(Named(p.Path, a.Name, nil)), Pos: of.Pos},
	})
	b.behaviour = true
	p.bodies[of] = b
	p.methods = append(p.methods, b)
	return b
}

// Emit returns the two files of the program, gofmt'd: glue is what Emit makes of the Package, code the declarations and
// bodies. Faults come back as Errors with the compiler's positions. The same program gives the same bytes.
func (p *Program) Emit() (glue, code []byte, err error) {
	var errs Errors
	for _, a := range p.Actors {
		for _, of := range a.behaviours() {
			if p.bodies[of] == nil {
				errs.add(of.Pos, "behaviour %s of actor %s has no body", of.Name, a.Name)
			}
		}
	}
	if err := check(p.Package); err != nil {
		if found, ok := err.(Errors); ok {
			errs = append(errs, found...)
		}
		return nil, nil, errs.asError()
	}
	w := newWriter(p, &errs)
	var decls bytes.Buffer
	w.writeAll(&decls)
	if err := errs.asError(); err != nil {
		return nil, nil, err
	}
	if code, err = w.finish(&decls); err != nil {
		return nil, nil, err
	}
	// The names that the second file declares are taken in the first.
	shape := *p.Package
	shape.Declared = map[string]token.Position{}
	for name, pos := range p.Declared {
		shape.Declared[name] = pos
	}
	for name, pos := range w.declared {
		shape.Declared[name] = pos
	}
	if glue, err = Emit(&shape); err != nil {
		return nil, nil, err
	}
	return glue, code, nil
}

// behaviours lists the actor's behaviours, New first.
func (a *Actor) behaviours() []*Behaviour {
	if a.New == nil {
		return a.Behaviours
	}
	return append([]*Behaviour{a.New}, a.Behaviours...)
}
