package heap

import (
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func (a *actor) sibling() *actor { return &actor{h: New(a.h.space)} }

func TestCopyKeepsSharingAndCycles(t *testing.T) {
	from := newActor(t, Config{Verify: true, Poison: true})
	into := from.sibling()
	shared := from.new(nil, nil)
	left, right := from.new(shared, nil), from.new(nil, shared)
	set(from.h, shared, &shared.b, left)
	from.roots = []*node{left, right}
	from.collect() // old in the sender
	set(from.h, left, &left.b, from.new(nil, nil))
	before := [4]uint64{header(left), header(right), header(shared), header(left.b)}

	p, q, none := unsafe.Pointer(left), unsafe.Pointer(right), unsafe.Pointer(nil)
	f := from.h.space.NewFragment()
	require.NoError(t, f.CopyFrom(from.h, &p, &none, &q))
	require.Nil(t, none)
	require.Equal(t, before, [4]uint64{header(left), header(right), header(shared), header(left.b)}, "headers are restored")
	from.verify(t)

	into.h.Adopt(&into.c, f)
	l, r := (*node)(p), (*node)(q)
	into.roots = []*node{l, r}
	require.NotSame(t, left, l)
	require.Same(t, l.a, r.b, "shared in the copy as well")
	require.Same(t, l, l.a.b, "the cycle is closed")
	require.NotSame(t, left.b, l.b)
	require.Zero(t, header(l)&^(uint64(0xFFFFFFFF)<<32), "young")
	into.verify(t)

	from.roots = nil
	from.full()
	into.collect()
	into.full()
	require.Equal(t, 3, into.count(l))
	require.EqualValues(t, 4*nodeSize, into.h.Stats().Old)
}

func TestDeadFragmentMemoryGoesBack(t *testing.T) {
	from := newActor(t, Config{Nursery: 64 << 10})
	into := from.sibling()
	for range 5000 {
		p := unsafe.Pointer(from.new(nil, nil))
		f := from.h.space.NewFragment()
		require.NoError(t, f.CopyFrom(from.h, &p))
		into.h.Adopt(&into.c, f)
		if into.h.Due() {
			into.collect()
		}
		if from.h.Due() {
			from.collect()
		}
	}
	into.collect()
	require.Zero(t, into.h.Stats().Held)
	require.Less(t, from.h.space.Stats().Used, int64(1<<20))
}

func TestFragmentSizes(t *testing.T) {
	a := newActor(t, Config{Verify: true, Poison: true})
	into := a.sibling()
	fill := unsafe.Pointer(a.list(5000))
	wide, err := a.h.AllocArray(&a.c, wordsType, 10000)
	require.NoError(t, err)
	medium := allocate(a.h, &a.c, sheetType.total, sheetType.Header())
	*(*sheet)(medium) = sheet{id: 5}
	a.roots = []*node{(*node)(fill), (*node)(wide), (*node)(medium)}
	f := a.h.space.NewFragment()
	require.NoError(t, f.CopyFrom(a.h, &medium))
	require.NoError(t, f.CopyFrom(a.h, &fill, &wide))
	into.h.Adopt(&into.c, f)
	into.roots = []*node{(*node)(fill), (*node)(wide), (*node)(medium)}
	into.collect()
	into.full()
	require.Len(t, into.h.mem.large, 1)
	require.Equal(t, 5000, into.count(into.roots[0]))

	one := unsafe.Pointer(a.roots[0])
	set(a.h, a.roots[0], &a.roots[0].a, nil)
	f = a.h.space.NewFragment()
	require.NoError(t, f.CopyFrom(a.h, &one))
	require.EqualValues(t, 1<<10, f.bytes)
	f.Free()
}

func TestFragmentMisuse(t *testing.T) {
	a, b := newActor(t, Config{}), newActor(t, Config{})
	p := unsafe.Pointer(a.new(nil, nil))
	f := a.h.space.NewFragment()
	require.NoError(t, f.CopyFrom(a.h, &p))
	require.PanicsWithValue(t, "heap: adopt of a fragment of another space", func() { b.h.Adopt(&b.c, f) })
	f.Keep()
	f.Keep()
	require.PanicsWithValue(t, "heap: adopt of a kept fragment, which others may read", func() { a.h.Adopt(&a.c, f) })
	require.PanicsWithValue(t, "heap: copy into a kept fragment", func() { _ = f.CopyFrom(a.h, &p) })
	f.Free()
	empty := a.h.space.NewFragment()
	a.h.Adopt(&a.c, empty)
	a.h.space.NewFragment().Free()
}

// TestKeptFragmentHasManyReaders: a future's value is copied by several goroutines at once and never written.
func TestKeptFragmentHasManyReaders(t *testing.T) {
	a := newActor(t, Config{})
	for _, n := range []int{1, scanned, scanned + 1, 1000} {
		p := unsafe.Pointer(a.list(n))
		f := a.h.space.NewFragment()
		require.NoError(t, f.CopyFrom(a.h, &p))
		f.Keep()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				reader := a.sibling()
				for range 20 {
					q, r, dst := p, p, reader.h.space.NewFragment()
					if err := f.CopyTo(dst, &q, &r); err != nil || q != r || q == p {
						t.Errorf("CopyTo: %v, %p and %p from %p", err, q, r, p)
						return
					}
					reader.h.Adopt(&reader.c, dst)
					reader.roots = []*node{(*node)(q)}
					reader.collect()
					if got := reader.count((*node)(q)); got != n {
						t.Errorf("%d objects of %d", got, n)
					}
					set(reader.h, (*node)(q), &(*node)(q).b, (*node)(q))
				}
				if err := reader.h.Verify(&reader.c, reader.trace); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		f.Free()
	}
}

// settles waits until the condition holds, while Go's collector runs again and again.
func settles(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); {
		require.True(t, time.Now().Before(deadline), what)
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

func TestKeptFragmentIsFreedWithoutFree(t *testing.T) {
	a := newActor(t, Config{})
	base := a.h.space.Stats()
	for range 100 {
		p := unsafe.Pointer(a.new(nil, nil))
		f := a.h.space.NewFragment()
		require.NoError(t, f.CopyFrom(a.h, &p))
		f.Keep()
	}
	settles(t, "memory of dropped fragments", func() bool {
		s := a.h.space.Stats()
		return s.Used-s.Cached <= base.Used-base.Cached+8<<10
	})
}

func BenchmarkFragmentOfOne(b *testing.B) {
	from := newActor(b, Config{})
	into := from.sibling()
	one := from.new(nil, nil)
	from.roots = []*node{one}
	trace := into.trace
	b.ReportAllocs()
	for b.Loop() {
		p := unsafe.Pointer(one)
		f := from.h.space.NewFragment()
		if err := f.CopyFrom(from.h, &p); err != nil {
			b.Fatal(err)
		}
		into.h.Adopt(&into.c, f)
		if into.h.Due() {
			into.h.Collect(&into.c, trace)
		}
	}
}
