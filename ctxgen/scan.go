package ctxgen

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A unit is one annotated package on its way through the passes.
type unit struct {
	pkg    *Package // names and positions from scan, types from translate
	root   bool     // asked for: its file is wanted, not only its declarations
	output string   // absolute path of the generated file
	stale  []string // absolute paths of output under earlier names
	// excluded: build constraints exclude all annotations; what is stale otherwise belongs to them.
	excluded bool
	files    []*sourceFile
	types    map[string]*typeDecl // package-level type declarations
	funcs    []*methodDecl        // annotated methods
}

// annotated reports whether there is anything to generate.
func (u *unit) annotated() bool { return len(u.pkg.Actors)+len(u.pkg.Objects) > 0 }

// A sourceFile is a parsed file with its imports by name.
type sourceFile struct {
	name    string // absolute path
	syntax  *ast.File
	imports map[string]string // name in the file -> import path
	dots    []string          // import paths of dot imports
}

// A typeDecl is a package-level type declaration.
type typeDecl struct {
	file   *sourceFile
	spec   *ast.TypeSpec
	doc    string
	actor  *Actor  // annotated as one
	object *Object // annotated as one
	// rejected: annotated, but wrongly, or not a type that can be one; its methods are not reported again.
	rejected bool
}

// A methodDecl is a method with an annotation.
type methodDecl struct {
	file      *sourceFile
	decl      *ast.FuncDecl
	actor     *typeDecl
	behaviour *Behaviour
	modes     map[string]Mode // from the annotation, by parameter
}

// annotationScanner is pass 1: it reads annotations from syntax alone, since the package
// need not type-check before its generated file exists.
type annotationScanner struct {
	fset *token.FileSet
	unit *unit
	errs *Errors
	// used holds the annotation comments that sit on a declaration; the others are lost.
	used map[*ast.Comment]bool
}

// scan fills u.pkg with the names, positions and documentation of what is
// annotated in u.files.
func scan(fset *token.FileSet, u *unit, errs *Errors) {
	s := &annotationScanner{fset: fset, unit: u, errs: errs, used: map[*ast.Comment]bool{}}
	u.types = map[string]*typeDecl{}
	u.pkg.Declared = map[string]token.Position{}
	for _, f := range u.files {
		for _, d := range f.syntax.Decls {
			s.declare(f, d)
		}
	}
	for _, f := range u.files {
		for _, d := range f.syntax.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok {
				s.method(f, decl)
			}
		}
		s.strays(f)
		for _, d := range f.syntax.Decls {
			s.misspelt(d)
		}
	}
}

// annotated enters f among the sources that the output names.
func (s *annotationScanner) annotated(f *sourceFile) {
	if name := filepath.Base(f.name); !slices.Contains(s.unit.pkg.Sources, name) {
		s.unit.pkg.Sources = append(s.unit.pkg.Sources, name)
	}
}

func (s *annotationScanner) pos(n ast.Node) token.Position { return s.fset.Position(n.Pos()) }

// declare enters the package-level names of d and takes annotated types up.
func (s *annotationScanner) declare(f *sourceFile, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.Name != "init" && d.Name.Name != "_" {
			s.unit.pkg.Declared[d.Name.Name] = s.pos(d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.Name != "_" {
						s.unit.pkg.Declared[name.Name] = s.pos(name)
					}
				}
			case *ast.TypeSpec:
				if spec.Name.Name != "_" {
					s.unit.pkg.Declared[spec.Name.Name] = s.pos(spec.Name)
				}
				s.typeSpec(f, d, spec)
			}
		}
	}
}

func (s *annotationScanner) typeSpec(f *sourceFile, d *ast.GenDecl, spec *ast.TypeSpec) {
	doc := spec.Doc
	if doc == nil && len(d.Specs) == 1 {
		doc = d.Doc
	}
	t := &typeDecl{file: f, spec: spec, doc: doc.Text()}
	s.unit.types[spec.Name.Name] = t
	name := spec.Name.Name
	a, comment := s.annotationOf(doc)
	if a == actorAnnotation || a == objectAnnotation {
		if t.rejected = !s.structType(spec, a); t.rejected {
			return
		}
		s.annotated(f)
	}
	switch a {
	case "":
		t.rejected = malformed(doc)
	case actorAnnotation:
		t.actor = &Actor{
			Name: name, Doc: t.doc, Pos: s.pos(spec.Name), Members: map[string]token.Position{},
			MailboxLimit: mailboxLimit(comment.Text),
		}
		s.fieldNames(spec, t.actor.Members)
		s.unit.pkg.Actors = append(s.unit.pkg.Actors, t.actor)
	case objectAnnotation:
		t.object = &Object{Name: name, Doc: t.doc, Pos: s.pos(spec.Name), Members: map[string]token.Position{}}
		s.fieldNames(spec, t.object.Members)
		s.unit.pkg.Objects = append(s.unit.pkg.Objects, t.object)
	default:
		s.errs.add(s.pos(comment), "%s%s belongs on a method of an actor, not on type %s", annotationPrefix, a, name)
	}
}

// structType reports whether spec can be an actor or an object.
func (s *annotationScanner) structType(spec *ast.TypeSpec, a annotation) bool {
	pos, name := s.pos(spec.Name), spec.Name.Name
	if name == "_" {
		s.errs.add(pos, "%s%s: generated code refers to the type by its name, and _ is none: name it", annotationPrefix, a)
		return false
	}
	if spec.TypeParams != nil {
		s.errs.add(s.pos(spec.TypeParams), "%s%s: generic type %s is not supported: annotate a type without type parameters", annotationPrefix, a, name)
		return false
	}
	if spec.Assign.IsValid() {
		s.errs.add(pos, "%s%s belongs on a struct type: %s is an alias, annotate the type that it stands for", annotationPrefix, a, name)
		return false
	}
	if structOf(spec) == nil {
		s.errs.add(pos, "%s%s belongs on a struct type: %s is none, wrap it in a struct", annotationPrefix, a, name)
		return false
	}
	return true
}

// structOf returns the struct type that spec declares; nil: it declares another type.
func structOf(spec *ast.TypeSpec) *ast.StructType {
	t, _ := ast.Unparen(spec.Type).(*ast.StructType)
	return t
}

func (s *annotationScanner) fieldNames(spec *ast.TypeSpec, members map[string]token.Position) {
	for _, field := range structOf(spec).Fields.List {
		for _, name := range field.Names {
			members[name.Name] = s.pos(name)
		}
		if len(field.Names) == 0 {
			if name := embeddedName(field.Type); name != "" {
				members[name] = s.pos(field.Type)
			}
		}
	}
	delete(members, "_")
}

// embeddedName returns the name of the field that embeds the type e.
func embeddedName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return embeddedName(e.X)
	case *ast.ParenExpr:
		return embeddedName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return embeddedName(e.X)
	case *ast.IndexListExpr:
		return embeddedName(e.X)
	}
	return ""
}

// method enters a method into its type's members and takes behaviours up.
func (s *annotationScanner) method(f *sourceFile, d *ast.FuncDecl) {
	a, comment := s.annotationOf(d.Doc)
	receiver := ""
	if d.Recv != nil && len(d.Recv.List) == 1 {
		receiver = embeddedName(d.Recv.List[0].Type)
	}
	t := s.unit.types[receiver]
	if t != nil && t.actor != nil {
		t.actor.Members[d.Name.Name] = s.pos(d.Name)
	}
	if t != nil && t.object != nil {
		t.object.Members[d.Name.Name] = s.pos(d.Name)
	}
	name := d.Name.Name
	switch {
	case a == "":
		return
	case a == actorAnnotation || a == objectAnnotation:
		s.errs.add(s.pos(comment), "%s%s belongs on a struct type, not on function %s", annotationPrefix, a, name)
		return
	case d.Recv == nil:
		s.errs.add(s.pos(d.Name), "%s%s belongs on a method of an actor: %s is a function", annotationPrefix, a, name)
		return
	case t == nil || t.actor == nil:
		if t != nil && t.rejected {
			return
		}
		s.errs.add(s.pos(d.Name), "%s%s: %s is a method of %s, which is no actor: write %s%s above type %s",
			annotationPrefix, a, name, receiver, annotationPrefix, actorAnnotation, receiver)
		return
	}
	if _, ok := ast.Unparen(d.Recv.List[0].Type).(*ast.StarExpr); !ok {
		s.errs.add(s.pos(d.Recv.List[0].Type), "method %s would work on a copy of the actor's state: make the receiver *%s", name, receiver)
		return
	}
	s.behaviour(f, d, t, a, comment)
}

func (s *annotationScanner) behaviour(f *sourceFile, d *ast.FuncDecl, t *typeDecl, a annotation, comment *ast.Comment) {
	name := d.Name.Name
	if name == "_" {
		s.errs.add(s.pos(d.Name), "%s%s: generated code calls the method by its name, and _ is none: name it", annotationPrefix, a)
		return
	}
	if !takesContextPointer(d.Type) {
		s.errs.add(s.pos(d.Name), "%s must take the execution context first: func (%s) %s(cctx **rt.Ctx, ...)", name, receiverText(d), name)
		return
	}
	s.annotated(f)
	b := &Behaviour{Name: name, Doc: d.Doc.Text(), Pos: s.pos(d.Name)}
	_, hasErr, ok := resultsOf(d.Type)
	switch {
	case a == newAnnotation && d.Type.Results.NumFields() > 0:
		s.errs.add(s.pos(d.Type.Results), "%s cannot have results: nobody waits for %s%s", name, annotationPrefix, a)
		return
	case !ok:
		s.errs.add(s.pos(d.Type.Results), "%s has too many results: a behaviour returns nothing, a value, an error, or a value and an error; put several values into a struct", name)
		return
	}
	b.Err = hasErr
	if a == newAnnotation {
		if t.actor.New != nil {
			s.errs.add(b.Pos, "second %s%s of actor %s: %s is one already (%s); remove one annotation",
				annotationPrefix, a, t.actor.Name, t.actor.New.Name, shortPos(t.actor.New.Pos))
			return
		}
		t.actor.New = b
	} else {
		t.actor.Behaviours = append(t.actor.Behaviours, b)
	}
	m := &methodDecl{file: f, decl: d, actor: t, behaviour: b}
	m.modes = s.modes(d, a, comment)
	s.unit.funcs = append(s.unit.funcs, m)
}

// modes reads the modes in a behaviour's annotation, which were found well-formed.
func (s *annotationScanner) modes(d *ast.FuncDecl, a annotation, comment *ast.Comment) map[string]Mode {
	_, arguments, _ := strings.Cut(strings.TrimRight(comment.Text, "\r\n"), string(a))
	found, _ := modesOf(a, arguments)
	names := map[string]bool{}
	for _, field := range d.Type.Params.List {
		for _, name := range field.Names {
			names[name.Name] = true
		}
	}
	if result, _, _ := resultsOf(d.Type); result != nil {
		names[resultWord] = true
	}
	delete(names, "_")
	for _, name := range slices.Sorted(maps.Keys(found)) {
		switch {
		case name == resultWord && !names[name]:
			s.errs.add(s.pos(comment), "%s%s: %s has no result for %s=%s", annotationPrefix, a, d.Name.Name, found[name], name)
		case !names[name]:
			s.errs.add(s.pos(comment), "%s%s: %s has no parameter %q for %s=", annotationPrefix, a, d.Name.Name, name, found[name])
		case name == resultWord && found[name] == Iso:
			s.errs.add(s.pos(comment), "%s%s: the result of %s cannot be given away, since several may read a future: write val=%s, or nothing for copies",
				annotationPrefix, a, d.Name.Name, resultWord)
			delete(found, name)
		}
	}
	return found
}

// takesContextPointer reports whether the first parameter is **something; what
// it is exactly is known after pass 2.
func takesContextPointer(f *ast.FuncType) bool {
	if f.Params.NumFields() == 0 {
		return false
	}
	outer, ok := ast.Unparen(f.Params.List[0].Type).(*ast.StarExpr)
	if !ok {
		return false
	}
	inner, ok := ast.Unparen(outer.X).(*ast.StarExpr)
	if !ok {
		return false
	}
	switch ast.Unparen(inner.X).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return true
	}
	return false
}

// resultsOf splits the results of a behaviour. ok is false if there are too many.
func resultsOf(f *ast.FuncType) (result ast.Expr, hasErr, ok bool) {
	var all []ast.Expr
	if f.Results != nil {
		for _, field := range f.Results.List {
			for range max(1, len(field.Names)) {
				all = append(all, field.Type)
			}
		}
	}
	if n := len(all); n > 0 {
		if id, isIdent := ast.Unparen(all[n-1]).(*ast.Ident); isIdent && id.Name == "error" {
			hasErr = true
			all = all[:n-1]
		}
	}
	if len(all) > 1 {
		return nil, false, false
	}
	if len(all) == 1 {
		result = all[0]
	}
	return result, hasErr, true
}

func receiverText(d *ast.FuncDecl) string {
	text := "*" + embeddedName(d.Recv.List[0].Type)
	if names := d.Recv.List[0].Names; len(names) == 1 {
		text = names[0].Name + " " + text
	}
	return text
}

func shortPos(p token.Position) string {
	return filepath.Base(p.Filename) + ":" + strconv.Itoa(p.Line)
}

var versionElement = regexp.MustCompile(`^v[0-9]+$`)

// guessName derives a package's likely name from its import path.
func guessName(importPath string) string {
	base := path.Base(importPath)
	if versionElement.MatchString(base) && path.Dir(importPath) != "." {
		base = path.Base(path.Dir(importPath))
	}
	name := []rune{}
	for _, r := range base {
		if r == '.' || r == '-' { // gopkg.in/yaml.v3, go-cmp
			if len(name) > 0 && string(name) != "go" {
				break
			}
			name = name[:0]
			continue
		}
		name = append(name, r)
	}
	if !token.IsIdentifier(string(name)) {
		return "pkg"
	}
	return string(name)
}

// isPredeclared reports whether the name is declared by the language itself.
func isPredeclared(name string) bool { return types.Universe.Lookup(name) != nil }
