package ctxgen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// typeCheck is pass 2: every unit with its stub in place of its output. What the
// type checker finds does not keep the model from being checked: a fault in a
// declaration often is the cause of what is wrong where it is used.
func (l *loader) typeCheck() error {
	overlay := map[string][]byte{}
	var patterns []string
	units := map[string]*unit{} // that are wanted, by import path
	for _, u := range l.units {
		for _, name := range u.stale {
			overlay[name] = []byte("package " + u.pkg.Name + "\n")
		}
		overlay[u.output] = stub(l.fset, u, &l.errs)
		if u.root && u.annotated() {
			patterns = append(patterns, u.pkg.Path)
			units[u.pkg.Path] = u
		}
	}
	patterns = append(patterns, l.users...)
	if len(l.errs) > 0 || len(patterns) == 0 {
		return l.errs.asError()
	}
	mode := packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule
	cfg := l.config(mode)
	cfg.Overlay = overlay
	// With an overlay everything is read from source, without bodies in dependencies; comments and old-style objects are not looked at.
	cfg.ParseFile = func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
		return parser.ParseFile(fset, name, text, parser.AllErrors|parser.SkipObjectResolution)
	}
	loaded, err := packages.Load(cfg, patterns...)
	if err != nil {
		return l.driverError(err)
	}
	users := slices.DeleteFunc(slices.Clone(loaded), func(p *packages.Package) bool { return units[p.PkgPath] != nil })
	loaded = slices.DeleteFunc(loaded, func(p *packages.Package) bool { return units[p.PkgPath] == nil })
	l.typeErrors(loaded, overlay)
	var declared Errors
	for _, p := range loaded {
		u := units[p.PkgPath]
		if delete(units, p.PkgPath); p.Types == nil {
			continue
		}
		translate(l.fset, u, p.Types, &declared)
		if found, ok := check(u.pkg).(Errors); ok {
			declared = append(declared, found...)
		}
		checkUses(l.fset, u, p, overlay, &l.errs)
	}
	for _, p := range users { // their own errors are no business of the generator
		checkUses(l.fset, nil, p, overlay, &l.errs)
	}
	if len(units) > 0 && len(l.errs) == 0 {
		return fmt.Errorf("ctxgen: the go command has not loaded %s", strings.Join(sortedKeys(units), ", "))
	}
	return inOrder(declared, l.errs)
}

// missingInVendor matches what the go command says of an import that nothing imported when go mod vendor ran.
var missingInVendor = regexp.MustCompile(`^cannot find module providing package (\S+): import lookup disabled by -mod=vendor`)

// typeErrors takes over the errors of the packages and of what they import.
//
// Two kinds come second, since they normally repeat others: what is wrong in a
// stub is wrong in the source that it was copied from, and what the compiler
// says when the go command makes export data, the type checker says too if it
// reads the package from source.
func (l *loader) typeErrors(loaded []*packages.Package, overlay map[string][]byte) {
	var stubs Errors
	notVendored, importers := map[string]bool{}, map[string]bool{}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		before := len(l.errs)
		var builds Errors
		l.listErrors(p, func(e *packages.Error) bool {
			pos := position(e.Pos, l.cfg.Dir)
			switch {
			case overlay[pos.Filename] != nil && missingInVendor.MatchString(e.Msg):
				notVendored[missingInVendor.FindStringSubmatch(e.Msg)[1]] = true
				importers[localPattern(filepath.Dir(pos.Filename), l.cfg.Dir)] = true
			case overlay[pos.Filename] != nil:
				if !strings.Contains(e.Msg, "imported and not used") { // a dot import that is not needed
					stubs.add(pos, "in the stand-in for generated code: %s", e.Msg)
				}
			case e.Kind == packages.ListError && strings.HasPrefix(e.Msg, "# "):
				builds = append(builds, buildErrors(e.Msg, l.cfg.Dir)...)
			case e.Kind == packages.TypeError && strings.HasPrefix(e.Msg, "could not import ") && slices.ContainsFunc(l.errs, at(pos)):
				// The go command has said why.
			default:
				e.Msg += l.missingAnnotation(p.PkgPath, e.Msg)
				return true
			}
			return false
		})
		if len(l.errs) == before {
			l.errs = append(l.errs, builds...)
		}
	})
	if missing := sortedKeys(notVendored); len(missing) > 0 {
		l.errs.add(token.Position{}, "the code generated in %s will import %s, which the vendor directory lacks: run encorert gen before go mod vendor, or vendor again with import _ \"%s\" somewhere in the module",
			strings.Join(sortedKeys(importers), " "), strings.Join(missing, " and "), strings.Join(missing, "\" and _ \""))
	}
	if len(l.errs) == 0 {
		l.errs = append(l.errs, stubs...)
	}
}

var undefined = regexp.MustCompile(`^undefined: (?:(\w+)\.)?(\w+)$`)

// missingAnnotation returns a hint to add to the type checker's message if the
// name that is undefined would be generated for a struct type without annotation.
func (l *loader) missingAnnotation(importPath, message string) string {
	m := undefined.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	for _, u := range l.units {
		if m[1] == "" && u.pkg.Path != importPath || m[1] != "" && u.pkg.Name != m[1] {
			continue
		}
		for _, name := range sortedKeys(u.types) {
			t := u.types[name]
			if structOf(t.spec) == nil || t.actor != nil || t.object != nil {
				continue
			}
			if constructorName(&Object{Name: name}) == m[2] {
				return fmt.Sprintf(" (is %s%s missing above %s?)", annotationPrefix, objectAnnotation, name)
			}
			if a := (&Actor{Name: name}); handleName(a) == m[2] || newName(a) == m[2] {
				return fmt.Sprintf(" (is %s%s missing above %s?)", annotationPrefix, actorAnnotation, name)
			}
		}
	}
	return ""
}

func at(pos token.Position) func(*Error) bool {
	return func(e *Error) bool { return e.Pos.Filename == pos.Filename && e.Pos.Line == pos.Line }
}

// buildErrors reads the lines "file:line:col: message" of the compiler's
// output, without those about stubs, which it sees under temporary names.
func buildErrors(output, dir string) Errors {
	var errs Errors
	for line := range strings.SplitSeq(output, "\n") {
		place, msg, ok := strings.Cut(line, ": ")
		if pos := position(place, dir); ok && pos.IsValid() && !strings.HasSuffix(pos.Filename, outputSuffix) {
			errs.add(pos, "%s", msg)
		}
	}
	return errs
}
