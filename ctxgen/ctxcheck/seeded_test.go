package ctxcheck

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/ast/astutil"

	"github.com/encorert/encorert/internal/hammer"
)

// plant is one fault: a change of a file's text.
type plant struct {
	file  string
	edits []edit
	line  int
}

// planter finds the places of one file where a kind of fault can be planted.
type planter struct {
	name string
	text string
	fset *token.FileSet
	file *ast.File
	out  []plant
	// object is the name of an object type of the package, "" if it has none.
	object string
}

// kinds of faults, and how to plant each wherever it can be.
var faults = map[string]func(p *planter, n ast.Node, up []ast.Node){
	"a reload is missing": func(p *planter, n ast.Node, up []ast.Node) {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN && len(a.Rhs) == 1 && isLoad(a.Rhs[0]) && inList(up) {
			p.cut(a)
		}
	},
	"the context of before is used": func(p *planter, n ast.Node, up []ast.Node) {
		star, ok := n.(*ast.StarExpr)
		if !ok || !isLoad(star) || len(up) == 0 {
			return
		}
		call, ok := up[0].(*ast.CallExpr)
		if !ok || slices.Index(call.Args, ast.Expr(star)) < 0 {
			return
		}
		body, literal := function(up)
		if literal || body == nil || !switchedBefore(body, up, star.Pos()) {
			return
		}
		p.out = append(p.out, p.plant(star, p.insert(body.Lbrace+1, "\nstale := "+p.source(star)+"\n"), p.replace(star, "stale")))
	},
	"a context is used after a new safepoint": func(p *planter, n ast.Node, up []ast.Node) {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && len(a.Rhs) == 1 && isLoad(a.Rhs[0]) && inList(up) {
			p.out = append(p.out, p.plant(a, p.insert(a.End(), "\nrt.Safepoint("+p.source(a.Rhs[0].(*ast.StarExpr).X)+")\n")))
		}
	},
	"a frame is missing": func(p *planter, n ast.Node, up []ast.Node) {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Rhs) != 1 || !isPush(a.Rhs[0]) || !inList(up) {
			return
		}
		edits := []edit{p.replace(a, "")}
		body, _ := function(up)
		for _, pop := range p.pops(body, a.Lhs[0].(*ast.Ident).Name) {
			edits = append(edits, p.replace(pop, "_ = 0"))
		}
		p.out = append(p.out, p.plant(a, edits...))
	},
	"a frame ends too early": func(p *planter, n ast.Node, up []ast.Node) {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == 1 && isPush(a.Rhs[0]) && inList(up) {
			push := a.Rhs[0].(*ast.CallExpr)
			p.out = append(p.out, p.plant(a, p.insert(a.End(), "\n"+a.Lhs[0].(*ast.Ident).Name+".Pop("+p.source(push.Args[0])+")\n")))
		}
	},
	"a frame lacks a pointer": func(p *planter, n ast.Node, up []ast.Node) {
		if c, ok := n.(*ast.CallExpr); ok && isPush(c) {
			for _, a := range c.Args[1:] {
				p.out = append(p.out, p.plant(a, p.replace(a, "(*byte)(nil)")))
			}
		}
	},
	"a barrier is missing": func(p *planter, n ast.Node, up []ast.Node) {
		if e, ok := n.(*ast.ExprStmt); ok && strings.HasPrefix(p.source(e), "gc.Barrier(") {
			p.cut(e)
		}
	},
	"a setter is bypassed": func(p *planter, n ast.Node, up []ast.Node) {
		e, ok := n.(*ast.ExprStmt)
		if !ok {
			return
		}
		call, ok := e.X.(*ast.CallExpr)
		if !ok {
			return
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || len(call.Args) < 2 {
			return
		}
		field, ok := strings.CutPrefix(strings.Replace(s.Sel.Name, "Set", "set", 1), "set")
		if !ok {
			return
		}
		if s.Sel.Name[0] == 's' {
			field = strings.ToLower(field[:1]) + field[1:]
		}
		to := p.source(s.X) + "." + field
		if len(call.Args) == 3 {
			to += "[" + p.source(call.Args[1]) + "]"
		}
		p.out = append(p.out, p.plant(e, p.replace(e, to+" = "+p.source(call.Args[len(call.Args)-1]))))
	},
	"a cell is kept in a global variable":  atStart("keptCell = %s", "var keptCell **rt.Ctx"),
	"a cell is kept in a struct":           atStart("_ = &keptIn{%s}", "type keptIn struct{ cell **rt.Ctx }"),
	"a cell is written":                    atStart("*%[1]s = *%[1]s", ""),
	"a cell is given to a goroutine":       atStart("go rt.Safepoint(%s)", ""),
	"a cell is captured by a goroutine":    atStart("go func() { rt.Safepoint(%s) }()", ""),
	"a cell is sent":                       atStart("keptCells <- %s", "var keptCells chan **rt.Ctx"),
	"a cell is captured and kept":          atStart("keptThen = func() { rt.Safepoint(%s) }", "var keptThen func()"),
	"a context is kept in a global":        atStart("keptCtx = *%s", "var keptCtx *rt.Ctx"),
	"a cached context is passed as a cell": atStart("faked := *%s\nrt.Safepoint(&faked)", ""),
	"a context is stale in a deferred call": atStart(
		"defer (*%[1]s).Worker()\nrt.Safepoint(%[1]s)", ""),
	"a context is stale in the next round": atStart(
		"for round, ctx := 0, *%[1]s; round < 2; round++ {\n_ = ctx.Worker()\nrt.Safepoint(%[1]s)\n}", ""),
	"an object is a composite literal": func(p *planter, n ast.Node, up []ast.Node) {
		if c, ok := n.(*ast.CallExpr); ok {
			if id, ok := c.Fun.(*ast.Ident); ok {
				if t, ok := strings.CutPrefix(id.Name, "New"); ok && p.isObject(t) {
					p.out = append(p.out, p.plant(c, p.replace(c, "&"+t+"{}")))
				}
				if t, ok := strings.CutPrefix(id.Name, "new"); ok && t != "" && p.isObject(strings.ToLower(t[:1])+t[1:]) {
					p.out = append(p.out, p.plant(c, p.replace(c, "new("+strings.ToLower(t[:1])+t[1:]+")")))
				}
			}
		}
	},
	"an object is copied":                       withObject("copied := *%s\n_ = copied", ""),
	"a pointer is kept in a global":             withObject("keptObject = %s", "var keptObject any"),
	"a pointer is given to a goroutine":         withObject("go func() { println(*%s == *%[1]s) }()", ""),
	"a pointer is used after a collection":      withPlanted("rt.Safepoint(%s)\nplanted.EncoreObject()", ""),
	"a pointer is used in the next round":       withPlanted("for range 2 {\nplanted.EncoreObject()\nrt.Safepoint(%s)\n}", ""),
	"a pointer is used by a deferred call":      withPlanted("defer planted.EncoreObject()\nrt.Safepoint(%s)", ""),
	"a pointer is used by a literal afterwards": withPlanted("use := func() { planted.EncoreObject() }\nrt.Safepoint(%s)\nuse()", ""),
	"a pointer is captured and kept":            withPlanted("keptThen = func() { planted.EncoreObject() }", "var keptThen func()"),
	"a pointer is sent":                         withPlanted("keptObjects <- planted", "var keptObjects chan any"),
}

// equivalents are places where a change makes no fault.
var equivalents = map[string]string{
	"gc.Push2(ctx, (*byte)(nil), w)": "the first is not used afterwards",
	"_ = new(leaf)":                  "the compiler leaves it out",
}

// atStart plants statements at the begin of each function with a cell.
func atStart(statements, extra string) func(p *planter, n ast.Node, up []ast.Node) {
	return func(p *planter, n ast.Node, up []ast.Node) {
		f, ok := n.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			return
		}
		if cell := cellOf(f.Type); cell != "" {
			edits := []edit{p.insert(f.Body.Lbrace+1, "\n"+fmt.Sprintf(statements, cell)+"\n")}
			if extra != "" {
				edits = append(edits, p.insert(p.file.FileEnd, "\n"+extra+"\n"))
			}
			p.out = append(p.out, p.plant(f, edits...))
		}
	}
}

// withObject plants statements behind each declaration of a variable that points to an object.
func withObject(statements, extra string) func(p *planter, n ast.Node, up []ast.Node) {
	return func(p *planter, n ast.Node, up []ast.Node) {
		add := func(name string, pos token.Pos) {
			edits := []edit{p.insert(pos, "\n"+fmt.Sprintf(statements, name)+"\n")}
			if extra != "" {
				edits = append(edits, p.insert(p.file.FileEnd, "\n"+extra+"\n"))
			}
			p.out = append(p.out, plant{p.name, edits, p.fset.Position(pos).Line})
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			for _, field := range n.Type.Params.List {
				if s, ok := field.Type.(*ast.StarExpr); ok && p.isObject(p.source(s.X)) && n.Body != nil {
					for _, name := range field.Names {
						add(name.Name, n.Body.Lbrace+1)
					}
				}
			}
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE || len(n.Rhs) != 1 || !inList(up) {
				return
			}
			if c, ok := n.Rhs[0].(*ast.CallExpr); ok {
				if t, ok := strings.CutPrefix(p.source(c.Fun), "New"); ok && p.isObject(t) {
					add(n.Lhs[0].(*ast.Ident).Name, n.End())
				}
			}
		}
	}
}

// withPlanted plants statements with a pointer to an object at the begin of each function with a cell.
func withPlanted(statements, extra string) func(p *planter, n ast.Node, up []ast.Node) {
	return func(p *planter, n ast.Node, up []ast.Node) {
		if p.object != "" {
			extra := extra + "\nfunc plantedObject() *" + p.object + " { return nil }"
			atStart("planted := plantedObject()\n"+statements+"\n_ = %[1]s", extra)(p, n, up)
		}
	}
}

// isObject reports whether the file's package generates an object type of that name: the marker or the annotation is there.
func (p *planter) isObject(name string) bool {
	return strings.Contains(p.text, "func (*"+name+") EncoreObject()") || strings.Contains(p.text, "//encore:object\ntype "+name+" struct")
}

func (p *planter) source(n ast.Node) string {
	return p.text[p.fset.Position(n.Pos()).Offset:p.fset.Position(n.End()).Offset]
}

// runtime returns the name by which the file knows package rt.
func (p *planter) runtime() string {
	for _, i := range p.file.Imports {
		if i.Path.Value == `"`+rtPath+`"` && i.Name != nil {
			return i.Name.Name
		}
	}
	return "rt"
}

func (p *planter) replace(n ast.Node, text string) edit {
	return edit{p.name, p.fset.Position(n.Pos()).Offset, p.fset.Position(n.End()).Offset, text}
}

func (p *planter) insert(pos token.Pos, text string) edit {
	text = strings.ReplaceAll(text, "rt.", p.runtime()+".")
	offset := p.fset.Position(pos).Offset
	return edit{p.name, offset, offset, text}
}

func (p *planter) plant(at ast.Node, edits ...edit) plant {
	return plant{p.name, edits, p.fset.Position(at.Pos()).Line}
}

func (p *planter) cut(n ast.Node) { p.out = append(p.out, p.plant(n, p.replace(n, ""))) }

// pops returns the statements that end the frame.
func (p *planter) pops(body *ast.BlockStmt, frame string) (found []ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		if e, ok := n.(*ast.ExprStmt); ok && strings.HasPrefix(p.source(e), frame+".Pop(") {
			found = append(found, e)
		}
		return true
	})
	return found
}

func (pl plant) apply(text string) string {
	edits := slices.Clone(pl.edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return b.start - a.start })
	for _, e := range edits {
		text = text[:e.start] + e.text + text[e.end:]
	}
	return text
}

// isLoad reports whether e is *cctx.
func isLoad(e ast.Expr) bool {
	s, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && strings.HasPrefix(id.Name, "cctx")
}

func isPush(e ast.Expr) bool {
	c, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := c.Fun.(*ast.SelectorExpr)
	return ok && strings.HasPrefix(s.Sel.Name, "Push")
}

// cellOf returns the name of the parameter that is a cell.
func cellOf(f *ast.FuncType) string {
	for _, p := range f.Params.List {
		if s, ok := p.Type.(*ast.StarExpr); ok {
			if _, ok := s.X.(*ast.StarExpr); ok && len(p.Names) == 1 && p.Names[0].Name != "_" {
				return p.Names[0].Name
			}
		}
	}
	return ""
}

func inList(up []ast.Node) bool {
	if len(up) == 0 {
		return false
	}
	switch up[0].(type) {
	case *ast.BlockStmt, *ast.CaseClause:
		return true
	}
	return false
}

// function returns the body of the function around, and whether that is a literal.
func function(up []ast.Node) (body *ast.BlockStmt, literal bool) {
	for _, n := range up {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n.Body, true
		case *ast.FuncDecl:
			return n.Body, false
		}
	}
	return nil, false
}

// switchedBefore reports whether a statement that certainly runs before pos has a call with the cell in it.
func switchedBefore(body *ast.BlockStmt, up []ast.Node, pos token.Pos) bool {
	for _, s := range body.List {
		if s.End() > pos {
			return false
		}
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.AssignStmt:
			found := false
			ast.Inspect(s, func(n ast.Node) bool {
				if _, ok := n.(*ast.FuncLit); ok {
					return false
				}
				if c, ok := n.(*ast.CallExpr); ok {
					for _, a := range c.Args {
						if id, ok := a.(*ast.Ident); ok && id.Name == "cctx" {
							found = true
						}
					}
				}
				return true
			})
			if found {
				return true
			}
		}
	}
	return false
}

var marker = regexp.MustCompile(`func \(\*(\w+)\) EncoreObject\(\)`)

// plants returns the faults of one kind that can be planted in s.
func plants(t *testing.T, s *subject, find func(p *planter, n ast.Node, up []ast.Node)) (all []plant) {
	object := ""
	for _, text := range s.texts {
		if m := marker.FindStringSubmatch(text); m != nil {
			object = max(object, m[1])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.texts)) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, s.texts[name], parser.SkipObjectResolution|parser.ParseComments)
		require.NoError(t, err)
		p := &planter{name: name, text: s.texts[name], fset: fset, file: file, object: object}
		var up []ast.Node
		astutil.Apply(file, func(c *astutil.Cursor) bool {
			if c.Node() != nil {
				find(p, c.Node(), slices.Collect(func(yield func(ast.Node) bool) {
					for _, n := range slices.Backward(up) {
						if !yield(n) {
							return
						}
					}
				}))
			}
			up = append(up, c.Node())
			return true
		}, func(*astutil.Cursor) bool {
			up = up[:len(up)-1]
			return true
		})
		all = append(all, p.out...)
	}
	return all
}

// Faults are planted wherever they can be, one at a time, in generated code and in what people write; every one is found.
func TestSeededFaultsAreFound(t *testing.T) {
	all, err := subjects()
	require.NoError(t, err)
	most := hammer.Rounds(3, 1<<20) // of a kind
	planted := 0
	for _, kind := range slices.Sorted(maps.Keys(faults)) {
		type place struct {
			*subject
			plant
		}
		var places []place
		for _, s := range all {
			for _, pl := range plants(t, s, faults[kind]) {
				places = append(places, place{s, pl})
			}
		}
		require.Greater(t, len(places), 7, kind)
		step := max(1, len(places)/most)
		found, broken := 0, 0
		for k, pl := range places {
			if s := pl.subject; k%step == 0 {
				text := pl.apply(s.texts[pl.file])
				if slices.ContainsFunc(slices.Collect(maps.Keys(equivalents)), func(same string) bool { return strings.Contains(text, same) }) {
					continue
				}
				reports, err := s.check(map[string]string{pl.file: text})
				if err != nil {
					broken++
					t.Logf("%s: %s:%d: %v", kind, pl.file, pl.line, err)
					continue
				}
				planted++
				for _, r := range reports {
					assert.True(t, r.Pos.IsValid(), "%s: %s:%d: %s has no position", kind, pl.file, pl.line, r.Message)
				}
				if len(reports) > 0 {
					found++
				} else {
					assert.Fail(t, "a fault that is not found", "%s: %s:%d", kind, pl.file, pl.line)
				}
			}
		}
		t.Logf("%s: %d found, %d do not compile", kind, found, broken)
	}
	t.Logf("%d faults planted", planted)
	assert.Greater(t, planted, min(3*len(faults)/2, 2500))
}
