package ctxcheck

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// keepers are functions of other modules that keep a function they are given for later, or for another goroutine.
var keepers = []string{
	"time.AfterFunc", "(*sync.WaitGroup).Go", "context.AfterFunc", "runtime.SetFinalizer", "runtime.AddCleanup",
	"iter.Pull", "iter.Pull2", "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues",
	"(*golang.org/x/sync/errgroup.Group).Go", "(*golang.org/x/sync/errgroup.Group).TryGo",
	"(*testing.T).Run", "(*testing.B).Run", "(*testing.T).Cleanup", "(*testing.common).Cleanup", "(testing.TB).Cleanup",
}

// stores are functions that keep a value they are given as an interface or a type parameter.
var stores = []string{
	"(*sync.Map).Store", "(*sync.Map).LoadOrStore", "(*sync.Map).Swap", "(*sync.Pool).Put", "(*sync/atomic.Value).Store",
	"(*sync/atomic.Pointer).Store", "(*sync/atomic.Pointer).Swap", "(*sync/atomic.Pointer).CompareAndSwap",
	"(*container/list.List).PushBack", "(*container/list.List).PushFront", "context.WithValue",
}

// fullName returns the name of c's callee as keepers has it; "" if it is not known.
func fullName(c *ssa.CallCommon) string {
	f := callee(c)
	if f == nil {
		return ""
	}
	name := f.FullName()
	if i := slices.Index([]byte(name), '['); i >= 0 { // the type parameters of a receiver
		if j := slices.Index([]byte(name), ']'); j > i {
			name = name[:i] + name[j+1:]
		}
	}
	return name
}

// keeps reports whether a call keeps the literal g that it is given, to be called after it has returned or on another
// goroutine. The runtime's functions do, but for what it calls itself, and so does what has no cell to call g with. Of others it is not known: then g
// runs while the call does.
func keeps(c *ssa.CallCommon, g *ssa.Function) bool {
	if p := packageOf(c); (p == rtPath || p == futuresPath) && g.Pkg != nil && g.Pkg.Pkg.Path() != p {
		return true
	}
	if slices.Contains(keepers, fullName(c)) {
		return true
	}
	if takesCell(c) {
		return false
	}
	for _, p := range g.Params {
		if isCell(p.Type()) {
			return true
		}
	}
	return false
}
