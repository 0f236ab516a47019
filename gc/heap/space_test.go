package heap

import (
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestSpaceHammer: actors on several goroutines allocate, collect, die, and send to each other.
func TestSpaceHammer(t *testing.T) {
	s := NewSpace(Config{Nursery: 32 << 10})
	defer s.Close()
	type parcel struct {
		f *Fragment
		p unsafe.Pointer
		n int
	}
	mail := make(chan parcel, 16)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 6))
			a := &actor{h: New(s)}
			for round := range 400 {
				if round%50 == 49 {
					a = &actor{h: New(s)}
				}
				n := 1 + r.IntN(300)
				list := a.list(n)
				a.roots = []*node{list}
				p := unsafe.Pointer(list)
				f := s.NewFragment()
				if err := f.CopyFrom(a.h, &p); err != nil {
					t.Error(err)
					return
				}
				select {
				case mail <- parcel{f, p, n}:
				default:
					f.Free()
				}
				select {
				case m := <-mail:
					a.h.Adopt(&a.c, m.f)
					a.roots = append(a.roots, (*node)(m.p))
					if got := a.count((*node)(m.p)); got != m.n {
						t.Errorf("received %d objects of %d", got, m.n)
					}
				default:
				}
				if a.h.Due() || r.IntN(8) == 0 {
					a.collect()
				}
				if r.IntN(32) == 0 {
					a.full()
					if err := a.h.Verify(&a.c, a.trace); err != nil {
						t.Error(err)
					}
				}
				_ = s.Stats()
			}
		})
	}
	all.Wait()
}

func TestHeapIsReleasedByGo(t *testing.T) {
	s := NewSpace(Config{})
	defer s.Close()
	for range 20 {
		a := &actor{h: New(s)}
		a.roots = []*node{a.list(5000)}
		_, err := a.h.AllocLarge(&a.c, boardType)
		require.NoError(t, err)
	}
	settles(t, "memory of dead heaps", func() bool {
		stats := s.Stats()
		return stats.Used == stats.Cached && stats.Heaps == 0
	})
}

func TestCloseWithLiveHeaps(t *testing.T) {
	s := NewSpace(Config{})
	a := &actor{h: New(s)}
	a.roots = []*node{a.list(5000)}
	p := unsafe.Pointer(a.roots[0])
	f := s.NewFragment()
	require.NoError(t, f.CopyFrom(a.h, &p))
	s.Close()
	s.Close()
	require.Zero(t, s.Stats().Used)
	require.Zero(t, s.owner.Bytes())
	require.PanicsWithValue(t, "heap: allocation in a closed space", func() { _ = New(s).Refill(&Cursor{}, 64) })
	a.h.mem.release() // a cleanup that comes late
	require.Panics(t, func() { NewSpace(Config{Limit: -1}) })
}
