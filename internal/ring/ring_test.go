package ring_test

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/ring"
)

// firsts are where ids begin: also just before their wrap, so that each test crosses it.
var firsts = []uint64{1, math.MaxUint64 - 2, math.MaxUint64 - 100, 1<<63 - 3}

func forFirsts(t *testing.T, f func(t *testing.T, first uint64)) {
	for _, first := range firsts {
		t.Run(fmt.Sprintf("%#x", first), func(t *testing.T) { f(t, first) })
	}
}

// submit reserves and publishes one.
func submit(t testing.TB, r *ring.Ring, label string) uint64 {
	t.Helper()
	id, _, ok := r.Reserve(1)
	require.True(t, ok, "the ring is full")
	r.Publish(id, label, id)
	return id
}

func state(r *ring.Ring, id uint64) ring.State {
	e, _ := r.LookUp(id)
	return e.State // None where there is none
}

func TestStates(t *testing.T) {
	forFirsts(t, func(t *testing.T, first uint64) {
		r := ring.New(4, 0, first)
		id, _, ok := r.Reserve(1)
		require.True(t, ok)
		require.Equal(t, first, id)
		_, there := r.LookUp(id)
		require.False(t, there, "it was reserved only")
		r.Publish(id, "sort", 77)
		e, there := r.LookUp(id)
		require.True(t, there)
		require.Equal(t, ring.Entry{ID: id, State: ring.Queued, Label: "sort", Born: 77}, e)
		r.Begin(id)
		require.Equal(t, ring.Running, state(r, id))
		require.False(t, r.End(id, false))
		require.Equal(t, ring.Ended, state(r, id))
		id = submit(t, r, "")
		r.Begin(id)
		require.False(t, r.End(id, true))
		e, there = r.LookUp(id)
		require.True(t, there)
		require.Equal(t, ring.Entry{ID: id, State: ring.Failed, Born: id & ring.BornMask}, e)
		for _, other := range []uint64{first - 1, first + 2, first - 4, first + 4, 0, first + 1<<32} {
			_, there := r.LookUp(other)
			require.Equal(t, other-first < 2, there, "id %#x", other)
		}
	})
}

// An epoch is reached when all before it have ended, in whatever order.
func TestEpochIsReachedWhenAllBeforeItHaveEnded(t *testing.T) {
	forFirsts(t, func(t *testing.T, first uint64) {
		r := ring.New(8, 0, first)
		var ids []uint64
		for range 3 {
			ids = append(ids, submit(t, r, "a"))
		}
		epoch, moved := r.Mark()
		require.False(t, moved)
		require.Equal(t, first+3, epoch)
		late := submit(t, r, "b")
		require.False(t, r.End(late, false))
		require.False(t, r.End(ids[2], false))
		require.False(t, r.End(ids[0], false))
		require.False(t, r.Reached(epoch))
		require.Equal(t, ring.Ended, state(r, ids[0]), "it is found until the epoch is reached")
		require.True(t, r.End(ids[1], false))
		require.True(t, r.Reached(epoch))
		require.Equal(t, epoch, r.Horizon())
		for _, id := range ids {
			_, there := r.LookUp(id)
			require.False(t, there)
		}
		require.Equal(t, ring.Ended, state(r, late), "it came after the epoch")
		again, moved := r.Mark()
		require.True(t, moved, "all have ended")
		require.Equal(t, late+1, again)
		same, moved := r.Mark()
		require.False(t, moved)
		require.Equal(t, again, same)
	})
}

// Row 20, with the order of looks that parking relies on.
func TestFullRing(t *testing.T) {
	forFirsts(t, func(t *testing.T, first uint64) {
		r := ring.New(3, 0, first)
		for range 3 {
			submit(t, r, "a")
		}
		_, horizon, ok := r.Reserve(1)
		require.False(t, ok)
		require.False(t, r.CanFree(1, horizon), "there is no epoch")
		require.False(t, r.Room(1))
		epoch, _ := r.Mark()
		require.True(t, r.CanFree(1, horizon))
		require.True(t, r.CanFree(3, horizon))
		_, horizon, _ = r.Reserve(1)
		for id := first; id != epoch; id++ {
			r.End(id, false)
		}
		// Reached between the refusal and this look: it was in flight then.
		require.True(t, r.CanFree(1, horizon))
		require.True(t, r.Room(3))
		require.False(t, r.Room(4))
		submit(t, r, "b")
		require.False(t, r.CanFree(3, r.Horizon()))
	})
}

// A part of the ring is freed: an epoch that does not free enough is no reason to wait.
func TestEpochMayNotFreeEnough(t *testing.T) {
	r := ring.New(4, 0, 1)
	submit(t, r, "a")
	r.Mark()
	for range 3 {
		submit(t, r, "b")
	}
	_, horizon, ok := r.Reserve(2)
	require.False(t, ok)
	require.True(t, r.CanFree(1, horizon))
	require.False(t, r.CanFree(2, horizon))
}

func TestAutomaticEpochs(t *testing.T) {
	forFirsts(t, func(t *testing.T, first uint64) {
		r := ring.New(8, 2, first)
		for range 100 {
			id := submit(t, r, "a")
			r.End(id, false)
			require.LessOrEqual(t, id+1-r.Horizon(), uint64(2))
		}
		for range 4 {
			id, _, ok := r.Reserve(6)
			require.True(t, ok)
			for i := range uint64(6) {
				r.Publish(id+i, "b", 0)
				r.End(id+i, false)
			}
		}
	})
}

// What has ended can be freed without an epoch having been marked before.
func TestMarkEnded(t *testing.T) {
	forFirsts(t, func(t *testing.T, first uint64) {
		r := ring.New(4, 0, first)
		for range 4 {
			submit(t, r, "a")
		}
		require.False(t, r.MarkEnded(1))
		r.End(first+1, false)
		require.False(t, r.MarkEnded(1), "the first one has not ended")
		r.End(first, false)
		require.False(t, r.MarkEnded(3))
		require.True(t, r.MarkEnded(2))
		require.Equal(t, first+2, r.Horizon())
		require.False(t, r.MarkEnded(2), "it is one already")
	})
}

// Rows 21 and 26: a kept id is refused for ever, while others look up, over the wrap of ids.
func TestKeptIDsAreRefused(t *testing.T) {
	rounds := hammer.Rounds(20_000, 1_000_000)
	for _, capacity := range []int{1, 2, 3} {
		r := ring.New(capacity, 1, math.MaxUint64-uint64(rounds)/2)
		var newest atomic.Uint64
		newest.Store(math.MaxUint64 - uint64(rounds)/2)
		var ended atomic.Bool
		labels := [...]string{"", "a", "bb", "ccc", "dddd"}
		check := func(e ring.Entry, id uint64) bool {
			return e.ID == id && e.Label == labels[id%5] && e.Born == id*3&ring.BornMask && e.State != ring.None
		}
		var found [2]int
		hammer.Run(t, 3, 1, func(g, _ int) {
			if g == 2 {
				defer ended.Store(true)
				for range rounds {
					id, _, ok := r.Reserve(1)
					if !assert.True(t, ok) {
						return
					}
					newest.Store(id)
					r.Publish(id, labels[id%5], id*3)
					if e, there := r.LookUp(id); !there || !check(e, id) {
						assert.Fail(t, "not found", "%#x: %v", id, e)
						return
					}
					r.Begin(id)
					r.End(id, false)
					for back := range uint64(2 * capacity) {
						if _, there := r.LookUp(id - back); there {
							assert.Fail(t, "an id was found again", "%#x", id-back)
							return
						}
					}
				}
				return
			}
			for n := uint64(0); !ended.Load(); n++ {
				id := newest.Load() - n%4
				if e, there := r.LookUp(id); there {
					found[g]++
					if !check(e, id) {
						assert.Fail(t, "two tenants are mixed", "%#x: %v", id, e)
						return
					}
				}
			}
		})
	}
}

// Many submit, run, mark and look up; the ring is full most of the time. Each id is handed out once, and each slot has one
// tenant at a time.
func TestHammer(t *testing.T) {
	rounds := hammer.Rounds(3_000, 300_000)
	for _, every := range []int{0, 1, 3} {
		const goroutines, capacity = 4, 5
		first := math.MaxUint64 - uint64(goroutines*rounds/2)
		r := ring.New(capacity, every, first)
		var tenants [8]atomic.Uint64 // the size of the ring: the power of two above the capacity
		var last atomic.Uint64
		var live atomic.Int64
		hammer.Run(t, goroutines, rounds, func(g, round int) {
			for {
				id, horizon, ok := r.Reserve(1)
				if !ok {
					if every == 0 && !r.CanFree(1, horizon) {
						r.Mark()
					}
					runtime.Gosched()
					continue
				}
				if n := live.Add(1); n > capacity {
					assert.Fail(t, "more tasks than slots", "%d", n)
				}
				if was := tenants[id%8].Swap(id); was != 0 {
					assert.Fail(t, "a slot has two tenants", "%#x beside %#x", id, was)
				}
				last.Add(1)
				r.Publish(id, "x", id)
				r.Begin(id)
				tenants[id%8].Store(0)
				live.Add(-1)
				r.End(id, false)
				if e, there := r.LookUp(id); there && (e.ID != id || e.Born != id&ring.BornMask || e.State != ring.Ended) {
					assert.Fail(t, "a look-up found another task", "%v", e)
				}
				return
			}
		})
		require.Equal(t, uint64(goroutines*rounds), last.Load())
		// Nothing was lost: an epoch now is reached at once.
		epoch, _ := r.Mark()
		require.Equal(t, first+uint64(goroutines*rounds), epoch)
		require.True(t, r.Reached(epoch), "a task that has ended was passed over")
		require.True(t, r.Room(capacity))
	}
}

func Example() {
	r := ring.New(4, 0, 1)
	for _, label := range []string{"parse", "sort"} {
		id, _, _ := r.Reserve(1)
		r.Publish(id, label, 0)
	}
	epoch, _ := r.Mark()
	r.Begin(1)
	fmt.Println(r.LookUp(1))
	r.End(1, false)
	fmt.Println(r.Reached(epoch), r.End(2, false), r.Reached(epoch))
	_, there := r.LookUp(1)
	fmt.Println(there)
	// Output:
	// {1 2 parse 0} true
	// false true true
	// false
}
