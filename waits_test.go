package encorert_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A wait ends when it is told to; whether what it waited for is true is another question, and whoever does not ask it
// again goes on too early after a notice too many, or sleeps for ever after one too few. So each wait of the runtime
// stands in a loop that asks, or here with the reason why it needs none. Nobody waits on a condition variable at all:
// what is in a channel stays there until it is taken.
const (
	closed = "the channel is only ever closed: it stays ready"
	permit = "a buffered channel of one: the permit is itself the state, and who takes it looks at all queues again"
	answer = "one answer comes, and is itself what was waited for"
	room   = "the channel has room: at most one is ever under way"
	counts = "a WaitGroup, which counts"
	looks  = "the driver looks at everything again before it waits again"
)

// waits is where the runtime waits without a loop: package, function, operation.
var waits = map[string]string{
	"park.Lot.Retract: <-l.permits[w]":      permit,
	"park.Lot.Sleep: <-l.permits[w]":        permit,
	"park.Lot.permit: l.permits[w] <- role": room, // none is given before an announcement, which takes the last one

	"rt.newRuntime: <-rt.stopped":       closed,
	"rt.newRuntime: rt.running.Wait()":  counts,
	"rt.Runtime.finish: <-rt.ended":     closed,
	"rt.Runtime.Close: <-rt.closed":     closed,
	"rt.root.answer: r.done <- err":     room,
	"rt.runRoot: r.done <- errHeld":     room,
	"rt.Runtime.checkQuiet: end <- err": room,
	"rt.Runtime.Run: <-end":             answer,
	"rt.Runtime.Run: <-rt.stopped":      closed,

	"rt.Runtime.Shutdown: <-rt.untilQuiet((func() literal))": answer,
	"rt.Runtime.CollectAll: <-c.done":                        closed,
	"rt.Runtime.CollectAll: <-stdctx.Done()":                 closed,
	"rt.Runtime.CollectAll: <-rt.stopped":                    closed,

	"rt.Runtime.Shutdown: <-stdctx.Done()": closed,
	"rt.Runtime.Shutdown: <-rt.stopped":    closed,

	"rt.Reader.offer: <-s.handled":             answer, // to the bytes that were offered just before
	"rt.Reader.offer: <-s.closed":              closed,
	"rt.runReader: s.handled <- struct{}{}":    room,
	"rt.driver.wait: <-d.told":                 looks,
	"rt.driver.wait: <-time.After(timePasses)": looks,

	"gang.Gang.Close: g.crew.alive.Wait()":      counts,
	"gang.Gang.finish: g.permit <- struct{}{}":  room,
	"gang.Share.Add: g.permit <- struct{}{}":    room,
	"gang.Gang.summonOne: c.permits[w] <- work": room,
	"gang.crew.sendAway: c.permits[w] <- leave": room,
	"gang.Gang.rest: <-c.permits[w]":            permit,

	"futures.Future[T].Wait: <-open":             closed,
	"futures.Future[T].Wait: <-stdctx.Done()":    closed,
	"futures.Future[T].Wait: <-c.runtime.Done()": closed,
}

// runtimePackages are those whose waits a user's program depends on.
var runtimePackages = []string{
	"rt", "gc", "gc/heap", "futures", "internal/arena", "internal/gang", "internal/mailbox", "internal/park", "internal/runq", "internal/strand",
}

// Every wait of the runtime stands in a loop or is on the list.
func TestEveryWaitIsInALoopOrListed(t *testing.T) {
	unlisted, used := map[string]token.Position{}, map[string]bool{}
	inLoops := 0
	for _, name := range files(t, ".go") {
		if strings.HasSuffix(name, "_test.go") || !slices.Contains(runtimePackages, path.Dir(name)) {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			function := path.Base(path.Dir(name)) + "." + fn.Name.Name
			if fn.Recv != nil {
				receiver := fn.Recv.List[0].Type
				if p, ok := receiver.(*ast.StarExpr); ok {
					receiver = p.X
				}
				function = path.Base(path.Dir(name)) + "." + types.ExprString(receiver) + "." + fn.Name.Name
			}
			w := waitFinder{found: func(at ast.Node, operation string, inLoop bool) {
				key := function + ": " + operation
				switch {
				case strings.Contains(operation, "Cond"):
					assert.Fail(t, "a condition variable", "%s", set.Position(at.Pos()))
				case inLoop:
					inLoops++
				case waits[key] == "":
					unlisted[key] = set.Position(at.Pos())
				default:
					used[key] = true
				}
			}}
			w.walk(fn.Body, false)
		}
	}
	for key, at := range unlisted {
		assert.Fail(t, "a wait without a loop that is not on the list", "%s\n%s", at, key)
	}
	for key := range waits {
		assert.True(t, used[key], "on the list, but not there: %s", key)
	}
	assert.NotZero(t, inLoops)
}

// waitFinder calls found for all that may block: channel operations but in a select with a default, Wait calls, and what
// names sync's condition variables.
type waitFinder struct {
	found func(at ast.Node, operation string, inLoop bool)
}

// walk looks through a statement or expression; loop says whether a for statement of the same function is around it.
func (w waitFinder) walk(root ast.Node, loop bool) {
	ast.Inspect(root, func(n ast.Node) bool {
		if n == root {
			return true
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			w.walk(n.Body, false)
			return false
		case *ast.ForStmt:
			w.walk(n, true)
			return false
		case *ast.RangeStmt: // asks nothing: a loop around it, if at all, is what counts
		case *ast.SelectStmt:
			blocks := !slices.ContainsFunc(n.Body.List, func(s ast.Stmt) bool { return s.(*ast.CommClause).Comm == nil })
			for _, s := range n.Body.List {
				c := s.(*ast.CommClause)
				if blocks {
					w.walk(&ast.BlockStmt{List: []ast.Stmt{c.Comm}}, loop)
				}
				w.walk(&ast.BlockStmt{List: c.Body}, loop)
			}
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				w.found(n, types.ExprString(n), loop)
			}
		case *ast.SendStmt:
			w.found(n, types.ExprString(n.Chan)+" <- "+types.ExprString(n.Value), loop)
		case *ast.SelectorExpr:
			if n.Sel.Name == "Cond" || n.Sel.Name == "NewCond" {
				w.found(n, types.ExprString(n), loop)
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Wait" && len(n.Args) == 0 {
				w.found(n, types.ExprString(n), loop)
			}
		}
		return true
	})
}
