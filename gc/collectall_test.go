package gc_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// idlers makes idle actors, each with a small live tree and some garbage.
func idlers(t testing.TB, r *rt.Runtime, n int) []*holder {
	var all []*holder
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		for range n {
			h := newHolder(*cctx)
			all = append(all, h)
			h.step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
				var k int32
				tree(*cctx, 11, &k)
				h.root = tree(*cctx, 3, &k)
			})
		}
	}))
	return all
}

// full is the number of full collections.
func full(r *rt.Runtime) uint64 { return r.Stats().Heap.Full }

func TestCollectAllCollectsIdleActors(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for name, cfg := range map[string]rt.Config{
		"workers": {Workers: 2, Verify: true, Poison: true}, "one": {Workers: 1}, "systematic": {Seed: 5, Verify: true},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := rt.New(cfg)
			require.NoError(t, err)
			defer r.Close()
			require.NoError(t, r.CollectAll(t.Context()), "without an actor")
			all := idlers(t, r, 100)
			before := full(r)
			require.NoError(t, r.CollectAll(t.Context()))
			require.GreaterOrEqual(t, full(r)-before, uint64(100))
			h := r.Stats().Heap
			require.Less(t, h.Used-h.Cached, int64(100*heap.BlockSize*3/2), "what idle actors no longer need, four times as much, is free")
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				for _, h := range all {
					h.step(*cctx, nil, func(_ **rt.Ctx, h *holder, _ *Node) { assert.Equal(t, 15, sum(t, h.root)) })
				}
			}))
		})
	}
}

// Actors that nobody can reach are not kept by what CollectAll knows of them.
func TestCollectAllKeepsNobody(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	r, err := rt.New(rt.Config{Workers: 2})
	require.NoError(t, err)
	defer r.Close()
	kept := idlers(t, r, 10)
	for range 3 {
		idlers(t, r, 500)
		require.NoError(t, r.CollectAll(t.Context()))
	}
	for r.Stats().Heap.Heaps > 100 { // some are still named by what their workers ran last
		runtime.GC()
	}
	before := full(r)
	require.NoError(t, r.CollectAll(t.Context()))
	require.GreaterOrEqual(t, full(r)-before, uint64(10))
	runtime.KeepAlive(kept)
}

// Actors that work, wait with frames, or end meanwhile.
func TestCollectAllBesideWork(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	r, err := rt.New(rt.Config{Workers: 2, Verify: true, Poison: true, MarkAlone: 10})
	require.NoError(t, err)
	defer r.Close()
	var stop atomic.Bool
	ran := make(chan error, 1)
	go func() {
		ran <- r.Run(func(cctx **rt.Ctx) {
			for range 20 {
				h := newHolder(*cctx)
				var again func(cctx **rt.Ctx, h *holder, arg *Node)
				again = func(cctx **rt.Ctx, h *holder, arg *Node) {
					var k int32
					n := tree(*cctx, 5, &k)
					f := gc.Push(*cctx, n)
					assert.NoError(t, rt.Suspend(cctx))
					assert.Equal(t, 63, sum(t, n))
					f.Pop(*cctx)
					h.root = n
					if !stop.Load() {
						h.step(*cctx, n, again)
					}
				}
				h.step(*cctx, nil, again)
			}
		})
	}()
	for range hammer.Rounds(20, 2000) {
		require.NoError(t, r.CollectAll(t.Context()))
	}
	stop.Store(true)
	require.NoError(t, <-ran)
}

// CollectAll waits for an actor that waits, as long as it is let, and ends with the runtime.
func TestCollectAllEnds(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	r, err := rt.New(rt.Config{Workers: 2})
	require.NoError(t, err)
	blocked := make(chan struct{})
	go func() {
		_ = r.Run(func(cctx **rt.Ctx) {
			h := newHolder(*cctx)
			assert.ErrorIs(t, r.CollectAll(context.Background()), rt.ErrInside)
			h.step(*cctx, nil, func(cctx **rt.Ctx, h *holder, _ *Node) {
				h.root = NewNode(*cctx, nil, nil, 1, -1)
				close(blocked)
				_ = rt.Block(cctx, never{})
			})
		})
	}()
	<-blocked
	stdctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- r.CollectAll(stdctx) }()
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	go func() { ended <- r.CollectAll(context.Background()) }()
	require.NoError(t, r.Close())
	require.ErrorIs(t, <-ended, rt.ErrClosed)
	require.ErrorIs(t, r.CollectAll(t.Context()), rt.ErrClosed)
	require.False(t, errors.Is(r.CollectAll(t.Context()), context.Canceled))
}
