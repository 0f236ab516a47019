package ctxgen

// The generator's output, compiled, vetted and run against the real runtime.
// What it looks like is golden_test.go's business.

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// overlayGoldens lets the go command see the wanted output of the cases as if it had been generated.
func overlayGoldens(t *testing.T) (overlay string, packages []string) {
	t.Helper()
	replace := map[string]string{}
	for _, c := range goldenCases(t, false) {
		packages = append(packages, c.packages...)
		want := filepath.Join(c.dir, "want")
		for _, pattern := range c.packages {
			rel, err := filepath.Rel(c.dir, filepath.FromSlash(pattern))
			require.NoError(t, err)
			outputs, err := filepath.Glob(filepath.Join(want, rel, "*"+outputSuffix))
			require.NoError(t, err)
			for _, output := range outputs {
				real, err := filepath.Abs(output)
				require.NoError(t, err)
				place, err := filepath.Abs(filepath.Join(c.dir, rel, filepath.Base(output)))
				require.NoError(t, err)
				replace[place] = real
			}
		}
	}
	require.NotEmpty(t, replace)
	text, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	overlay = filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(overlay, text, 0o644))
	return overlay, packages
}

func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput()
	require.NoError(t, err, "go %s:\n%s", strings.Join(args, " "), out)
	return string(out)
}

// Rows 61 to 63, and the shapes of every declaration: the tests are in the cases' own packages.
func TestGoldensVetAndRun(t *testing.T) {
	overlay, packages := overlayGoldens(t)
	assert.Empty(t, goCommand(t, append([]string{"vet", "-overlay", overlay}, packages...)...))
	goCommand(t, append([]string{"test", "-overlay", overlay}, packages...)...)
}

// Allocation and stores cost what they should only if the compiler inlines them; its verdicts are in its -m output.
func TestConstructorsSettersAndSendsInline(t *testing.T) {
	overlay, _ := overlayGoldens(t)
	out := goCommand(t, "build", "-gcflags=-m=2", "-overlay", overlay, "./testdata/Heap", "./testdata/Bank")
	for _, want := range []string{
		"can inline NewNode with cost",
		"can inline newLeaf with cost",
		"can inline (*Node).setLeft with cost",
		"can inline (*Node).setRight with cost",
		"can inline (*huge).setNext with cost",
		"can inline Account.Deposit with cost",
		"can inline Account.Withdraw with cost",
		"can inline Clerk.Again with cost",
		"can inline Clerk.Transfer with cost",
		"can inline (*clerk).Self with cost",
	} {
		assert.Contains(t, out, want)
	}
}

const counterSource = `package counter

import "github.com/encorert/encorert/rt"

//go:generate go tool encorert gen

// counter counts.
//
//encore:actor
type counter struct{ n int }

//encore:behaviour
func (c *counter) Add(cctx **rt.Ctx, n int) int { c.n += n; return c.n }
`

const counterMain = `package main

import (
	"fmt"

	"example.com/user/counter"
	"github.com/encorert/encorert/rt"
)

func main() {
	rt.Main(func(cctx **rt.Ctx) {
		c := counter.NewCounter(*cctx)
		c.Add(*cctx, 40)
		n, err := c.AskAdd(*cctx, 2).Get(cctx)
		fmt.Println(n, err)
	})
}
`

// A module of somebody else: go generate by its tool directive, then build, vet and run.
func TestGoGenerateFromAnotherModule(t *testing.T) {
	m := newModule(t, "counter/counter.go", counterSource, "main.go", counterMain)
	m.mustRun("go", "generate", "./...")
	assert.Empty(t, m.mustRun("go", "vet", "./..."))
	assert.Equal(t, "42 <nil>\n", m.mustRun("go", "run", "."))
	m.mustRun("go", "tool", "encorert", "gen", "--check", "./...")
}
