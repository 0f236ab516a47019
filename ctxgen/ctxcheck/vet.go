package ctxcheck

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// Config says what Vet is to check.
type Config struct {
	Dir      string   // where patterns are relative to; "" is the current directory
	Patterns []string // of packages, as the go command has them; none are "."
	Tags     string   // build tags, separated by commas
}

// Finding is one fault.
type Finding struct {
	Pos      token.Position `json:"pos"`
	Category string         `json:"category"` // the group of rules, see docs/ctxcheck.md
	Message  string         `json:"message"`
	Fix      string         `json:"fix,omitempty"` // what Fix would do about it; "" if it must be done by hand
	edits    []edit
}

// String writes it as compilers do.
func (f Finding) String() string { return fmt.Sprintf("%s: %s", f.Pos, f.Message) }

// edit replaces bytes of a file.
type edit struct {
	file       string
	start, end int
	text       string
}

// LoadError is returned for packages that cannot be checked, since they do not compile.
type LoadError struct{ Errors []packages.Error }

func (e *LoadError) Error() string {
	lines := make([]string, len(e.Errors))
	for i, one := range e.Errors {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Vet loads packages, their tests included, and returns what is wrong in them, by position. The error is a *LoadError where
// packages do not compile.
func Vet(stdctx context.Context, cfg Config) ([]Finding, error) {
	load := &packages.Config{Context: stdctx, Dir: cfg.Dir, Mode: packages.LoadSyntax | packages.NeedModule, Tests: true}
	if cfg.Tags != "" {
		load.BuildFlags = []string{"-tags=" + cfg.Tags}
	}
	patterns := cfg.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	pkgs, err := packages.Load(load, patterns...)
	if err != nil {
		return nil, err
	}
	if len(pkgs) == 0 {
		return nil, fmt.Errorf("ctxcheck: %s matched no packages", strings.Join(patterns, " "))
	}
	failed := &LoadError{}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			if !slices.Contains(failed.Errors, e) {
				failed.Errors = append(failed.Errors, e)
			}
		}
	}
	if len(failed.Errors) > 0 {
		return nil, failed
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{Analyzer}, pkgs, nil)
	if err != nil {
		return nil, err
	}
	var found []Finding
	var broken []error
	for _, action := range graph.Roots {
		if action.Err != nil {
			broken = append(broken, action.Err)
		}
		for _, d := range action.Diagnostics {
			found = append(found, finding(action.Package.Fset, d))
		}
	}
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Offset, b.Pos.Offset), cmp.Compare(a.Message, b.Message))
	})
	// A package and its test variant have the same files.
	found = slices.CompactFunc(found, func(a, b Finding) bool { return a.Pos == b.Pos && a.Message == b.Message })
	return found, errors.Join(broken...)
}

func finding(fset *token.FileSet, d analysis.Diagnostic) Finding {
	f := Finding{Pos: fset.Position(d.Pos), Category: d.Category, Message: d.Message}
	if len(d.SuggestedFixes) > 0 {
		fix := d.SuggestedFixes[0]
		f.Fix = fix.Message
		for _, e := range fix.TextEdits {
			file := fset.File(e.Pos)
			f.edits = append(f.edits, edit{file.Name(), file.Offset(e.Pos), file.Offset(e.End), string(e.NewText)})
		}
	}
	return f
}

// Fix applies the fixes of findings to their files, formats those, and returns the findings that are left: they have no
// fix, or theirs touches the same bytes as another. The findings must be of the files as they are.
func Fix(found []Finding) (left []Finding, err error) {
	byFile := map[string][]edit{}
	for _, f := range found {
		if len(f.edits) == 0 || !slices.ContainsFunc(f.edits, func(e edit) bool { return !clashes(byFile[e.file], e) }) {
			left = append(left, f)
			continue
		}
		for _, e := range f.edits {
			if !slices.Contains(byFile[e.file], e) {
				byFile[e.file] = append(byFile[e.file], e)
			}
		}
	}
	for name, edits := range byFile {
		if err := rewrite(name, edits); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// clashes reports whether e touches the bytes of one of edits that is not the same.
func clashes(edits []edit, e edit) bool {
	return slices.ContainsFunc(edits, func(o edit) bool {
		return o != e && (o.start < e.end && e.start < o.end || o.start == e.start)
	})
}

func rewrite(name string, edits []edit) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.start < at || e.end > len(text) {
			return fmt.Errorf("ctxcheck: %s has changed since it was checked", name)
		}
		out.Write(text[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(text[at:])
	formatted, err := format.Source(out.Bytes())
	if err != nil {
		return fmt.Errorf("ctxcheck: the fixed %s: %w", name, err)
	}
	return os.WriteFile(name, formatted, info.Mode().Perm())
}
