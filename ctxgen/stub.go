package ctxgen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"slices"
	"strings"
)

// stubWriter writes the file that stands for a unit's output in pass 2: the
// same declarations with types copied from the source as text, and bodies that
// panic. It must be right about types only.
type stubWriter struct {
	unit    *unit
	errs    *Errors
	fset    *token.FileSet
	body    bytes.Buffer
	aliases map[string]string // import path -> name in the stub
	dots    map[string]bool
	blank   string // import path of what only the output uses, so that pass 2 finds it missing; empty: none
}

const stubBody = `{ panic("encorert: not generated yet") }`

// stub returns the stand-in for u's generated file.
func stub(fset *token.FileSet, u *unit, errs *Errors) []byte {
	w := &stubWriter{unit: u, errs: errs, fset: fset, aliases: map[string]string{}, dots: map[string]bool{}}
	for _, t := range u.pkg.Objects {
		w.object(u.types[t.Name])
	}
	for _, a := range u.pkg.Actors {
		w.actor(u.types[a.Name])
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "package %s\n\n", u.pkg.Name)
	for _, path := range sortedKeys(w.aliases) {
		fmt.Fprintf(&out, "import %s %q\n", w.aliases[path], path)
	}
	for _, path := range sortedKeys(w.dots) {
		fmt.Fprintf(&out, "import . %q\n", path)
	}
	if w.blank != "" {
		fmt.Fprintf(&out, "import _ %q\n", w.blank)
	}
	out.Write(w.body.Bytes())
	return out.Bytes()
}

// qualifier returns the stub's name for the package at path.
func (w *stubWriter) qualifier(path string) string {
	if w.aliases[path] == "" {
		w.aliases[path] = fmt.Sprintf("encorert_import%d", len(w.aliases))
	}
	return w.aliases[path]
}

// text prints a type expression of file f as the stub must write it.
func (w *stubWriter) text(f *sourceFile, e ast.Expr) string {
	prefix := ""
	if rest, ok := e.(*ast.Ellipsis); ok {
		prefix, e = "...", rest.Elt
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch path := f.imports[id.Name]; path {
			case "":
			case "C":
				w.errs.add(w.fset.Position(n.Pos()), "C.%s cannot appear in a generated signature: convert it to a Go type", n.Sel.Name)
			default:
				id.Name = w.qualifier(path)
			}
			return false
		case *ast.Ident:
			if _, declared := w.unit.pkg.Declared[n.Name]; !declared && !isPredeclared(n.Name) {
				for _, path := range f.dots {
					w.dots[path] = true
				}
			}
		}
		return true
	})
	var out strings.Builder
	if err := format.Node(&out, w.fset, e); err != nil {
		w.errs.add(w.fset.Position(e.Pos()), "type cannot be printed: %v", err)
	}
	return prefix + out.String()
}

// parameters prints the types of a behaviour's parameters without the context, a comma before each.
func (w *stubWriter) parameters(m *methodDecl) string {
	var out strings.Builder
	for i, field := range m.decl.Type.Params.List {
		count := max(1, len(field.Names))
		if i == 0 {
			count--
		}
		for range count {
			fmt.Fprintf(&out, ", %s", w.text(m.file, field.Type))
		}
	}
	return out.String()
}

func (w *stubWriter) actor(t *typeDecl) {
	rt := w.qualifier(rtPath)
	handle, newParameters := handleName(t.actor), ""
	var sends bytes.Buffer
	for _, m := range w.unit.funcs {
		if m.actor != t {
			continue
		}
		parameters := w.parameters(m)
		if m.behaviour == t.actor.New {
			newParameters = parameters
			continue
		}
		result := "struct{}"
		if e, _, _ := resultsOf(m.decl.Type); e != nil {
			if elem := w.forwarded(m.file, e); elem != nil {
				e = elem
			}
			result = w.text(m.file, e)
		}
		fmt.Fprintf(&sends, "func (%s) %s(*%s.Ctx%s) %s\n", handle, m.behaviour.Name, rt, parameters, stubBody)
		fmt.Fprintf(&sends, "func (%s) %s(*%s.Ctx%s) %s.Future[%s] %s\n",
			handle, askName(m.behaviour), rt, parameters, w.qualifier(futuresPath), result, stubBody)
	}
	fmt.Fprintf(&w.body, "type encorert_%s struct { %s.Actor; state %s }\n", t.actor.Name, rt, t.actor.Name)
	fmt.Fprintf(&w.body, "type %s struct { %s *encorert_%s }\n", handle, handleField(t.actor), t.actor.Name)
	fmt.Fprintf(&w.body, "func New%s(*%s.Ctx%s) %s %s\n", handle, rt, newParameters, handle, stubBody)
	fmt.Fprintf(&w.body, "func (*%s) Self(*%s.Ctx) %s %s\n", t.actor.Name, rt, handle, stubBody)
	w.body.Write(sends.Bytes())
}

// forwarded returns what e is a future of, if it is written as a type futures.Future, see Behaviour.forwards; else nil.
func (w *stubWriter) forwarded(f *sourceFile, e ast.Expr) ast.Expr {
	index, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok {
		return nil
	}
	switch x := ast.Unparen(index.X).(type) {
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok && f.imports[id.Name] == futuresPath && x.Sel.Name == "Future" {
			return index.Index
		}
	case *ast.Ident:
		if _, declared := w.unit.pkg.Declared[x.Name]; !declared && x.Name == "Future" && slices.Contains(f.dots, futuresPath) {
			return index.Index
		}
	}
	return nil
}

func (w *stubWriter) object(t *typeDecl) {
	rt, name := w.qualifier(rtPath), t.object.Name
	w.blank = gcPath
	var parameters strings.Builder
	fmt.Fprintf(&w.body, "func (*%s) EncoreObject() {}\n", name)
	for _, field := range structOf(t.spec).Fields.List {
		names := []string{embeddedName(field.Type)}
		if len(field.Names) > 0 {
			names = names[:0]
			for _, id := range field.Names {
				names = append(names, id.Name)
			}
		}
		for _, n := range names {
			if n == "_" {
				continue
			}
			fmt.Fprintf(&parameters, ", %s", w.text(t.file, field.Type))
			f, e := w.setterType(t.file, field.Type)
			if _, own := t.object.Members[setterName(n)]; own || e == nil {
				continue // a method of the user's own: a clash only if pass 2 finds a heap pointer
			}
			index := ""
			if array, ok := e.(*ast.ArrayType); ok {
				index, e = ", int", array.Elt
			}
			fmt.Fprintf(&w.body, "func (*%s) %s(*%s.Ctx%s, %s) %s\n", name, setterName(n), rt, index, w.text(f, e), stubBody)
		}
	}
	fmt.Fprintf(&w.body, "func %s(*%s.Ctx%s) *%s %s\n", constructorName(t.object), rt, parameters.String(), name, stubBody)
}

// setterType returns the type that decides about the setter of a field, found
// through local names, with its file: a pointer, an array of pointers, or a
// name that may stand for either. nil: no setter.
func (w *stubWriter) setterType(f *sourceFile, e ast.Expr) (*sourceFile, ast.Expr) {
	origin, written := f, e
	for range 16 { // longer chains of names, and cycles, are type errors or strange
		switch t := e.(type) {
		case *ast.ParenExpr:
			e = t.X
			continue
		case *ast.Ident:
			if local := w.unit.types[t.Name]; local != nil {
				f, e = local.file, local.spec.Type
				continue
			}
			if isPredeclared(t.Name) {
				return nil, nil
			}
			return origin, written // dot import
		case *ast.StarExpr, *ast.SelectorExpr, *ast.IndexExpr:
			return origin, written
		case *ast.ArrayType:
			if _, local := w.setterType(f, t.Elt); t.Len != nil && local != nil {
				return f, e
			}
		}
		return nil, nil
	}
	return nil, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
