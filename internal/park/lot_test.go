package park

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wantCounts compares the packed word, its two readings and the list.
func wantCounts(t *testing.T, l *Lot, sleeping, searching int) {
	t.Helper()
	require.Equal(t, uint64(sleeping)*sleepingUnit+uint64(searching), l.counts.Load())
	require.Equal(t, sleeping, l.Sleeping())
	require.Equal(t, searching, l.Searching())
	require.Len(t, l.asleep, sleeping)
	require.Equal(t, sleeping+searching > 0, l.Hungry())
}

func wantNoPermits(t *testing.T, l *Lot) {
	t.Helper()
	for w, p := range l.permits {
		require.Empty(t, p, "worker %d has a permit left", w)
	}
}

// Every way through the lot leaves the counts as they were. Row by row: what happens, and what the counts are after.
func TestCountsAfterEveryPath(t *testing.T) {
	type step struct {
		do                  func(l *Lot)
		sleeping, searching int
	}
	begin := func(want bool) func(l *Lot) {
		return func(l *Lot) { require.Equal(t, want, l.BeginSearch()) }
	}
	end := (*Lot).EndSearch
	announce := func(w int) func(l *Lot) { return func(l *Lot) { l.Announce(w) } }
	retract := func(w int, want Role) func(l *Lot) {
		return func(l *Lot) { require.Equal(t, want, l.Retract(w)) }
	}
	sleep := func(w int, want Role) func(l *Lot) {
		return func(l *Lot) { require.Equal(t, want, l.Sleep(w)) }
	}
	wake := func(want bool) func(l *Lot) {
		return func(l *Lot) { require.Equal(t, want, l.WakeOne()) }
	}
	wakeWorker := func(w int, want bool) func(l *Lot) {
		return func(l *Lot) { require.Equal(t, want, l.WakeWorker(w)) }
	}
	for name, steps := range map[string][]step{
		"search that finds nothing": {{begin(true), 0, 1}, {end, 0, 0}},
		"second searcher":           {{begin(true), 0, 1}, {begin(false), 0, 1}, {end, 0, 0}},
		"last look finds work":      {{announce(1), 1, 0}, {retract(1, Plain), 0, 0}},
		"woken as the searcher":     {{announce(1), 1, 0}, {wake(true), 0, 1}, {sleep(1, Searcher), 0, 1}, {end, 0, 0}},
		"woken before the last look found work": {
			{announce(1), 1, 0}, {wake(true), 0, 1}, {retract(1, Searcher), 0, 1}, {end, 0, 0},
		},
		"woken for itself": {{announce(1), 1, 0}, {wakeWorker(1, true), 0, 0}, {sleep(1, Plain), 0, 0}},
		"woken for itself before the last look found work": {
			{announce(1), 1, 0}, {wakeWorker(1, true), 0, 0}, {retract(1, Plain), 0, 0},
		},
		"another is woken": {
			{announce(1), 1, 0}, {wakeWorker(0, false), 1, 0}, {announce(0), 2, 0}, {wakeWorker(0, true), 1, 0},
			{wakeWorker(0, false), 1, 0}, {sleep(0, Plain), 1, 0}, {retract(1, Plain), 0, 0},
		},
		"nobody sleeps": {{wake(false), 0, 0}, {wakeWorker(0, false), 0, 0}, {(*Lot).WakeAll, 0, 0}},
		"somebody searches already": {
			{announce(1), 1, 0}, {begin(true), 1, 1}, {wake(false), 1, 1}, {end, 1, 0}, {wake(true), 0, 1},
			{sleep(1, Searcher), 0, 1}, {end, 0, 0},
		},
		"the newest sleeper is woken first": {
			{announce(2), 1, 0}, {announce(0), 2, 0}, {wake(true), 1, 1}, {sleep(0, Searcher), 1, 1}, {wake(false), 1, 1},
			{end, 1, 0}, {wake(true), 0, 1}, {sleep(2, Searcher), 0, 1}, {end, 0, 0},
		},
		"all are woken": {
			{announce(0), 1, 0}, {announce(1), 2, 0}, {announce(2), 3, 0}, {(*Lot).WakeAll, 0, 0}, {(*Lot).WakeAll, 0, 0},
			{sleep(1, Plain), 0, 0}, {retract(0, Plain), 0, 0}, {sleep(2, Plain), 0, 0},
		},
		"all are woken while one searches": {
			{begin(true), 0, 1}, {announce(0), 1, 1}, {(*Lot).WakeAll, 0, 1}, {sleep(0, Plain), 0, 1}, {end, 0, 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := NewLot(3, 0)
			for range 3 { // a path that leaves something behind shows in the next round
				for _, s := range steps {
					s.do(l)
					wantCounts(t, l, s.sleeping, s.searching)
				}
				wantNoPermits(t, l)
			}
		})
	}
}

// The two counts share a word: neither leaks into the other at the edges of its field.
func TestPackedCounts(t *testing.T) {
	for _, sleeping := range []int{0, 1, 1023, 1024, math.MaxUint32 >> (2 - bits.UintSize/32)} {
		for _, searching := range []int{0, 1} {
			l := NewLot(1, 0)
			l.counts.Store(uint64(sleeping)*sleepingUnit + uint64(searching))
			assert.Equal(t, sleeping, l.Sleeping())
			assert.Equal(t, searching, l.Searching())
			assert.Equal(t, searching == 0, l.BeginSearch())
			assert.Equal(t, sleeping, l.Sleeping())
			assert.Equal(t, 1, l.Searching())
			l.EndSearch()
			assert.Equal(t, sleeping, l.Sleeping())
			assert.Zero(t, l.Searching())
		}
	}
}

func TestAllAsleepRunsOnlyWhenAllAre(t *testing.T) {
	l := NewLot(2, 0)
	calls := 0
	look := func() bool { return l.AllAsleep(func() { calls++ }) }
	assert.False(t, look())
	l.Announce(0)
	assert.False(t, look())
	l.Announce(1)
	assert.True(t, look())
	assert.Equal(t, 1, calls)
	l.WakeOne()
	assert.False(t, look(), "one has a permit, though it has not taken it")
	l.Sleep(1)
	assert.False(t, look())
	l.EndSearch()
	l.Announce(1)
	assert.True(t, look())
	assert.Equal(t, 2, calls)
}

// While AllAsleep looks nobody can be woken.
func TestNobodyWakesDuringAllAsleep(t *testing.T) {
	l := NewLot(1, 0)
	l.Announce(0)
	woken := make(chan bool)
	l.AllAsleep(func() {
		go func() { woken <- l.WakeOne() }()
		go func() { woken <- l.WakeWorker(0) }()
		select {
		case <-woken:
			t.Error("woken during the look")
		default:
		}
		wantCounts(t, l, 1, 0)
	})
	assert.NotEqual(t, <-woken, <-woken, "one of the two wakes it afterwards")
}
