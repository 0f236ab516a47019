package encorert_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reliabilityRows is how many faults docs/reliability.md must speak of.
const reliabilityRows = 78

// Every fault that others met is either shown by tests that exist, or belongs to an issue.
func TestEveryFaultHasATestOrAnIssue(t *testing.T) {
	text, err := os.ReadFile("docs/reliability.md")
	require.NoError(t, err)
	tests := testNames(t)
	row := regexp.MustCompile(`(?m)^\| (\d+) \| .+ \| (.+) \|$`)
	name := regexp.MustCompile("^`([a-z]+\\.Test\\w+)`$")
	issue := regexp.MustCompile(`^issue [3-6]$`)
	seen := 0
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		seen++
		require.Equal(t, strconv.Itoa(seen), m[1], "rows are in order and complete")
		if issue.MatchString(m[2]) {
			continue
		}
		for _, by := range strings.Split(m[2], ", ") {
			if n := name.FindStringSubmatch(by); assert.NotNil(t, n, "row %d: %s is neither a test nor an issue", seen, by) {
				assert.True(t, tests[n[1]], "row %d: there is no test %s", seen, n[1])
			}
		}
	}
	assert.Equal(t, reliabilityRows, seen)
}

// testNames returns the module's tests as package.TestName.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, file := range files(t, "_test.go") {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		pkg := path.Base(path.Dir(file))
		if pkg == "." {
			pkg = path.Base(module)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				names[pkg+"."+fn.Name.Name] = true
			}
		}
	}
	return names
}

// files returns the module's files whose names end so, but for inputs of tests.
func files(t *testing.T, suffix string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git"):
			return filepath.SkipDir
		case strings.HasSuffix(name, suffix):
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	}))
	return names
}
