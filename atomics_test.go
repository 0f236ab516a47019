package encorert_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// queuePackages are those whose data several workers touch without one lock around all of it.
var queuePackages = []string{"internal/gang", "internal/mailbox", "internal/park", "internal/ring", "internal/runq"}

// Queues rely on Go's atomics, which are sequentially consistent on every processor, and on nothing weaker: a field that
// several workers touch is of a type of sync/atomic, and so cannot be touched otherwise; or guarded by a lock; or it has
// one owner, and says so.
func TestQueuesShareAtomicsOnly(t *testing.T) {
	exempt := regexp.MustCompile(`Owner: |guarded by mu|[Mm]ade before |, before anybody `)
	shared := regexp.MustCompile(`Readers: (all|any)`)
	// safe are types that any goroutine may use, or structs that are looked at themselves.
	safe := []string{"sync.Mutex", "sync.Once", "sync.WaitGroup", "word", "crew"}
	atomics := 0
	for _, name := range files(t, ".go") {
		if strings.HasSuffix(name, "_test.go") || !slices.Contains(queuePackages, path.Dir(name)) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		pkg := path.Base(path.Dir(name))
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "atomic" {
					assert.Regexp(t, `^(Bool|U?[Ii]nt(32|64|ptr)|Pointer)$`, n.Sel.Name, "%s: a plain word used atomically can be used plainly as well", name)
				}
			case *ast.Comment:
				assert.NotContains(t, n.Text, "go:linkname", "%s", name)
			case *ast.GenDecl:
				for _, spec := range n.Specs {
					spec, ok := spec.(*ast.TypeSpec)
					if !ok {
						continue
					}
					s, ok := spec.Type.(*ast.StructType)
					if !ok {
						continue
					}
					typ := pkg + "." + spec.Name.Name
					about := n.Doc.Text()
					for _, field := range s.Fields.List {
						said := field.Doc.Text() + field.Comment.Text()
						if strings.Contains(said, "Owner of the rest: ") {
							about += "Owner: "
						}
						kind := types.ExprString(field.Type)
						names := typ
						for _, id := range field.Names {
							names += " " + id.Name
						}
						switch {
						case regexp.MustCompile(`^(\[\w+\])*atomic\.`).MatchString(kind):
							atomics++
						case names == typ+" _", slices.Contains(safe, kind):
						case shared.MatchString(said) && !strings.Contains(said, "guarded by mu"):
							assert.Fail(t, "read by all, and neither atomic nor guarded", "%s", names)
						case !exempt.MatchString(said) && !exempt.MatchString(about):
							assert.Fail(t, "neither atomic nor guarded, and does not say who owns it", "%s", names)
						}
					}
				}
			}
			return true
		})
	}
	assert.GreaterOrEqual(t, atomics, 6)
}
