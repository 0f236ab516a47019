package ctxgen

// The generator's output and its error texts, looked at. Whether the output
// compiles and works is endtoend_test.go's business.

import (
	"errors"
	"flag"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the want directories of testdata")

const errorsFile = "errors.txt"

// goldenCase is a directory of testdata: packages, and what is wanted for them in want/.
type goldenCase struct {
	dir      string // testdata/Bank
	packages []string
}

func goldenCases(t *testing.T, bad bool) []goldenCase {
	t.Helper()
	dirs, err := filepath.Glob("testdata/*")
	require.NoError(t, err)
	var cases []goldenCase
	for _, dir := range dirs {
		if strings.HasPrefix(filepath.Base(dir), "Bad") != bad {
			continue
		}
		c := goldenCase{dir: dir}
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if d.IsDir() && d.Name() == "want" {
				return filepath.SkipDir
			}
			if pattern := "./" + filepath.ToSlash(filepath.Dir(path)); strings.HasSuffix(path, ".go") && !slices.Contains(c.packages, pattern) {
				c.packages = append(c.packages, pattern)
			}
			return err
		}))
		cases = append(cases, c)
	}
	require.NotEmpty(t, cases)
	return cases
}

// goldenPath is where the wanted content of a generated file is kept.
func (c goldenCase) goldenPath(t *testing.T, output string) string {
	t.Helper()
	dir, err := filepath.Abs(c.dir)
	require.NoError(t, err)
	rel, err := filepath.Rel(dir, output)
	require.NoError(t, err)
	return filepath.Join(c.dir, "want", rel)
}

func compareGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test -update to make the file")
	assert.Equal(t, string(want), string(got))
}

func TestGoldenOutput(t *testing.T) {
	cases := goldenCases(t, false)
	var patterns []string
	for _, c := range cases {
		patterns = append(patterns, c.packages...)
	}
	files, err := Generate(t.Context(), Config{Patterns: patterns})
	require.NoError(t, err)
	written := 0
	for _, c := range cases {
		t.Run(filepath.Base(c.dir), func(t *testing.T) {
			prefix, err := filepath.Abs(c.dir)
			require.NoError(t, err)
			for _, f := range files {
				if strings.HasPrefix(f.Path, prefix+string(filepath.Separator)) {
					compareGolden(t, c.goldenPath(t, f.Path), f.Content)
					written++
				}
			}
		})
	}
	assert.Equal(t, len(files), written, "every file belongs to a case")
}

// Row 69: the header must be the one that Go's tools know; row 66: gofmt finds nothing to do.
func TestGoldensAreRecognisedAndFormatted(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/want/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments)
		require.NoError(t, err)
		assert.True(t, ast.IsGenerated(f), path)
		assert.Nil(t, f.Doc, "%s: the header must not become the package's documentation", path)
		formatted, err := format.Source(text)
		require.NoError(t, err)
		assert.Equal(t, string(formatted), string(text), path)
	}
}

// Row 56: between two calls that may switch, glue holds no context that it did not take in between.
func TestGlueTakesContextAgain(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/want/*.go")
	require.NoError(t, err)
	switching, after := 0, 0
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !takesContextPointer(fn.Type) {
				continue
			}
			switched := false // the behaviour was called, and ctx not taken since
			for _, stmt := range fn.Body.List {
				ast.Inspect(stmt, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, "ctx") {
						if assign, ok := stmt.(*ast.AssignStmt); ok && assign.Lhs[0] == n {
							switched = false
						}
						assert.False(t, switched, "%s: %s uses a stale context", path, fn.Name.Name)
						after++
					}
					return true
				})
				ast.Inspect(stmt, func(n ast.Node) bool {
					if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
						if id, ok := call.Args[0].(*ast.Ident); ok && strings.HasPrefix(id.Name, "cctx") {
							switched = true
							switching++
						}
					}
					return true
				})
			}
		}
	}
	assert.Positive(t, switching)
	assert.Positive(t, after)
}

func TestGoldenErrors(t *testing.T) {
	for _, c := range goldenCases(t, true) {
		t.Run(filepath.Base(c.dir), func(t *testing.T) {
			files, err := Generate(t.Context(), Config{Patterns: c.packages})
			require.Error(t, err)
			assert.Empty(t, files)
			var errs Errors
			require.True(t, errors.As(err, &errs), "%v", err)
			var text strings.Builder
			for _, e := range errs { // not err.Error(), which is bounded
				text.WriteString(strings.TrimPrefix(filepath.ToSlash(e.Error()), filepath.ToSlash(c.dir)+"/") + "\n")
				assert.NotZero(t, e.Pos.Filename, "%v", e)
			}
			compareGolden(t, filepath.Join(c.dir, "want", errorsFile), []byte(text.String()))
		})
	}
}
