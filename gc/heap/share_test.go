package heap

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
)

func slot(p **node) *unsafe.Pointer { return (*unsafe.Pointer)(unsafe.Pointer(p)) }

// pass shares an object of a with b, and delivers what a owes.
func pass(a, b *actor, p *node) {
	f := a.h.space.NewFragment()
	f.ShareFrom(a.h, slot(&p))
	settle(a)
	b.h.Adopt(&b.c, f)
}

func settle(a *actor) {
	if a.h.Owes() {
		for _, n := range a.h.TakeNotes() {
			n.Deliver()
		}
	}
}

// TestWeightsRunOut passes a reference on until nothing is left to halve: then the holder gets more, and its owner learns of it first.
func TestWeightsRunOut(t *testing.T) {
	owner := newActor(t, Config{Verify: true, Poison: true})
	p := owner.tree(3)
	last, acquired := owner.sibling(), 0
	pass(owner, last, p)
	all := []*actor{last}
	for range 100 {
		next := owner.sibling()
		f := owner.h.space.NewFragment()
		f.ShareFrom(last.h, slot(&p))
		if last.h.Owes() {
			acquired++
		}
		settle(last)
		next.h.Adopt(&next.c, f)
		for _, a := range []*actor{last, next} {
			require.Positive(t, a.h.shares.entries[uintptr(unsafe.Pointer(p))].weight, "who holds without weight holds nothing")
		}
		all, last = append(all, next), next
		next.roots = []*node{p}
	}
	require.Equal(t, 3, acquired, "of 100 halvings, 32 for each")
	owner.full()
	for i, a := range all {
		require.Equal(t, 15, a.count(p), "seen by %d", i)
		a.roots = nil
		a.full()
		settle(a)
		require.Zero(t, a.h.Stats().Imported)
		owner.full()
		require.Equal(t, i < 100, owner.h.Stats().Exported == 1, "when %d have let go", i+1)
	}
	require.Zero(t, owner.h.Stats().Old)
}

// TestKeptGrantHasManyReaders: many take parts of a future's weight at the same time, also when there is hardly any.
func TestKeptGrantHasManyReaders(t *testing.T) {
	const readers = 8
	defer invariant.OnPoint(func(string) { runtime.Gosched() })() // between the look at the weight and the swap
	for _, weight := range []uint64{fullWeight, 1000, 1} {
		a := newActor(t, Config{})
		p := a.new(nil, nil)
		f := a.h.space.NewFragment()
		f.ShareFrom(a.h, slot(&p))
		f.Keep()
		e := a.h.shares.exported[uintptr(unsafe.Pointer(p))]
		e.count -= fullWeight - weight
		a.h.shares.exported[uintptr(unsafe.Pointer(p))] = e
		f.kept.grants[0].weight.Store(weight)
		var mu sync.Mutex
		sum := uint64(0)
		hammer.Run(t, readers, hammer.Rounds(3000, 300_000), func(_, _ int) {
			mine, got := p, a.h.space.NewFragment()
			if err := f.CopyTo(got, slot(&mine)); err != nil || mine != p {
				panic("not the object")
			}
			mu.Lock()
			sum += got.grants[0].weight
			mu.Unlock()
			got.recycle() // this test gives the weights back by itself
		})
		a.h.Settle()
		require.Equal(t, a.h.shares.exported[uintptr(unsafe.Pointer(p))].count, sum+f.kept.grants[0].weight.Load())
		Note{To: a.h.shares.inbox, Object: unsafe.Pointer(p), Change: -int64(sum)}.Deliver()
		f.Free()
		a.full()
		require.Zero(t, a.h.Stats().Exported)
		require.Zero(t, a.h.Stats().Old)
	}
}

// TestMoveThatFails: where the copies of what does not move would cross the limit, everything is as it was.
func TestMoveThatFails(t *testing.T) {
	a := newActor(t, Config{Limit: 1 << 20, Verify: true})
	outside := a.list(20_000) // as copies they would be too many
	a.roots = []*node{outside}
	a.h.OpenRegion(&a.c)
	first := a.new(nil, outside)
	inner := a.new(first, nil)
	set(a.h, first, &first.a, inner)
	a.h.CloseRegion(&a.c)
	a.roots = append(a.roots, inner)
	a.collect()
	word := header(inner)
	f := a.h.space.NewFragment()
	moved := inner
	err := f.MoveFrom(a.h, slot(&moved))
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
	f.Free()
	require.Same(t, inner, moved)
	require.Equal(t, word, header(inner))
	require.Equal(t, 20_002, a.count(inner))
	a.verify(t)
	a.full()
	require.Equal(t, 20_002, a.count(inner))
}

// TestRegionThatNobodyWants is freed like everything else, and one that lives is kept whole.
func TestRegionThatNobodyWants(t *testing.T) {
	a := newActor(t, Config{Verify: true, Poison: true})
	build := func() *node {
		a.h.OpenRegion(&a.c)
		defer a.h.CloseRegion(&a.c)
		return a.tree(10)
	}
	a.roots = []*node{build()}
	build()
	a.collect()
	require.Len(t, a.h.mem.regions, 1)
	require.Equal(t, 2047, a.count(a.roots[0]))
	held := a.h.Stats().Held
	a.roots = nil
	a.full()
	require.Empty(t, a.h.mem.regions)
	require.Less(t, a.h.Stats().Held, held)
}

// TestPlaces compares the set of own memory with a plain one.
func TestPlaces(t *testing.T) {
	var p places
	plain := map[uintptr]bool{}
	base := uintptr(0x7f00_0000)
	for i := range uintptr(300) {
		a := base + i*i%97*BlockSize + i%8*4096
		k := class4K
		if i%3 == 0 {
			k, a = class1K, a+1024
		}
		c := chunk{base: pointerTo(&a), class: k}
		p.addChunk(&c)
		for b := a; b < a+k.size(); b += 512 {
			plain[b] = true
		}
	}
	for a := base; a < base+100*BlockSize; a += 512 {
		require.Equal(t, plain[a], p.has(a+8), "%#x", a)
	}
	require.False(t, p.has(8))
	p.reset()
	require.False(t, p.has(base))
}

// BenchmarkWays sends a tree of 1,023 nodes to another heap and has it received, each way; collections included.
func BenchmarkWays(b *testing.B) {
	for _, way := range []struct {
		name string
		out  func(f *Fragment, h *Heap, p *unsafe.Pointer) error
	}{
		{"copy", func(f *Fragment, h *Heap, p *unsafe.Pointer) error { return f.CopyFrom(h, p) }},
		{"val", func(f *Fragment, h *Heap, p *unsafe.Pointer) error { f.ShareFrom(h, p); return nil }},
		{"iso", func(f *Fragment, h *Heap, p *unsafe.Pointer) error { return f.MoveFrom(h, p) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			s := NewSpace(Config{})
			defer s.Close()
			from, to := &actor{h: New(s)}, &actor{h: New(s)}
			from.roots = []*node{from.tree(9)}
			for b.Loop() {
				sent := from.roots[0]
				if way.name == "iso" {
					b.StopTimer()
					from.h.OpenRegion(&from.c)
					sent = from.tree(9)
					from.h.CloseRegion(&from.c)
					b.StartTimer()
				}
				f := s.NewFragment()
				if err := way.out(f, from.h, slot(&sent)); err != nil {
					b.Fatal(err)
				}
				to.h.Adopt(&to.c, f)
				for _, a := range []*actor{from, to} {
					if a.h.Due() {
						a.collect()
						settle(a)
					}
				}
			}
		})
	}
}
