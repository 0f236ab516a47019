package ctxgen

// The generator sees the files and packages that a build sees: vendored modules, workspaces, other systems, cgo.

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	thingSource = `package thing

import "github.com/encorert/encorert/rt"

type Thing struct{ N int }

//encore:object
type Node struct{ next *Node }

//encore:actor
type store struct{ things []Thing }

//encore:behaviour
func (s *store) Put(cctx **rt.Ctx, t Thing, n *Node) { s.things = append(s.things, t) }
`
	thingUser = `package user

import (
	"example.com/thing"
	"github.com/encorert/encorert/rt"
)

//encore:actor
type user struct{ s thing.Store }

//encore:behaviour
func (u *user) Use(cctx **rt.Ctx, t thing.Thing, n *thing.Node, s thing.Store) thing.Thing {
	u.s = thing.NewStore(*cctx)
	u.s.Put(*cctx, t, thing.NewNode(*cctx, nil))
	return t
}
`
)

// Row 68: packages in the vendor directory keep their import paths, and
// everything that a run and the build after it need is there: the sources that
// they were copied from have gone, and nothing is downloaded.
func TestVendoredModules(t *testing.T) {
	m := newModule(t, "user/user.go", thingUser, "dep/thing.go", thingSource, "dep/go.mod",
		"module example.com/thing\n\ngo 1.26.0\n\nrequire github.com/encorert/encorert v0.0.0\n")
	m.withoutTool()
	m.write("go.mod", m.read("go.mod")+"\nrequire example.com/thing v0.0.0\n\nreplace example.com/thing => ./dep\n")
	require.NoError(t, m.generate("./...", "example.com/thing"))
	want := m.read("user/user_encore.go")
	m.mustRun("go", "mod", "vendor")
	thing := m.read("vendor/example.com/thing/thing_encore.go")
	require.NoError(t, os.RemoveAll(m.path("dep")))
	require.NoError(t, os.Remove(m.path("user/user_encore.go")))

	m.extra = []string{"GOFLAGS=-mod=vendor -trimpath"}
	require.NoError(t, m.generate("./..."))
	assert.Equal(t, want, m.read("user/user_encore.go"))
	assert.Contains(t, want, `"example.com/thing"`)
	assert.NotContains(t, want, "vendor/")
	assert.Equal(t, thing, m.read("vendor/example.com/thing/thing_encore.go"))
	m.mustRun("go", "build", "./...")

	m.write("user/user.go", strings.ReplaceAll(thingUser, "Use(", "Fetch("))
	require.NoError(t, m.generate("./user"))
	assert.Equal(t, strings.NewReplacer("AskUse", "AskFetch", "userUse", "userFetch", "Use", "Fetch").Replace(strings.ReplaceAll(want, "User", "\x00")),
		strings.ReplaceAll(m.read("user/user_encore.go"), "User", "\x00"))
}
