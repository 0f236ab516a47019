package ctxgen

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// An actor split over files that a build for one system, or with one tag, has only some of.
var splitSource = []string{
	"split/split.go", `package split

import "github.com/encorert/encorert/rt"

//encore:object
type Note struct{ next *Note }

//encore:actor
type host struct {
	system
	notes map[int]*Note
}

//encore:behaviour
func (h *host) Keep(cctx **rt.Ctx, n *Note) { h.notes[len(h.notes)] = n }
`,
	"split/split_linux.go", `package split

import "github.com/encorert/encorert/rt"

type system struct{ last *Note }

//encore:behaviour
func (h *host) Open(cctx **rt.Ctx, descriptor int, n *Note) { h.last = n }
`,
	"split/split_windows.go", `package split

import "github.com/encorert/encorert/rt"

type system struct{ handle uintptr }

//encore:behaviour
func (h *host) Open(cctx **rt.Ctx, handle uintptr) { h.handle = handle }
`,
	// No blank line below the constraint: for the go command it is one nevertheless.
	"split/traced.go", `//go:build traced
package split

import "github.com/encorert/encorert/rt"

//encore:behaviour
func (h *host) Trace(cctx **rt.Ctx) int { return len(h.notes) }
`,
}

// One actor in C, and what stands for it where there is no cgo.
var nativeSource = []string{
	"native/native.go", `package native

// int twice(int n) { return 2 * n; }
// typedef struct { int used; } table;
import "C"

import "github.com/encorert/encorert/rt"

//encore:actor
type native struct{ t C.table }

//encore:behaviour
func (n *native) Twice(cctx **rt.Ctx, x int) int {
	n.t.used++
	return int(C.twice(C.int(x)))
}
`,
	"native/plain.go", `//go:build !cgo

package native

import "github.com/encorert/encorert/rt"

//encore:actor
type native struct{}

//encore:behaviour
func (n *native) Twice(cctx **rt.Ctx, x int) int { return 2 * x }
`,
}

// Row 67: generator and build see the same files, whatever the system, the tags and cgo.
func TestSystemsTagsAndCgo(t *testing.T) {
	m := newModule(t, slices.Concat(splitSource, nativeSource)...)
	_, err := exec.LookPath("gcc")
	hasCgo := err == nil
	for _, build := range []struct {
		system, tags string
		cgo          bool
		open         string
		traces, has  bool // whether what is embedded has a heap pointer; whether Trace is there
	}{
		{"linux", "", true, "Open(ctx *rt.Ctx, descriptor int, n *Note)", true, false},
		{"windows", "traced", false, "Open(ctx *rt.Ctx, handle uintptr)", false, true},
		{"linux", "traced", false, "Open(ctx *rt.Ctx, descriptor int, n *Note)", true, true},
	} {
		cgo, input := "CGO_ENABLED=0", "plain.go"
		if build.cgo && hasCgo {
			cgo, input = "CGO_ENABLED=1", "native.go"
		}
		m.extra = []string{"GOOS=" + build.system, cgo}
		generateTagged(t, m, build.tags, "./...")
		out := m.read("split/split_encore.go")
		assert.Contains(t, out, build.open, build)
		assert.Equal(t, build.has, strings.Contains(out, "AskTrace"), build)
		assert.Equal(t, build.traces, strings.Contains(out, "s.last"), build)
		assert.Contains(t, m.read("native/native_encore.go"), "// Input: "+input+".\n", build)
		m.mustRun("go", "build", "-tags="+build.tags, "./...")
	}
}
