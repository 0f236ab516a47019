package gc_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
	"github.com/encorert/encorert/rt/rttest"
)

type way func(ctx *rt.Ctx, slot *unsafe.Pointer) *gc.Fragment

func val(ctx *rt.Ctx, slot *unsafe.Pointer) *gc.Fragment    { return gc.ShareOut(ctx, nil, slot) }
func iso(ctx *rt.Ctx, slot *unsafe.Pointer) *gc.Fragment    { return gc.MoveOut(ctx, nil, slot) }
func copied(ctx *rt.Ctx, slot *unsafe.Pointer) *gc.Fragment { return gc.CopyOut(ctx, slot) }

// give sends h a behaviour to run, with a tree that goes there one of three ways.
func (h *holder) give(ctx *rt.Ctx, arg *Node, by way, f func(cctx **rt.Ctx, h *holder, arg *Node)) {
	s := &step{f: f, arg: arg}
	s.frag = by(ctx, (*unsafe.Pointer)(unsafe.Pointer(&s.arg)))
	rt.Send(ctx, &h.Actor, rt.Message{B: &runStep, P0: unsafe.Pointer(s)})
}

// keep is a step that puts what it gets into the state.
func keep(_ **rt.Ctx, h *holder, arg *Node) { h.root = arg }

func TestWaysOfAnObject(t *testing.T) {
	for _, c := range []struct {
		name    string
		by      way
		isolate bool
		same    bool
	}{
		{"copy", copied, false, false},
		{"val", val, false, true},
		{"iso of what was not isolated", iso, false, false},
		{"iso", iso, true, true},
		{"val of what was isolated", val, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := in(t, hard, func(cctx **rt.Ctx, h *holder) {
				ctx := *cctx
				var n int32
				build := func(ctx *rt.Ctx) *Node { return tree(ctx, 7, &n) }
				var sent *Node
				if c.isolate {
					sent = gc.Isolate(ctx, build)
				} else {
					sent = build(ctx)
				}
				address := uintptr(unsafe.Pointer(sent))
				other := newHolder(ctx)
				other.give(ctx, sent, c.by, func(cctx **rt.Ctx, h *holder, got *Node) {
					assert.Equal(t, c.same, uintptr(unsafe.Pointer(got)) == address)
					h.root = got
					gc.Collect(cctx)
					assert.Equal(t, 255, sum(t, h.root))
				})
				other.step(ctx, nil, func(_ **rt.Ctx, h *holder, _ *Node) { assert.Equal(t, 255, sum(t, h.root)) })
			})
			require.NoError(t, err)
		})
	}
}

func TestStoreIntoValPanics(t *testing.T) {
	_, err := in(t, rt.Config{Workers: 1}, func(cctx **rt.Ctx, h *holder) {
		ctx := *cctx
		leaf := NewNode(ctx, nil, nil, 1, -1)
		top := NewNode(ctx, leaf, nil, 2, -2)
		h.give(ctx, top, val, func(cctx **rt.Ctx, h *holder, got *Node) {
			assert.Panics(t, func() { got.setLeft(*cctx, nil) }, "the owner, which it came home to")
		})
		other := newHolder(ctx)
		other.give(ctx, top, val, func(cctx **rt.Ctx, h *holder, got *Node) {
			assert.Panics(t, func() { got.setLeft(*cctx, nil) }, "a holder")
			assert.Panics(t, func() { got.left.setLeft(*cctx, nil) }, "behind what was shared")
		})
		assert.PanicsWithValue(t, fmt.Sprintf("heap: store into test.Node at %p, which was shared as val and so is immutable", leaf),
			func() { leaf.setLeft(ctx, nil) })
	})
	require.NoError(t, err)
}

func TestStoreIntoASliceThatWasShared(t *testing.T) {
	if !invariant.Enabled {
		t.Log("only invariant builds look")
		return
	}
	_, err := in(t, rt.Config{Workers: 1}, func(cctx **rt.Ctx, h *holder) {
		s := gc.MakeSlice[float64](*cctx, 3)
		s.Set(1, 1)
		p := s.Root()
		val(*cctx, &p).Free()
		assert.PanicsWithValue(t, "gc: Set of a slice that was shared as val and so is immutable", func() { s.Set(1, 2) })
		gc.MakeSlice[float64](*cctx, 3).Set(1, 1)
	})
	require.NoError(t, err)
}

// TestHoldersComeAndGo: an object that many hold, and give on to each other, is freed when the last lets go, and not before.
func TestHoldersComeAndGo(t *testing.T) {
	_, err := in(t, hard, func(cctx **rt.Ctx, h *holder) {
		ctx := *cctx
		var n int32
		h.root = tree(ctx, 6, &n)
		var ring []*holder
		for range 5 {
			ring = append(ring, newHolder(ctx))
		}
		var pass func(i, rounds int) func(cctx **rt.Ctx, h *holder, arg *Node)
		pass = func(i, rounds int) func(cctx **rt.Ctx, h *holder, arg *Node) {
			return func(cctx **rt.Ctx, h *holder, arg *Node) {
				assert.Equal(t, 127>>(3-rounds), sum(t, arg)) // what is behind goes on by itself
				h.root = arg
				if rounds == 0 {
					return
				}
				ring[(i+1)%5].give(*cctx, arg.left, val, pass(i+1, rounds-1))
				gc.Collect(cctx)
			}
		}
		for i := range 5 {
			ring[i].give(ctx, h.root, val, pass(i, 3))
		}
		h.root = nil
	})
	require.NoError(t, err)
}

// heaps runs Go's collector until no more than want heaps have memory, at most some rounds, and returns how many are left.
func heaps(r *rt.Runtime, want int64) int64 {
	for range 50 {
		if n := r.Stats().Heap.Heaps; n <= want {
			return n
		}
		runtime.GC()
		time.Sleep(time.Millisecond) // for the cleanups, which have goroutines of their own
	}
	return r.Stats().Heap.Heaps
}

// TestObjectsOutliveTheirActor: who holds an object keeps the heap that it is in, but not its actor.
func TestObjectsOutliveTheirActor(t *testing.T) {
	r, err := rt.New(hard)
	require.NoError(t, err)
	defer r.Close()
	var keeper *holder
	var gone atomic.Int32
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		keeper = newHolder(*cctx)
		maker := newHolder(*cctx)
		runtime.AddCleanup(maker, func(int) { gone.Add(1) }, 0)
		maker.step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
			var n int32
			keeper.give(*cctx, tree(*cctx, 8, &n), val, keep)
			keeper.give(*cctx, tree(*cctx, 3, &n), val, func(cctx **rt.Ctx, h *holder, second *Node) {
				h.root = NewNode(*cctx, h.root, second, 0, 0)
			})
		})
	}))
	for i := 0; gone.Load() == 0 && i < 100; i++ {
		runtime.GC()
		runtime.Gosched()
	}
	require.EqualValues(t, 1, gone.Load(), "the actor is kept")
	require.EqualValues(t, 2, heaps(r, 2), "the heap of a dead actor, and its holder's")
	full := r.Stats().Heap.Full
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		keeper.step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
			assert.Equal(t, 511+15+1, sum(t, h.root))
			h.root = h.root.right // the larger one is let go
			gc.Collect(cctx)
			assert.Equal(t, 15, sum(t, h.root))
		})
	}))
	require.Equal(t, full+2, r.Stats().Heap.Full, "the holder's, and that of the heap without an actor, by who let go")
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		keeper.step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
			assert.Equal(t, 15, sum(t, h.root))
			h.root = nil
			gc.Collect(cctx)
		})
	}))
	require.EqualValues(t, 1, heaps(r, 1), "nobody holds anything in it")
	runtime.KeepAlive(keeper)
}

// TestIdleOwnerIsAsked: an actor that does nothing collects what others have let go of.
func TestIdleOwnerIsAsked(t *testing.T) {
	r, err := rt.New(rt.Config{Workers: 2})
	require.NoError(t, err)
	defer r.Close()
	var owner, keeper *holder
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		owner, keeper = newHolder(*cctx), newHolder(*cctx)
		owner.step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
			var n int32
			keeper.give(*cctx, tree(*cctx, 12, &n), val, keep)
			gc.Collect(cctx)
		})
	}))
	full := r.Stats().Heap.Full
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		keeper.step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) { h.root = nil; gc.Collect(cctx) })
	}))
	require.Equal(t, full+2, r.Stats().Heap.Full, "the keeper's collection, and the owner's")
	runtime.KeepAlive(owner)
}

// TestDeadHolderLetsGo: what an actor held that is gone is let go of when its heap goes.
func TestDeadHolderLetsGo(t *testing.T) {
	r, err := rt.New(rt.Config{Workers: 2})
	require.NoError(t, err)
	defer r.Close()
	var owner *holder
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		owner = newHolder(*cctx)
		owner.step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
			var n int32
			newHolder(*cctx).give(*cctx, tree(*cctx, 12, &n), val, keep)
			gc.Collect(cctx)
		})
	}))
	require.EqualValues(t, 1, heaps(r, 1), "the holder's is gone")
	full := r.Stats().Heap.Full
	require.NoError(t, r.Run(func(cctx **rt.Ctx) { // whoever collects next asks the owner
		newHolder(*cctx).step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) { NewNode(*cctx, nil, nil, 1, 1); gc.Collect(cctx) })
	}))
	require.Equal(t, full+2, r.Stats().Heap.Full)
	runtime.KeepAlive(owner)
}

// link is an actor of a ring: it knows the next, and holds an immutable object of the one before.
type ringLink struct {
	holder
	next *ringLink
}

// TestRingsOfDeadActors is row 39 of the reliability list.
func TestRingsOfDeadActors(t *testing.T) {
	sizes := []int{1, 2, 12, 1000}
	if hammer.Rounds(0, 1) == 1 {
		sizes = append(sizes, 100_000)
	}
	r, err := rt.New(rt.Config{Workers: 2})
	require.NoError(t, err)
	defer r.Close()
	ring := func(n int) *ringLink {
		var first *ringLink
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			ctx := *cctx
			all := make([]*ringLink, n)
			for i := range all {
				all[i] = new(ringLink)
				rt.Spawn(ctx, &all[i].Actor, &holderType)
			}
			for i, l := range all {
				l.next = all[(i+1)%n]
				to := &l.next.holder
				l.step(ctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
					to.give(*cctx, NewNode(*cctx, nil, nil, 7, -7), val, keep)
				})
			}
			first = all[0]
		}))
		return first
	}
	living := ring(12)
	for _, n := range sizes {
		ring(n)
		require.GreaterOrEqual(t, r.Stats().Heap.Heaps, int64(12))
		require.EqualValues(t, 12, heaps(r, 12), "of the ring of %d", n)
	}
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		for l := living; ; {
			l.step(*cctx, nil, func(_ **rt.Ctx, h *holder, _ *Node) { assert.EqualValues(t, 7, h.root.I) })
			if l = l.next; l == living {
				return
			}
		}
	}))
}

// churn makes generations of short-lived actors, each of which gets an immutable object of its maker and one of its own from the one before,
// and gives them on.
func churn(t *testing.T, r *rt.Runtime, n int) {
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		var next func(left int) func(cctx **rt.Ctx, h *holder, arg *Node)
		next = func(left int) func(cctx **rt.Ctx, h *holder, arg *Node) {
			return func(cctx **rt.Ctx, h *holder, arg *Node) {
				ctx := *cctx
				assert.Equal(t, 7+left%2, sum(t, arg))
				if left == 0 {
					return
				}
				if left%2 == 0 {
					arg = NewNode(ctx, arg, nil, 1, -1) // an own one, with another's behind it
				} else {
					arg = arg.left
				}
				newHolder(ctx).give(ctx, arg, val, next(left-1))
			}
		}
		var i int32
		newHolder(*cctx).give(*cctx, tree(*cctx, 2, &i), copied, next(n/2*2))
	}))
}

// TestShortLivedActors is rows 37 and 38 of the reliability list: nothing of an actor that is gone is touched, and what many of them leave
// behind does not pile up.
func TestShortLivedActors(t *testing.T) {
	n := hammer.Rounds(3_000, 1_000_000)
	cfg := hard
	cfg.Verify = n <= 10_000
	r, err := rt.New(cfg)
	require.NoError(t, err)
	defer r.Close()
	churn(t, r, n/3)
	_ = heaps(r, 1)
	first := r.Stats().Heap.Used
	for range 2 {
		churn(t, r, n/3)
	}
	require.Zero(t, heaps(r, 0))
	require.LessOrEqual(t, r.Stats().Heap.Used, max(first+first/10, 2<<20), "beside the cache, which is no larger, nothing is left")
}

// TestGrowthWithoutGosPacing is row 43: where Go's collector does not run by itself, dead actors are reclaimed all the same, since memory outside
// its heap starts it.
func TestGrowthWithoutGosPacing(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	r, err := rt.New(rt.Config{Workers: 2, MemoryLimit: 64 << 20})
	require.NoError(t, err)
	defer r.Close()
	rounds := hammer.Rounds(20, 200)
	var most int64
	for range rounds {
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			for range 50 {
				newHolder(*cctx).step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
					h.data = gc.MakeSlice[float64](*cctx, 20_000) // 160 KB, twenty times over the limit in all
				})
			}
		}))
		most = max(most, r.Stats().Heap.Used)
	}
	require.LessOrEqual(t, most, int64(64<<20))
}

// TestStormOfSharing: actors on several workers build on what they got, give it on in all ways, drop it, and are replaced by new ones while
// Go's collector runs.
func TestStormOfSharing(t *testing.T) {
	defer hammer.Watch(t, 10*hammer.Limit)()
	for _, cfg := range []rt.Config{{Workers: 4}, {Workers: 4, CollectAlways: true, Verify: true, Poison: true}} {
		messages := hammer.Rounds(20_000, 2_000_000)
		if cfg.Verify {
			messages /= 10
		}
		r, err := rt.New(cfg)
		require.NoError(t, err)
		var actors [16]atomic.Pointer[holder]
		var left atomic.Int64
		left.Store(int64(messages))
		var step func(cctx **rt.Ctx, h *holder, arg *Node)
		step = func(cctx **rt.Ctx, h *holder, arg *Node) {
			depth := 0
			for n := arg; n != nil && depth < 50; n, depth = n.left, depth+1 {
				if n.I != -n.J {
					t.Errorf("an object was overwritten: %d, %d", n.I, n.J)
					return
				}
			}
			ctx := *cctx
			n := left.Add(-1)
			if n < 0 {
				return
			}
			if n%4000 == 0 {
				runtime.GC()
			}
			at := ctx.Rand() % uint64(len(actors))
			to := actors[at].Load()
			if to == nil || n%50 == 0 {
				to = newHolder(ctx)
				actors[at].Store(to)
			}
			if arg == nil || depth == 50 {
				arg = NewNode(ctx, nil, nil, int32(n), int32(-n))
			}
			switch ctx.Rand() % 8 {
			case 0:
				h.root = arg
				to.give(ctx, NewNode(ctx, arg, h.root, 1, -1), val, step)
			case 1:
				to.give(ctx, arg.left, val, step)
			case 2:
				h.root = nil
				to.give(ctx, arg, val, step)
			case 3:
				if h.root != nil {
					arg = h.root
				}
				to.give(ctx, arg, val, step)
			case 4:
				arg = gc.Isolate(ctx, func(ctx *rt.Ctx) *Node { return NewNode(ctx, NewNode(ctx, nil, nil, 2, -2), nil, 3, -3) })
				to.give(ctx, arg, iso, step)
			case 5:
				to.give(ctx, gc.Isolate(ctx, func(ctx *rt.Ctx) *Node { return NewNode(ctx, nil, nil, 4, -4) }), iso, step)
			case 6:
				to.give(ctx, arg.left, copied, step)
			default:
				to.give(ctx, arg, val, step)
				gc.Collect(cctx)
			}
		}
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			for range 8 {
				newHolder(*cctx).give(*cctx, nil, val, step)
			}
		}))
		for i := range actors {
			actors[i].Store(nil)
		}
		require.Zero(t, heaps(r, 0), "nobody is left")
		require.NoError(t, r.Close())
	}
}

// TestSeedsOfSharing runs actors that pass immutable objects around, build on them, drop them, and give others away, under many seeds.
func TestSeedsOfSharing(t *testing.T) {
	cfg := rt.Config{Workers: 3, Verify: true, Poison: true, CollectAlways: true}
	rttest.Seeds(t, hammer.Rounds(60, 1000), cfg, func(t testing.TB, r *rt.Runtime) {
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			ctx := *cctx
			all := make([]*holder, 4)
			for i := range all {
				all[i] = newHolder(ctx)
			}
			var pass func(i, left int) func(cctx **rt.Ctx, h *holder, arg *Node)
			pass = func(i, left int) func(cctx **rt.Ctx, h *holder, arg *Node) {
				return func(cctx **rt.Ctx, h *holder, arg *Node) {
					for n := arg; n != nil; n = n.left {
						require.Equal(t, n.I, -n.J, "the object was overwritten")
					}
					ctx := *cctx
					next := (i + left) % 4
					switch {
					case left == 0:
					case left%3 == 0:
						h.root = arg
						all[next].give(ctx, NewNode(ctx, arg, nil, 3, -3), val, pass(next, left-1))
					case left%3 == 1:
						if arg.left != nil {
							arg = arg.left
						}
						h.root = nil
						all[next].give(ctx, arg, val, pass(next, left-1))
					default:
						built := gc.Isolate(ctx, func(ctx *rt.Ctx) *Node { return NewNode(ctx, nil, nil, 4, -4) })
						all[next].give(ctx, built, iso, pass(next, left-1))
						gc.Collect(cctx)
					}
				}
			}
			for i := range all {
				all[i].give(ctx, NewNode(ctx, nil, nil, 5, -5), val, pass(i, 7))
			}
		}))
	})
}
