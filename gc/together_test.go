package gc_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/gang"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// A large heap is marked with the help of an idle worker's processor: the tree is whole afterwards, and Verify finds the heap
// so. A runtime that has nobody idle, or is told not to, marks alone.
func TestLargeHeapsAreMarkedTogether(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	}
	cfg := rt.Config{Workers: 2, MarkAlone: 500, Verify: true, Poison: true}
	run := func(cfg rt.Config, goOn func(*rt.Runtime) bool) rt.Stats {
		stats, err := in(t, cfg, func(cctx **rt.Ctx, h *holder) {
			var n int32
			h.root = tree(*cctx, 11, &n)
			for i := 0; i < 20 || goOn((*cctx).Runtime()); i++ {
				n = 0
				h.root.setLeft(*cctx, tree(*cctx, 10, &n))
				gc.Collect(cctx)
				if !assert.Equal(t, 1<<12-1, sum(t, h.root)) {
					return
				}
			}
		})
		require.NoError(t, err)
		return stats
	}
	helped := func(r *rt.Runtime) bool { return r.Stats().Heap.Helped > 0 }
	require.NotZero(t, run(cfg, func(r *rt.Runtime) bool { return !helped(r) }).Heap.Helped)
	for name, change := range map[string]func(*rt.Config){
		"one worker": func(c *rt.Config) { c.Workers = 1 },
		"never":      func(c *rt.Config) { c.MarkAlone = -1 },
		"systematic": func(c *rt.Config) { c.Seed = 7 },
		"small":      func(c *rt.Config) { c.MarkAlone = 1 << 12 },
	} {
		alone := cfg
		change(&alone)
		require.Zero(t, run(alone, func(*rt.Runtime) bool { return false }).Heap.Helped, name)
	}
}

// Several actors with large heaps collect at once, while others send to them: one at a time has help, the others go on alone.
func TestSeveralLargeHeapsAtOnce(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	cfg := rt.Config{Workers: 3, MarkAlone: 100, Verify: true}
	_, err := in(t, cfg, func(cctx **rt.Ctx, _ *holder) {
		for range 4 {
			h := newHolder(*cctx)
			for round := range int32(hammer.Rounds(10, 1000)) {
				h.step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
					n := round
					h.root = tree(*cctx, 8, &n)
					gc.Collect(cctx)
					assert.Equal(t, 1<<9-1, sum(t, h.root))
				})
			}
		}
	})
	require.NoError(t, err)
}

// An object that refers to freed memory is found by whoever marks it, and the behaviour's error says where it was.
func TestGuardNamesTheRegionOfAStaleReference(t *testing.T) {
	if raceEnabled {
		t.Log("heaps are Go memory in race builds, which cannot be made inaccessible")
		return
	}
	if runtime.GOMAXPROCS(0) == 1 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	}
	var nodes []uintptr
	_, err := in(t, rt.Config{Workers: 2, Guard: true, MarkAlone: 100}, func(cctx **rt.Ctx, h *holder) {
		var n int32
		var stale uintptr
		for p := tree(*cctx, 15, &n); p != nil; p = p.left {
			nodes = append(nodes, uintptr(unsafe.Pointer(p)))
		}
		for range 3 {
			gc.Collect(cctx)
		}
		h.root = tree(*cctx, 10, &n)
		for _, p := range nodes {
			if strings.Contains(heap.Describe(p), "inaccessible") {
				stale = p
			}
		}
		require.NotZero(t, stale)
		*(*uintptr)(unsafe.Pointer(&h.root.left)) = stale //ctxcheck:ignore what the collection is to find
		time.Sleep(time.Millisecond)                      // the other worker falls asleep
		gc.Collect(cctx)
	})
	p, ok := errors.AsType[*rt.PanicError](err)
	require.True(t, ok, "%v", err)
	require.ErrorContains(t, p, "freed by heap space, inaccessible")
	if share, ok := errors.AsType[*gang.Panic](err); ok {
		require.Contains(t, string(share.Stack), "MarkShare")
	}
}
