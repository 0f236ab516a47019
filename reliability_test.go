package encorert_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
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
	out, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*_test.go").Output()
	require.NoError(t, err)
	names := map[string]bool{}
	for file := range strings.Lines(string(out)) {
		file = strings.TrimSpace(file)
		if strings.Contains(file, "/testdata/") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				names[path.Base(path.Dir(file))+"."+fn.Name.Name] = true
			}
		}
	}
	return names
}
