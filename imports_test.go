package encorert_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/encorert/encorert"

// imports is the policy: what each package may import from this module, and from other modules. An edge that is not
// here is a decision about the architecture: change docs/architecture.md and docs/rationale.md with it, not this list
// to make a build pass.
var imports = map[string]string{
	"internal/arena":     "golang.org/x/sys/unix golang.org/x/sys/windows",
	"internal/invariant": "github.com/petermattis/goid",
	"internal/hammer":    "",
	"internal/gang":      "internal/invariant",
	"internal/mailbox":   "internal/invariant",
	"internal/park":      "internal/invariant",
	"internal/ring":      "internal/invariant",
	"internal/runq":      "",
	"internal/strand":    "",

	"gc/heap":   "internal/arena internal/invariant",
	"rt":        "gc/heap internal/gang internal/invariant internal/mailbox internal/park internal/ring internal/runq internal/strand",
	"rt/rttest": "rt", // for tests only
	"gc":        "rt gc/heap internal/invariant",
	"futures":   "rt gc gc/heap internal/invariant",

	// The tool side imports no runtime package.
	"ctxgen": "golang.org/x/tools/go/packages golang.org/x/tools/go/types/typeutil github.com/dave/jennifer/jen " +
		"github.com/rogpeppe/go-internal/diff",
	"ctxgen/ctxcheck": "golang.org/x/tools/go/analysis golang.org/x/tools/go/analysis/checker golang.org/x/tools/go/ast/astutil " +
		"golang.org/x/tools/go/packages golang.org/x/tools/go/ssa",
	"cmd/encorert": "ctxgen ctxgen/ctxcheck bench/compare github.com/urfave/cli/v3 golang.org/x/tools/go/analysis/unitchecker",

	// Reading results needs neither the benchmarks nor what runs them.
	"bench/compare": "bench/stats",
	"bench/stats":   "gonum.org/v1/gonum/stat gonum.org/v1/gonum/stat/distuv",

	// Programs. cmd/encorert must build when generated code does not, so nothing above imports these.
	"bench": "bench/harness bench/promises bench/answers bench/spawn bench/gcbench bench/heaps bench/ubench bench/contend bench/dispatch bench/messages bench/spread bench/sleep bench/tasks bench/forkjoin github.com/urfave/cli/v3",
	"bench/harness": "bench/stats github.com/urfave/cli/v3 golang.org/x/sys/unix golang.org/x/sys/windows golang.org/x/term " +
		"github.com/schollz/progressbar/v3",
	"bench/timeline":            "gonum.org/v1/plot gonum.org/v1/plot/plotter gonum.org/v1/plot/vg gonum.org/v1/plot/vg/draw gonum.org/v1/plot/vg/vgsvg",
	"bench/gcbench":             "bench/timeline bench/harness bench/stats rt gc futures gc/heap github.com/urfave/cli/v3 golang.org/x/sys/unix golang.org/x/sys/windows",
	"bench/heaps":               "bench/harness bench/goroutines rt gc futures github.com/urfave/cli/v3",
	"bench/goroutines":          "",
	"bench/versus":              "bench/harness bench/stats bench/goroutines github.com/urfave/cli/v3",
	"bench/ubench":              "bench/versus bench/harness bench/goroutines rt futures github.com/urfave/cli/v3",
	"bench/messages":            "bench/versus bench/harness bench/goroutines rt futures github.com/urfave/cli/v3",
	"bench/answers":             "bench/harness rt futures github.com/urfave/cli/v3",
	"bench/spawn":               "bench/harness rt futures github.com/urfave/cli/v3",
	"bench/contend":             "bench/harness bench/stats rt futures github.com/urfave/cli/v3",
	"bench/dispatch":            "bench/harness bench/stats internal/gang github.com/urfave/cli/v3",
	"bench/spread":              "bench/harness bench/stats rt futures github.com/urfave/cli/v3",
	"bench/sleep":               "bench/harness bench/stats bench/goroutines rt futures github.com/urfave/cli/v3",
	"bench/forkjoin":            "bench/harness rt futures github.com/urfave/cli/v3",
	"bench/tasks":               "bench/harness internal/ring github.com/urfave/cli/v3",
	"bench/promises":            "bench/harness bench/stats github.com/urfave/cli/v3",
	"bench/harness/harnesstest": "bench/harness github.com/stretchr/testify/require", // for tests only
	"examples/bank":             "rt gc futures",
}

type listed struct {
	ImportPath string
	Imports    []string
	DepOnly    bool
}

func list(t *testing.T, args ...string) []listed {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Imports,DepOnly"}, args...)...).Output()
	require.NoError(t, err)
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

func TestImportGraph(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Setenv("GOOS", goos)
		t.Setenv("CGO_ENABLED", "0")
		for _, p := range list(t, "-tags", "encorert_invariants", "./...") {
			if p.ImportPath == module {
				continue // these tests
			}
			name := strings.TrimPrefix(p.ImportPath, module+"/")
			policy, known := imports[name]
			if !assert.True(t, known, "package %s is not in the import graph", name) {
				continue
			}
			allowed := strings.Fields(policy)
			for _, imp := range p.Imports {
				first, _, _ := strings.Cut(imp, "/")
				if !strings.Contains(first, ".") {
					continue // standard library
				}
				imp = strings.TrimPrefix(imp, module+"/")
				assert.True(t, slices.Contains(allowed, imp), "%s imports %s, which the graph does not allow", name, imp)
			}
		}
	}
}

// Users of the runtime packages get almost nothing else into their builds.
func TestRuntimeDependsOnNextToNothing(t *testing.T) {
	for _, p := range list(t, "-deps", "./rt", "./gc", "./futures") {
		first, _, _ := strings.Cut(p.ImportPath, "/")
		if strings.Contains(first, ".") && !strings.HasPrefix(p.ImportPath, module) {
			assert.Contains(t, []string{"golang.org/x/sys/unix"}, p.ImportPath)
		}
	}
}

// The command must build when every generated file is broken: it depends on no package that has one.
func TestCommandNeedsNoGeneratedCode(t *testing.T) {
	var dirs []string
	for _, f := range files(t, "_encore.go") {
		dirs = append(dirs, module+"/"+path.Dir(f))
	}
	require.NotEmpty(t, dirs)
	for _, p := range list(t, "-deps", "./cmd/encorert") {
		assert.NotContains(t, dirs, p.ImportPath)
	}
}
