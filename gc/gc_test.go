package gc_test

import (
	"errors"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// hard makes every collection that can happen happen, and every mistake show.
var hard = rt.Config{Workers: 2, CollectAlways: true, Verify: true, Poison: true}

func TestStateSurvivesCollections(t *testing.T) {
	stats, err := in(t, hard, func(cctx **rt.Ctx, h *holder) {
		var n int32
		h.root = tree(*cctx, 8, &n)
		h.data = gc.MakeSlice[float64](*cctx, 100_000)
		h.data.Set(99_999, 1.5)
		for i := range 20 {
			h.step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
				assert.Equal(t, 511, sum(t, h.root))
				assert.Equal(t, 1.5, h.data.At(99_999))
				var n int32
				h.root.setLeft(*cctx, tree(*cctx, 7, &n)) // an old parent with a young child
				if i%5 == 0 {
					gc.Collect(cctx)
				}
			})
		}
	})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, stats.Heap.Minor+stats.Heap.Full, uint64(20))
}

func TestFramesKeepWhatBehavioursHold(t *testing.T) {
	cfg := hard
	cfg.AlwaysMigrate = true
	stats, err := in(t, cfg, func(cctx **rt.Ctx, h *holder) {
		for k := range 10 {
			h.step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
				ctx := *cctx
				var n int32
				a, b, c := tree(ctx, 4, &n), tree(ctx, 5, &n), tree(ctx, 6, &n)
				f := gc.Push3(ctx, a, b, c)
				for range k {
					assert.NoError(t, rt.Suspend(cctx))
					gc.Safepoint(cctx)
				}
				assert.Equal(t, 31+63+127, sum(t, a)+sum(t, b)+sum(t, c))
				f.Pop(*cctx)
			})
		}
	})
	require.NoError(t, err)
	assert.EqualValues(t, 45, stats.Resumes)
	assert.Equal(t, stats.Resumes, stats.Migrations)
}

// The modes that a whole test suite is run in do their work: every resume migrates, every behaviour's end collects.
func TestModesFromTheEnvironmentDoTheirWork(t *testing.T) {
	t.Setenv(rt.ModesVariable, "migrate,collect,verify,poison")
	stats, err := in(t, rt.Config{Workers: 2}, func(cctx **rt.Ctx, h *holder) {
		for range 10 {
			n := NewNode(*cctx, nil, nil, 1, -1)
			f := gc.Push(*cctx, n)
			assert.NoError(t, rt.Suspend(cctx))
			assert.Equal(t, 1, sum(t, n))
			f.Pop(*cctx)
		}
	})
	require.NoError(t, err)
	assert.EqualValues(t, 10, stats.Resumes)
	assert.Equal(t, stats.Resumes, stats.Migrations)
	assert.GreaterOrEqual(t, stats.Heap.Minor+stats.Heap.Full, uint64(10))
}

func TestManyFrames(t *testing.T) {
	_, err := in(t, hard, func(cctx **rt.Ctx, h *holder) {
		var deep func(cctx **rt.Ctx, k int) int
		deep = func(cctx **rt.Ctx, k int) int {
			ctx := *cctx
			n := NewNode(ctx, nil, nil, int32(k), -int32(k))
			f := gc.Push(ctx, n)
			below := 0
			if k > 0 {
				below = deep(cctx, k-1)
			} else {
				gc.Collect(cctx)
			}
			f.Pop(*cctx)
			return below + sum(t, n)
		}
		assert.Equal(t, 2001, deep(cctx, 2000))
	})
	require.NoError(t, err)
}

// A behaviour that panics leaves its frames; the next one starts with none of them.
func TestPanicDropsFrames(t *testing.T) {
	cfg := hard
	cfg.OnPanic = func(*rt.PanicError) {}
	_, err := in(t, cfg, func(cctx **rt.Ctx, h *holder) {
		for range 3 {
			h.step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
				assert.Equal(t, 1, (*cctx).Shadow.Top, "only the frame of the argument")
				gc.Push(*cctx, NewNode(*cctx, nil, nil, 1, -1))
				panic("with a frame")
			})
		}
	})
	require.NoError(t, err)
}

// With Config.Guard an object that was freed, in a block that was, cannot be used unseen.
func TestGuardNamesTheRegionOfAStaleUse(t *testing.T) {
	if raceEnabled {
		t.Log("heaps are Go memory in race builds, which cannot be made inaccessible")
		return
	}
	_, err := in(t, rt.Config{Guard: true, CollectAlways: true}, func(cctx **rt.Ctx, h *holder) {
		var n int32
		stale := tree(*cctx, 14, &n) // a megabyte, and in no frame
		for range 3 {
			gc.Collect(cctx) //ctxcheck:ignore the fault that Guard is to find
		}
		sum(t, stale)
	})
	p, ok := errors.AsType[*rt.PanicError](err)
	require.True(t, ok, "%v", err)
	assert.ErrorContains(t, p, "freed by heap space, inaccessible")
	assert.Equal(t, "Step", p.Behaviour)
}

func TestCopyBetweenActors(t *testing.T) {
	_, err := in(t, hard, func(cctx **rt.Ctx, h *holder) {
		ctx := *cctx
		var n int32
		shared := tree(ctx, 3, &n)
		h.root = NewNode(ctx, shared, shared, 5, -5)
		h.root.left.setLeft(ctx, h.root) // a cycle
		for range 10 {
			other := newHolder(ctx)
			other.step(ctx, h.root, func(cctx **rt.Ctx, o *holder, got *Node) {
				gc.Collect(cctx) //ctxcheck:ignore got is in a frame of runStep
				assert.Same(t, got.left, got.right, "sharing is kept")
				assert.Same(t, got, got.left.left, "cycles are kept")
				assert.EqualValues(t, 5, got.I)
				got.left.setLeft(*cctx, nil)
				assert.Equal(t, 8, sum(t, got.left), "the copy is the receiver's own: a root and its right half")
				o.root = got
			})
		}
		assert.Same(t, h.root, h.root.left.left, "the original is untouched")
	})
	require.NoError(t, err)
}

// Deferred functions of several parked behaviours of one actor allocate while Close unwinds them, one after the other.
func TestUnwindingBehavioursAllocateApart(t *testing.T) {
	r, err := rt.New(rt.Config{Workers: 2})
	require.NoError(t, err)
	var kept []*Node
	//ctxcheck:ignore nothing is collected before the end of the runtime
	err = r.Run(func(cctx **rt.Ctx) {
		h := newHolder(*cctx)
		for i := range int32(10) {
			//ctxcheck:ignore nothing is collected
			h.step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
				defer func() {
					kept = append(kept, NewNode(*cctx, nil, nil, i, -i))
					for _, n := range kept {
						assert.Equal(t, n.I, -n.J, "overwritten")
					}
					assert.Len(t, distinct(kept), len(kept))
				}()
				NewNode(*cctx, nil, nil, 7, -7)
				assert.NoError(t, rt.Await(cctx, never{})) //ctxcheck:ignore nothing is collected
			})
		}
	})
	require.Error(t, err)
	require.NoError(t, r.Close())
	assert.Len(t, kept, 10)
}

// never is a wait that does not end.
type never struct{}

func (never) Describe() string       { return "nothing" }
func (never) Commit(*rt.Waiter) bool { return true }

func distinct(nodes []*Node) map[*Node]bool {
	set := map[*Node]bool{}
	for _, n := range nodes {
		set[n] = true
	}
	return set
}

func TestMemoryLimitIsATypedPanic(t *testing.T) {
	_, err := in(t, rt.Config{MemoryLimit: 4 << 20}, func(cctx **rt.Ctx, h *holder) {
		for {
			h.root = NewNode(*cctx, h.root, nil, 0, 0)
		}
	})
	limit, ok := errors.AsType[*heap.LimitError](err)
	require.True(t, ok, "%v", err)
	assert.EqualValues(t, 4<<20, limit.Limit)
}

func TestSlice(t *testing.T) {
	_, err := in(t, hard, func(cctx **rt.Ctx, h *holder) {
		ctx := *cctx
		var none gc.Slice[int16]
		assert.Zero(t, none.Len())
		assert.Empty(t, none.Data())
		assert.Nil(t, none.Root())
		assert.Panics(t, func() { none.At(0) })
		assert.PanicsWithValue(t, "gc: MakeSlice of -1 elements", func() { gc.MakeSlice[int](ctx, -1) })
		for _, n := range []int{0, 1, 7, 1000, 300_000} {
			s := gc.MakeSlice[int16](ctx, n)
			assert.Equal(t, n, s.Len())
			for i, x := range s.Data() {
				require.Zero(t, x)
				s.Set(i, int16(i))
			}
			if n > 0 {
				assert.EqualValues(t, int16(n-1), s.At(n-1))
			}
			assert.Panics(t, func() { s.At(n) })
		}
	})
	require.NoError(t, err)
}

func TestBarrierRejectsGoObjects(t *testing.T) {
	if !invariant.Enabled {
		t.Log("only invariant builds look")
		return
	}
	for _, f := range []func(ctx *rt.Ctx){
		func(ctx *rt.Ctx) { NewNode(ctx, nil, nil, 0, 0).setLeft(ctx, &Node{}) },   //ctxcheck:ignore the fault that Barrier is to find
		func(ctx *rt.Ctx) { new(Node).setLeft(ctx, NewNode(ctx, nil, nil, 0, 0)) }, //ctxcheck:ignore likewise
	} {
		_, err := in(t, rt.Config{}, func(cctx **rt.Ctx, _ *holder) { f(*cctx) })
		assert.ErrorContains(t, err, "not an object of a heap")
	}
}

func TestObjectsAllocateNothingOnGosHeap(t *testing.T) {
	const objects, most = 1_000_000, 1_000
	t.Setenv(rt.ModesVariable, "") // verifying allocates
	_, err := in(t, rt.Config{Workers: 1}, func(cctx **rt.Ctx, h *holder) {
		var n int32
		churn := func() {
			for range objects / 1023 {
				h.root = tree(*cctx, 9, &n)
				gc.Safepoint(cctx)
			}
		}
		churn()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		churn()
		runtime.ReadMemStats(&after)
		assert.Less(t, after.Mallocs-before.Mallocs, uint64(most))
	})
	require.NoError(t, err)
}

// The allocation and the barrier are worth their shape only as long as the compiler inlines them.
func TestFastPathsInline(t *testing.T) {
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, f := range []string{"Alloc", "Barrier", "Frame.Pop"} {
		assert.Contains(t, string(out), "can inline "+f+"\n")
	}
	out, err = exec.Command("go", "test", "-c", "-o", t.TempDir()+"/x", "-gcflags=-m", ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, f := range []string{"NewNode", "(*Node).setLeft"} {
		assert.Contains(t, string(out), "can inline "+f+"\n")
	}
}

func BenchmarkFrame(b *testing.B) {
	r, err := rt.New(rt.Config{Workers: 1})
	require.NoError(b, err)
	defer r.Close()
	require.NoError(b, r.Run(func(cctx **rt.Ctx) {
		n := NewNode(*cctx, nil, nil, 0, 0)
		for b.Loop() {
			f := gc.Push2(*cctx, n, n)
			f.Pop(*cctx)
		}
	}))
}

func BenchmarkNewNode(b *testing.B) {
	r, err := rt.New(rt.Config{Workers: 1})
	require.NoError(b, err)
	defer r.Close()
	require.NoError(b, r.Run(func(cctx **rt.Ctx) {
		for b.Loop() {
			for range 1000 {
				NewNode(*cctx, nil, nil, 0, 0)
			}
			gc.Safepoint(cctx)
		}
	}))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/object")
}
