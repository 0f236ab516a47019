package heap

import (
	"errors"
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// fill allocates a list until the limit stops it.
func (a *actor) fill() (n int, err error) {
	for {
		if a.c.rest() < nodeSize {
			if err := a.h.Refill(&a.c, nodeSize); err != nil {
				return n, err
			}
		}
		a.roots[0] = a.new(a.roots[0], nil)
		n++
	}
}

func TestLimit(t *testing.T) {
	a := newActor(t, Config{Limit: 1 << 20, Verify: true, Poison: true})
	a.roots = []*node{nil}
	for range 3 { // hit, free, and hit again
		n, err := a.fill()
		var limit *LimitError
		require.ErrorAs(t, err, &limit)
		require.EqualValues(t, 1<<20, limit.Limit)
		require.LessOrEqual(t, limit.Used, limit.Limit)
		require.Greater(t, limit.Used+limit.Want, limit.Limit)
		require.Regexp(t, `heap: memory limit of 1048576 bytes reached: \d+ in use, \d+ more wanted`, err.Error())
		require.Greater(t, n, 20000)
		require.True(t, a.h.Due(), "near the limit a collection is due")

		for name, f := range map[string]func() error{
			"array":        func() error { _, err := a.h.AllocArray(&a.c, wordsType, 200000); return err },
			"large object": func() error { _, err := a.h.AllocLarge(&a.c, boardType); return err },
			"no array":     func() error { _, err := a.h.AllocArray(&a.c, wordsType, math.MaxInt); return err },
			"medium":       func() error { return a.h.Refill(&a.c, MaxSmall) },
			"fragment": func() error {
				p := unsafe.Pointer(a.roots[0])
				before := p
				f := a.h.space.NewFragment()
				defer f.Free()
				err := f.CopyFrom(a.h, &p)
				require.Equal(t, before, p, "slots are as they were")
				return err
			},
		} {
			require.True(t, errors.As(f(), &limit), name)
		}
		a.verify(t)
		require.Equal(t, n, a.count(a.roots[0]), "a failed allocation leaves the heap usable")
		a.roots[0] = nil
		a.full()
		require.LessOrEqual(t, a.h.space.Stats().Used, int64(1<<20))
	}
}

func TestLimitCountsAllHeaps(t *testing.T) {
	a := newActor(t, Config{Limit: 512 << 10})
	b := a.sibling()
	a.roots, b.roots = []*node{nil}, []*node{nil}
	n, err := a.fill()
	require.Error(t, err)
	m, err := b.fill()
	require.Error(t, err)
	require.Less(t, m, n/4)
}

// TestDeadHeapsAreNoReasonToFail: memory of heaps that are garbage, and not collected by Go yet, is found before an
// allocation fails.
func TestDeadHeapsAreNoReasonToFail(t *testing.T) {
	a := newActor(t, Config{Limit: 4 << 20})
	for range 40 {
		dead := a.sibling()
		dead.roots = []*node{dead.list(30000)}
	}
	require.LessOrEqual(t, a.h.space.Stats().Used, int64(4<<20))
}

// TestGrowthStartsGoCollector: dead heaps come back without a limit too.
func TestGrowthStartsGoCollector(t *testing.T) {
	a := newActor(t, Config{})
	var most int64
	for range 200 {
		dead := a.sibling()
		dead.roots = []*node{dead.list(40000)}
		most = max(most, a.h.space.Stats().Used)
		for a.h.space.growth.running.Load() { // on a busy machine allocation would run ahead of it
			time.Sleep(time.Millisecond)
		}
	}
	require.Less(t, most, int64(200<<20))
	require.Positive(t, a.h.space.growth.next.Load())
}

// TestFailedRefillLeavesTheHoleToOne: a medium object that finds no room must not leave the present hole both in the
// cursor and aside.
func TestFailedRefillLeavesTheHoleToOne(t *testing.T) {
	a := newActor(t, Config{Limit: 64 << 10})
	a.roots = []*node{nil}
	n := 0
	for refused := false; ; n++ {
		if !refused && n > 100 && a.c.rest() > 8*LineSize {
			for a.h.Refill(&a.c, MaxSmall) == nil {
				a.c.Off += MaxSmall
			}
			refused = true
		}
		if a.c.rest() < nodeSize && a.h.Refill(&a.c, nodeSize) != nil {
			break
		}
		a.roots[0] = a.new(a.roots[0], nil)
	}
	require.Equal(t, n, a.count(a.roots[0]))
	a.verify(t)
}

// TestOldGarbageIsNoReasonToFail: a queue whose entries grow old before they die, near the limit: a full collection comes
// in time, though the old generation has not doubled.
func TestOldGarbageIsNoReasonToFail(t *testing.T) {
	a := newActor(t, Config{Limit: 2 << 20})
	first := a.list(40000) // 1.2 MiB, last first
	last := first
	for last.a != nil {
		last = last.a
	}
	for range 400000 {
		a.roots = []*node{first, last}
		if a.h.Due() {
			a.collect()
		}
		if a.c.rest() < nodeSize {
			require.NoError(t, a.h.Refill(&a.c, nodeSize))
		}
		n := a.new(nil, nil)
		set(a.h, last, &last.a, n)
		first, last = first.a, n
	}
	a.roots = []*node{first}
	require.Equal(t, 40000, a.count(first))
}
