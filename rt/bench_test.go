package rt_test

import (
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/rt"
)

// ponger answers to the actor that P0 names until the count is used up.
type ponger struct {
	rt.Actor
	peer *ponger
}

var (
	pongerType = rt.ActorType{Name: "test.ponger"}
	pong       = rt.Behaviour{Name: "Pong"}
)

func init() {
	pong.Run = func(cctx **rt.Ctx, a *rt.Actor, m *rt.Message) {
		if m.W0 > 0 {
			rt.Send(*cctx, &(*ponger)(unsafe.Pointer(a)).peer.Actor, rt.Message{B: &pong, W0: m.W0 - 1})
		}
	}
}

// BenchmarkPingPong is one message there and one back.
func BenchmarkPingPong(b *testing.B) {
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", n), func(b *testing.B) {
			r, err := rt.New(rt.Config{Workers: n})
			require.NoError(b, err)
			defer r.Close()
			require.NoError(b, r.Run(func(cctx **rt.Ctx) {
				one, two := new(ponger), new(ponger)
				one.peer, two.peer = two, one
				rt.Spawn(*cctx, &one.Actor, &pongerType)
				rt.Spawn(*cctx, &two.Actor, &pongerType)
				rt.Send(*cctx, &one.Actor, rt.Message{B: &pong, W0: uint64(2 * b.N)})
			}))
		})
	}
}

// BenchmarkHop sends messages on between actors at random, as message-ubench does, with pings messages for each of them
// on the way at any time.
func BenchmarkHop(b *testing.B) {
	for _, n := range []int{1, 2} {
		for _, actors := range []int{25, 250} {
			for _, pings := range []int{1, 10, 100} {
				b.Run(fmt.Sprintf("workers=%d/actors=%d/pings=%d", n, actors, pings), func(b *testing.B) {
					r, err := rt.New(rt.Config{Workers: n})
					require.NoError(b, err)
					defer r.Close()
					require.NoError(b, r.Run(func(cctx **rt.Ctx) {
						hoppers = nil
						for range actors {
							a := new(hopper)
							rt.Spawn(*cctx, &a.Actor, &hopperType)
							hoppers = append(hoppers, a)
						}
						each := b.N/(actors*pings) + 1
						for i := range actors * pings {
							rt.Send(*cctx, &hoppers[i%actors].Actor, rt.Message{B: &hop, W0: uint64(each)})
						}
					}))
				})
			}
		}
	}
}

// BenchmarkSuspend is a strand that parks and is resumed.
func BenchmarkSuspend(b *testing.B) {
	r, err := rt.New(rt.Config{Workers: 1})
	require.NoError(b, err)
	defer r.Close()
	require.NoError(b, r.Run(func(cctx **rt.Ctx) {
		for b.Loop() {
			if err := rt.Suspend(cctx); err != nil {
				b.Error(err)
			}
		}
	}))
}

// BenchmarkSpawn is an actor made, sent one message and dropped.
func BenchmarkSpawn(b *testing.B) {
	r, err := rt.New(rt.Config{Workers: 1})
	require.NoError(b, err)
	defer r.Close()
	b.ReportAllocs()
	require.NoError(b, r.Run(func(cctx **rt.Ctx) {
		for b.Loop() {
			a := new(hopper)
			rt.Spawn(*cctx, &a.Actor, &hopperType)
			rt.Send(*cctx, &a.Actor, rt.Message{B: &hop})
			if err := rt.Suspend(cctx); err != nil {
				b.Error(err)
			}
		}
	}))
}

// BenchmarkIdleActor reports the bytes of an actor that has handled a message and waits for the next.
func BenchmarkIdleActor(b *testing.B) {
	const actors = 100_000
	r, err := rt.New(rt.Config{})
	require.NoError(b, err)
	defer r.Close()
	for b.Loop() {
		all := make([]*hopper, actors)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		require.NoError(b, r.Run(func(cctx **rt.Ctx) {
			for i := range all {
				all[i] = new(hopper)
				rt.Spawn(*cctx, &all[i].Actor, &hopperType)
				rt.Send(*cctx, &all[i].Actor, rt.Message{B: &hop})
			}
		}))
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/actors, "B/actor")
		runtime.KeepAlive(all)
	}
}
