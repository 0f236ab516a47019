package heap

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func header(p *node) uint64 { return *headerOf(unsafe.Pointer(p)) }

func TestMinorKeepsOldGarbageAndFullDoesNot(t *testing.T) {
	a := newActor(t, Config{Verify: true})
	a.roots = []*node{a.tree(6)}
	a.collect()
	require.EqualValues(t, 127*nodeSize, a.h.Stats().Old)
	a.roots = nil
	a.collect()
	require.EqualValues(t, 127*nodeSize, a.h.Stats().Old, "old objects live until a full collection")
	a.full()
	require.Zero(t, a.h.Stats().Old)
}

func TestYoungReachedThroughLoggedOld(t *testing.T) {
	a := newActor(t, Config{Verify: true, Poison: true})
	parent := a.new(nil, nil)
	a.roots = []*node{parent}
	a.collect()
	require.NotZero(t, header(parent)&FlagOld)

	set(a.h, parent, &parent.a, a.new(nil, nil))
	require.Zero(t, header(parent)&FlagOld, "logged once: the barrier's test fails from now on")
	set(a.h, parent, &parent.b, a.list(5))
	require.Equal(t, 1, a.h.Stats().Logged)
	a.verify(t)

	a.collect()
	require.Zero(t, a.h.Stats().Logged)
	require.NotZero(t, header(parent)&FlagOld)
	require.NotZero(t, header(parent.a)&FlagOld)
	require.Equal(t, 7, a.count(parent))
	a.full()
	require.Equal(t, 7, a.count(parent))
	require.EqualValues(t, 7*nodeSize, a.h.Stats().Old)
}

func TestFullWithLoggedObjects(t *testing.T) {
	a := newActor(t, Config{Verify: true})
	live, dead := a.new(nil, nil), a.new(nil, nil)
	a.roots = []*node{live, dead}
	a.collect()
	set(a.h, live, &live.a, a.new(nil, nil))
	set(a.h, dead, &dead.a, a.new(nil, nil))
	a.roots = a.roots[:1]
	a.full()
	require.EqualValues(t, 2*nodeSize, a.h.Stats().Old)
	require.Equal(t, FlagOld, header(live)&(FlagOld|flagLogged))
}

func TestEpochsAlternate(t *testing.T) {
	a := newActor(t, Config{Verify: true, Poison: true})
	a.roots = []*node{a.list(100)}
	for range 5 {
		a.full()
		keep := a.roots[0]
		set(a.h, keep, &keep.b, a.list(3))
		a.collect()
		require.Equal(t, 103, a.count(keep))
		set(a.h, keep, &keep.b, nil)
	}
}

func TestCyclesAndDepth(t *testing.T) {
	a := newActor(t, Config{})
	n := 1000000
	if testing.Short() {
		n = 10000
	}
	a.roots = []*node{a.list(n)}
	last := a.roots[0]
	for last.a != nil {
		last = last.a
	}
	set(a.h, last, &last.a, a.roots[0])
	a.collect()
	require.EqualValues(t, uintptr(n)*nodeSize, a.h.Stats().Old)
	a.roots = nil
	a.full()
	require.Zero(t, a.h.Stats().Old)
}

func TestNurseryMemoryIsReused(t *testing.T) {
	a := newActor(t, Config{Nursery: 256 << 10})
	a.roots = []*node{a.list(10)}
	var held int64
	for cycle := range 200 {
		for !a.h.Due() {
			a.new(nil, nil)
		}
		a.collect()
		if cycle == 20 {
			held = a.h.Stats().Held
		}
	}
	require.Equal(t, held, a.h.Stats().Held)
	require.LessOrEqual(t, held, int64(512<<10))
	require.EqualValues(t, a.h.Stats().Held, a.h.space.Stats().Used-a.h.space.Stats().Cached)
}

func TestSmallHeapsStaySmall(t *testing.T) {
	a := newActor(t, Config{})
	require.Zero(t, a.h.Stats().Held, "no memory before the first allocation")
	a.new(nil, nil)
	require.EqualValues(t, 512, a.h.Stats().Held)
	a.roots = []*node{a.list(100)}
	require.EqualValues(t, 512+1<<10+4<<10, a.h.Stats().Held)
}

func TestWholeFreeBlocksGoBack(t *testing.T) {
	a := newActor(t, Config{Nursery: 128 << 10})
	a.roots = []*node{a.list(300000)}
	a.collect()
	peak := a.h.Stats().Held
	a.roots = nil
	a.full()
	require.Greater(t, peak, int64(300000*nodeSize))
	require.LessOrEqual(t, a.h.Stats().Held, int64(160<<10))
	require.LessOrEqual(t, a.h.space.Stats().Used, int64(cacheBytes+160<<10))
}

func TestFragmentedHolesAreUsed(t *testing.T) {
	a := newActor(t, Config{Nursery: 64 << 10, Verify: true})
	for i := range 4000 { // every 16th object survives: holes of some lines
		p := a.new(nil, nil)
		if i%16 == 0 {
			a.roots = append(a.roots, p)
		}
	}
	a.full()
	held := a.h.Stats().Held
	for range 20 {
		for !a.h.Due() {
			a.new(nil, nil)
		}
		a.collect()
	}
	require.LessOrEqual(t, a.h.Stats().Held, max(held, 256<<10))
}

func TestFullWhenOldHasDoubled(t *testing.T) {
	a := newActor(t, Config{Nursery: 64 << 10, Verify: true})
	for range 40 { // each cycle's list grows old and dies
		a.roots = []*node{a.list(1500)}
		a.collect()
	}
	stats := a.h.Stats()
	require.NotZero(t, stats.Full)
	require.Greater(t, stats.Minor, stats.Full)
	require.Less(t, stats.Old, uint64(1<<20))
	require.Equal(t, stats.Full, a.h.space.Stats().Full)
	require.Equal(t, stats.Minor, a.h.space.Stats().Minor)
}

func TestDue(t *testing.T) {
	a := newActor(t, Config{Nursery: 64 << 10})
	require.False(t, a.h.Due())
	for range 4 {
		for !a.h.Due() {
			a.new(nil, nil)
		}
		a.collect()
		require.False(t, a.h.Due())
	}
	require.EqualValues(t, 64<<10, a.h.trigger, "doubles up to the nursery")

	always := newActor(t, Config{CollectAlways: true})
	require.True(t, always.h.Due())
	always.collect() // nothing to do, and nothing wrong
	always.roots = []*node{always.new(nil, nil)}
	for range 3 {
		always.collect()
		require.True(t, always.h.Due())
	}
}

func TestLargeObjects(t *testing.T) {
	a := newActor(t, Config{Verify: true})
	p, err := a.h.AllocLarge(&a.c, boardType)
	require.NoError(t, err)
	b := (*board)(p)
	require.Zero(t, *b)
	set(a.h, b, &b.a, a.list(3))
	a.roots = []*node{(*node)(p)}
	_, err = a.h.AllocLarge(&a.c, boardType) // garbage
	require.NoError(t, err)
	a.collect()
	require.Len(t, a.h.mem.large, 1)
	require.EqualValues(t, boardType.total+3*nodeSize, a.h.Stats().Old)

	set(a.h, b, &b.b, a.new(nil, nil))
	a.collect()
	require.EqualValues(t, boardType.total+4*nodeSize, a.h.Stats().Old)
	a.roots = nil
	a.collect()
	require.Len(t, a.h.mem.large, 1)
	a.full()
	require.Empty(t, a.h.mem.large)
}

func TestArrays(t *testing.T) {
	a := newActor(t, Config{Verify: true, Poison: true})
	for _, n := range []uintptr{0, 1, 7, 16, 100, 2000, 2046, 2047, 5000, 500000} {
		p, err := a.h.AllocArray(&a.c, wordsType, n)
		require.NoError(t, err)
		require.Equal(t, n, ArrayLen(p))
		data := unsafe.Slice((*uint64)(ArrayData(p)), n)
		for i := range data {
			require.Zero(t, data[i])
			data[i] = uint64(i)
		}
		a.roots = append(a.roots, (*node)(p))
	}
	a.collect()
	a.full()
	for _, r := range a.roots {
		for i, v := range unsafe.Slice((*uint64)(ArrayData(unsafe.Pointer(r))), ArrayLen(unsafe.Pointer(r))) {
			require.EqualValues(t, i, v)
		}
	}
}

func TestMediumObjectsLeaveHolesToSmallOnes(t *testing.T) {
	a := newActor(t, Config{Nursery: 1 << 20})
	for range 200 {
		a.new(nil, nil)
		allocate(a.h, &a.c, sheetType.total, sheetType.Header())
	}
	// One sheet and one node each: at most a fifth is lost at the ends of chunks.
	require.Less(t, a.h.Stats().Held, int64(200*(sheetType.total+nodeSize))*6/5+BlockSize)
	require.PanicsWithValue(t, "heap: Refill for 16385 bytes, which is a large object", func() { _ = a.h.Refill(&a.c, MaxSmall+1) })
}

func TestEnterAndLeave(t *testing.T) {
	a := newActor(t, Config{})
	first := a.new(nil, nil)
	a.h.Leave(&a.c)
	require.Zero(t, a.c)
	var other Cursor
	a.h.Enter(&other)
	second := newNode(a.h, &other, nil, nil, 0)
	require.EqualValues(t, nodeSize, uintptr(unsafe.Pointer(second))-uintptr(unsafe.Pointer(first)), "allocation goes on where it stopped")
}

func TestShadow(t *testing.T) {
	a := newActor(t, Config{Verify: true})
	var s Shadow
	for i := range 100 {
		if s.Top == len(s.Slots) {
			s.Grow()
		}
		s.Slots[s.Top] = unsafe.Pointer(a.new(nil, nil))
		if s.Top++; i%10 == 9 {
			s.Slots[s.Top-1] = nil
		}
	}
	s.Top = 50 // what is above is stale
	a.h.Collect(&a.c, s.Trace)
	require.EqualValues(t, 45*nodeSize, a.h.Stats().Old)
}

func TestEveryCollectionIsCounted(t *testing.T) {
	a := newActor(t, Config{})
	a.roots = []*node{a.tree(8)}
	for range 10 {
		a.collect()
	}
	stats := a.h.space.Stats()
	require.EqualValues(t, 10, stats.Pauses.Count())
	require.Positive(t, stats.Pauses.Max)
	require.EqualValues(t, 511, stats.Objects)
	require.EqualValues(t, 511*nodeSize, stats.Survived)
	require.GreaterOrEqual(t, stats.Allocated, stats.Survived)
	require.EqualValues(t, 1, stats.Heaps)
}

func TestShrinkKeepsNoFreeChunk(t *testing.T) {
	a := newActor(t, Config{Verify: true, Poison: true})
	for range 20 {
		a.roots = []*node{a.tree(12)}
		a.collect()
	}
	root := a.tree(3)
	a.roots = []*node{root}
	a.full()
	kept := a.h.Stats().Held
	a.h.Shrink(&a.c, a.trace)
	require.Less(t, a.h.Stats().Held, kept/4)
	require.LessOrEqual(t, a.h.Stats().Held, int64(2*BlockSize))
	a.verify(t)
	require.Equal(t, 15, a.count(root))
	a.roots = []*node{root, a.tree(12)}
	require.True(t, a.h.Due(), "the nursery is small again")
	a.collect()
	require.Equal(t, 15, a.count(root))
	a.roots = nil
	a.h.Shrink(&a.c, a.trace)
	require.Zero(t, a.h.Stats().Held)
	a.roots = []*node{a.tree(4)}
	a.verify(t)
	empty := newActor(t, Config{})
	empty.h.Shrink(&empty.c, empty.trace)
	require.Zero(t, empty.h.Stats().Full)
}
