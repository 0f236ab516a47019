package ctxgen

import (
	"fmt"
	"go/token"
	"slices"
	"unicode"
	"unicode/utf8"
)

// handleName is the handle type of an actor: account -> Account, Account -> AccountRef.
func handleName(a *Actor) string {
	if a.Handle != "" {
		return a.Handle
	}
	if name := upperFirst(a.Name); name != a.Name {
		return name
	}
	return a.Name + "Ref"
}

// handleField is the only field of a handle: a, unless a send has that name.
func handleField(a *Actor) string {
	sends := newScope(nil)
	for _, b := range a.Behaviours {
		sends.reserve(b.Name, askName(b))
	}
	return sends.take("a")
}

// newName is the function that starts an actor.
func newName(a *Actor) string { return "New" + handleName(a) }

// askName is the future-returning send of a behaviour: Deposit -> AskDeposit,
// deposit -> askDeposit.
func askName(b *Behaviour) string {
	if token.IsExported(b.Name) {
		return "Ask" + b.Name
	}
	return "ask" + upperFirst(b.Name)
}

// constructorName is the constructor of an object: Node -> NewNode, node -> newNode.
func constructorName(o *Object) string {
	if token.IsExported(o.Name) {
		return "New" + o.Name
	}
	return "new" + upperFirst(o.Name)
}

// setterName is the setter of an object's field: left -> setLeft, Left -> SetLeft.
func setterName(field string) string {
	if token.IsExported(field) {
		return "Set" + field
	}
	return "set" + upperFirst(field)
}

const (
	selfName   = "Self"
	givenName  = "EncoreGiven"
	markerName = "EncoreObject"
)

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// lowerFirst makes a parameter name of a field name: Left -> left, ID -> id, URLPath -> urlPath.
func lowerFirst(s string) string {
	runes := []rune(s)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// A scope gives out identifiers that are not taken.
type scope struct {
	outer *scope
	taken map[string]bool
}

func newScope(outer *scope) *scope { return &scope{outer: outer, taken: map[string]bool{}} }

func (s *scope) has(name string) bool {
	return s != nil && (s.taken[name] || s.outer.has(name))
}

// take enters the first free name of name, name_, name_2, ... and returns it.
func (s *scope) take(name string) string {
	if !token.IsIdentifier(name) || name == "_" {
		name += "_"
	}
	free := name
	for i := 1; s.has(free) || free == "_"; i++ {
		if free = name + "_"; i > 1 {
			free = fmt.Sprintf("%s_%d", name, i)
		}
	}
	s.taken[free] = true
	return free
}

func (s *scope) reserve(names ...string) {
	for _, name := range names {
		s.taken[name] = true
	}
}

// usedPredeclared are the predeclared names that generated bodies use: a
// parameter may not hide them and the package may not declare them.
var usedPredeclared = []string{
	"bool", "byte", "error", "false", "int", "len", "new", "nil", "string", "true", "uint32", "uint64", "uint8", "uintptr",
	"any", "complex128", "complex64", "float32", "float64", "int16", "int32", "int64", "int8", "rune", "uint", "uint16", "cap",
}

// checkNames reports every name that generated code would declare and that is
// taken: by the package, by a field or method of the type, or by another
// generated name. It needs no types.
func checkNames(p *Package, errs *Errors) {
	type owner struct {
		pos  token.Position
		what string
	}
	generated := map[string]owner{}
	claim := func(name string, pos token.Position, what, remedy string) {
		if at, ok := p.Declared[name]; ok {
			errs.add(pos, "%s %s clashes with %s declared at %s: %s", what, name, name, shortPos(at), remedy)
		} else if other, ok := generated[name]; ok {
			errs.add(pos, "%s %s clashes with the %s of the declaration at %s: %s", what, name, other.what, shortPos(other.pos), remedy)
		}
		generated[name] = owner{pos, what}
	}
	for _, o := range p.Objects {
		claim(constructorName(o), o.Pos, "constructor", "rename one of them")
		checkObjectNames(o, errs)
	}
	for _, a := range p.Actors {
		claim(handleName(a), a.Pos, "handle", "rename one of them")
		claim(newName(a), a.Pos, "constructor", "rename one of them")
		checkActorNames(a, errs)
	}
	if len(p.Actors)+len(p.Objects) == 0 {
		return
	}
	for _, name := range sortedKeys(p.Declared) {
		if slices.Contains(usedPredeclared, name) {
			errs.add(p.Declared[name], "declaring %s hides the predeclared %s, which generated code uses: rename it", name, name)
		}
	}
}

func checkActorNames(a *Actor, errs *Errors) {
	methods := map[string]*Behaviour{}
	for _, b := range a.Behaviours {
		if b.Name == selfName && a.Members[selfName] == (token.Position{}) {
			errs.add(b.Pos, "behaviour %s of actor %s clashes with the generated method that returns its handle: rename it", b.Name, a.Name)
		}
		if b.Name == givenName {
			errs.add(b.Pos, "behaviour %s of actor %s clashes with a generated method: rename it", b.Name, a.Name)
		}
		for _, name := range []string{b.Name, askName(b)} {
			if other := methods[name]; other != nil {
				errs.add(b.Pos, "behaviours %s and %s of actor %s would both generate the send %s: rename one of them", other.Name, b.Name, a.Name, name)
			}
			methods[name] = b
		}
	}
	if at, ok := a.Members[selfName]; ok {
		errs.add(at, "actor %s cannot declare %s: the generated method %s returns its handle; rename it", a.Name, selfName, selfName)
	}
}

func checkObjectNames(o *Object, errs *Errors) {
	generated := []string{markerName}
	for _, f := range o.Fields {
		if formOf(f.Type) != scalarForm && f.Name != "_" {
			generated = append(generated, setterName(f.Name))
		}
	}
	for _, name := range generated {
		if at, ok := o.Members[name]; ok {
			errs.add(at, "object %s cannot declare %s: a method of that name is generated; rename it", o.Name, name)
		}
	}
}
