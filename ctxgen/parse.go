package ctxgen

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// isWritten reports whether a file can be somebody's work: it is Go, and it
// declares something. What is not, under the name of the output, is a spoilt output.
func isWritten(text []byte) bool {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	return err == nil && len(f.Decls) > 0
}

// unreadable reports the files of a package without annotations that are no Go: they may be meant to have some.
func (l *loader) unreadable(p *packages.Package, sources []string, texts map[string][]byte) {
	l.listErrors(p, func(e *packages.Error) bool {
		name := position(e.Pos, l.cfg.Dir).Filename
		if !slices.Contains(sources, name) {
			return false
		}
		_, err := parser.ParseFile(token.NewFileSet(), "", texts[name], parser.ImportsOnly)
		return err != nil
	})
}

// noteExcluded finds the annotations of a package that has none in the files that the build constraints select, and
// tells who called Generate.
func (l *loader) noteExcluded(u *unit, p *packages.Package) {
	if !u.root || u.annotated() {
		return
	}
	var sources []string
	outputs := u.stale
	for _, name := range p.IgnoredFiles {
		text, err := os.ReadFile(name)
		switch {
		case err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
		case strings.HasSuffix(name, outputSuffix) && headerLine.Match(text):
			outputs = append(slices.Clip(outputs), name)
		case len(annotationsIn(token.NewFileSet(), name, text)) > 0:
			sources = append(sources, name)
		}
	}
	u.excluded = sources != nil
	if u.excluded && l.cfg.Excluded != nil {
		output := ""
		if len(outputs) > 0 {
			output = outputs[0]
		}
		l.cfg.Excluded(sources, output)
	}
}

// annotationsIn returns the annotations of a file that is no source, wherever they stand.
func annotationsIn(fset *token.FileSet, name string, text []byte) (found []*ast.Comment) {
	if !bytes.Contains(text, []byte(annotationPrefix)) {
		return nil
	}
	// A build that includes the file reports its faults.
	f, _ := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	for _, group := range f.Comments {
		for _, c := range group.List {
			if a, err := parseAnnotation(c.Text); err == nil && a != "" {
				found = append(found, c)
			}
		}
	}
	return found
}

// testFiles rejects annotations where they would have no effect.
func (l *loader) testFiles(dir string) {
	names, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is well formed
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for _, c := range annotationsIn(l.fset, name, text) {
			l.errs.add(l.fset.Position(c.Pos()), "%s in a test file is not supported: move the declaration to a file that is no test", strings.TrimRight(c.Text, " \t\r"))
		}
	}
}

// parse reads the hand-written files of a unit and reports their syntax errors.
func (l *loader) parse(u *unit, p *packages.Package, names []string, texts map[string][]byte) {
	for _, name := range names {
		syntax, err := parser.ParseFile(l.fset, name, texts[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			l.syntaxErrors(name, err)
			continue
		}
		f := &sourceFile{name: name, syntax: syntax, imports: map[string]string{}}
		for _, spec := range syntax.Imports {
			l.importSpec(f, p, spec)
		}
		u.files = append(u.files, f)
	}
	l.packageName(u, texts)
}

// packageName sets the name that most files have, annotated ones counting
// twice, and reports the others.
func (l *loader) packageName(u *unit, texts map[string][]byte) {
	count := map[string]int{}
	for _, f := range u.files {
		name := f.syntax.Name.Name
		if bytes.Contains(texts[f.name], []byte(annotationPrefix)) {
			count[name]++
		}
		if count[name]++; count[name] > count[u.pkg.Name] {
			u.pkg.Name = name
		}
	}
	for _, f := range u.files {
		if name := f.syntax.Name; name.Name != u.pkg.Name {
			l.errs.add(l.fset.Position(name.Pos()), "package %s in a directory of package %s", name.Name, u.pkg.Name)
		}
	}
}

func (l *loader) syntaxErrors(name string, err error) {
	list, ok := err.(scanner.ErrorList)
	if !ok {
		l.errs.add(token.Position{Filename: name}, "%v", err)
		return
	}
	for _, e := range list {
		l.errs = append(l.errs, &Error{Pos: e.Pos, Msg: e.Msg})
	}
}

func (l *loader) importSpec(f *sourceFile, p *packages.Package, spec *ast.ImportSpec) {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return // a syntax error that pass 2 reports
	}
	switch {
	case spec.Name == nil:
		name := guessName(path)
		if imported := p.Imports[path]; imported != nil && imported.Name != "" {
			name = imported.Name
		}
		f.imports[name] = path
	case spec.Name.Name == ".":
		f.dots = append(f.dots, path)
	case spec.Name.Name != "_":
		f.imports[spec.Name.Name] = path
	}
}
