//go:build !race

package heap

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/arena"
)

var releaseType = NewArrayType("release", 1)

// The pages of a closed Space go back to the system after a delay, by themselves.
func TestClosedSpaceGivesPagesBack(t *testing.T) {
	s := NewSpace(Config{})
	h := New(s)
	var c Cursor
	h.Enter(&c)
	_, err := h.AllocArray(&c, releaseType, 16<<20)
	require.NoError(t, err)
	s.Close()
	require.NotZero(t, arena.ReadUsage().Backed)
	require.Eventually(t, func() bool { return arena.ReadUsage().Backed < 1<<20 }, 30*trimInterval, trimInterval/10)
}

// TestFreedMemoryGoesBack is row 75 of the reliability list: what a heap frees in a Space that lives on goes back after it
// was of no use for a while, pages and cache, by small and by large objects; what comes and goes stays.
func TestFreedMemoryGoesBack(t *testing.T) {
	arena.Release(0)
	// On a slow machine timers would look between the steps of this test.
	require.Eventually(t, func() bool { return !trimming.Load() }, 30*trimInterval, trimInterval/100, "nothing is left to look at")
	afterFunc = func(time.Duration, func()) *time.Timer { return nil }
	defer func() {
		afterFunc = time.AfterFunc
		trimming.Store(false)
	}()
	a := newActor(t, Config{})
	a.roots = []*node{nil}
	burst := func() {
		a.roots[0] = a.list(200_000) // 6 MiB and more
		_, err := a.h.AllocArray(&a.c, releaseType, 16<<20)
		require.NoError(t, err)
		a.roots[0] = nil
	}
	s := a.h.space
	burst()
	a.full()
	held := a.h.Stats().Held
	require.Less(t, held, int64(DefaultNursery+2*BlockSize))
	require.Greater(t, s.Stats().Cached, int64(1<<20))
	require.Greater(t, arena.ReadUsage().Backed, int64(16<<20))

	s.trimCache() // looks; all was in use since the last look
	trimArena()
	require.Greater(t, s.Stats().Cached, int64(1<<20))
	require.Greater(t, arena.ReadUsage().Backed, int64(16<<20), "what was in use a moment ago stays")
	require.True(t, trimming.Load(), "and will be looked at again")

	burst()
	a.full()
	s.trimCache()
	trimArena()
	require.Greater(t, arena.ReadUsage().Backed, int64(16<<20), "what comes and goes stays")

	for range 3 {
		s.trimCache()
		trimArena()
	}
	require.Zero(t, s.Stats().Cached)
	require.Zero(t, arena.ReadUsage().Backed)
	require.EqualValues(t, a.h.Stats().Held, s.Stats().Used, "all that is counted is what the heap holds")
	require.Empty(t, s.tracers, "mark stacks go as well")
	a.roots[0] = a.list(1000) // usable as before
	a.verify(t)
	require.Equal(t, 1000, a.count(a.roots[0]))
}

// TestFreedPagesAreNotResident: what is counted as given back is no longer part of the process, as the kernel counts.
func TestFreedPagesAreNotResident(t *testing.T) {
	before, known := resident()
	if !known {
		return // the system does not tell
	}
	a := newActor(t, Config{})
	const bytes = 64 << 20
	for range 4 {
		_, err := a.h.AllocArray(&a.c, releaseType, bytes/4)
		require.NoError(t, err)
	}
	grown, _ := resident()
	require.Greater(t, grown, before+bytes*3/4)
	a.full()
	for range 3 {
		a.h.space.trimCache()
		trimArena()
	}
	after, _ := resident()
	require.Less(t, after, before+bytes/10, "resident before %d MiB, grown %d MiB", before>>20, grown>>20)
}

func TestShelf(t *testing.T) {
	words := make([]uint64, 8)
	at := func(i int) unsafe.Pointer { return unsafe.Pointer(&words[i]) }
	var f shelf
	require.Nil(t, f.pop())
	for i := range 4 {
		f.push(at(i))
	}
	require.Empty(t, f.takeIdle(), "all came since the last look")
	require.Equal(t, at(3), f.pop())
	f.push(at(4))
	require.Equal(t, []unsafe.Pointer{at(0), at(1), at(2)}, f.takeIdle())
	require.Equal(t, []unsafe.Pointer{at(4)}, f.takeIdle())
	require.Nil(t, f.pop())
	require.Empty(t, f.takeIdle())
}

func TestCollectionIsTold(t *testing.T) {
	var told []Collection
	a := newActor(t, Config{OnCollect: func(c Collection) { told = append(told, c) }})
	a.roots = []*node{a.list(1000)}
	a.collect()
	a.list(500)
	a.full()
	live := uint64(1000 * nodeSize)
	require.Len(t, told, 2)
	require.EqualValues(t, 1, told[0].Number)
	require.False(t, told[0].Full)
	require.Equal(t, live, told[0].Survived)
	require.Equal(t, live, told[0].Live)
	require.GreaterOrEqual(t, told[0].Allocated, live)
	require.True(t, told[1].Full)
	require.Equal(t, live, told[1].Live)
	require.Equal(t, told[0].Heap, told[1].Heap)
	require.GreaterOrEqual(t, told[1].Used, told[1].Held)
	require.Regexp(t, `^gc 2 heap 0x\w+ full  allocated \d+ KiB, survived 31 KiB, live 31 KiB, held \d+ KiB, all heaps \d+ KiB, pause `, told[1].String())

	s := a.h.Stats()
	require.Equal(t, told[0].Pause+told[1].Pause, s.Paused)
	require.Equal(t, told[1].Pause, s.LastPause)
	require.Equal(t, max(told[0].Pause, told[1].Pause), s.MaxPause)
}

// TestLiveIsTheSumOfHeaps: the figure of all heaps follows each, those that die included.
func TestLiveIsTheSumOfHeaps(t *testing.T) {
	a := newActor(t, Config{})
	b := a.sibling()
	a.roots, b.roots = []*node{a.list(1000)}, []*node{b.list(300)}
	a.collect()
	b.full()
	require.EqualValues(t, 1300*nodeSize, a.h.space.Stats().Live)
	a.roots[0] = nil
	a.full()
	require.EqualValues(t, 300*nodeSize, a.h.space.Stats().Live)
	b.h.mem.release()
	require.Zero(t, a.h.space.Stats().Live)
}
