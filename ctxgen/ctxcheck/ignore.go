package ctxcheck

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// ignorePrefix begins a comment that allows what is reported on its line, or on the next one if it stands by itself.
const ignorePrefix = "//ctxcheck:ignore"

// ignores are the comments of a package that allow something.
type ignores struct {
	lines map[ignoredLine]*ignore
	all   []*ignore
}

type ignoredLine struct {
	file string
	line int
}

type ignore struct {
	pos  token.Pos
	used bool
}

// newIgnores finds them, and reports those that say no reason.
func newIgnores(pass *analysis.Pass) *ignores {
	found := &ignores{lines: map[ignoredLine]*ignore{}}
	for _, file := range pass.Files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				reason, ok := strings.CutPrefix(c.Text, ignorePrefix)
				if !ok || reason != "" && reason[0] != ' ' && reason[0] != '\t' {
					continue
				}
				if strings.TrimSpace(reason) == "" {
					pass.Report(analysis.Diagnostic{Pos: c.Pos(), Category: ignoreCategory, Message: "say why: " + ignorePrefix + " reason"})
					continue
				}
				one := &ignore{pos: c.Pos()}
				found.all = append(found.all, one)
				// As written, whatever a //line directive says.
				p := pass.Fset.PositionFor(c.Pos(), false)
				found.lines[ignoredLine{p.Filename, p.Line}] = one
				if found.lines[ignoredLine{p.Filename, p.Line + 1}] == nil {
					found.lines[ignoredLine{p.Filename, p.Line + 1}] = one
				}
			}
		}
	}
	return found
}

// allows reports whether a comment is there for pos.
func (i *ignores) allows(pass *analysis.Pass, pos token.Pos) bool {
	p := pass.Fset.PositionFor(pos, false)
	one := i.lines[ignoredLine{p.Filename, p.Line}]
	if one != nil {
		one.used = true
	}
	return one != nil
}

// unused reports comments that allow nothing.
func (i *ignores) unused(pass *analysis.Pass) {
	for _, one := range i.all {
		if !one.used {
			pass.Report(analysis.Diagnostic{Pos: one.pos, Category: ignoreCategory, Message: "nothing is reported here: remove the " + ignorePrefix + " comment"})
		}
	}
}
