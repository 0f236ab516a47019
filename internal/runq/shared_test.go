package runq_test

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/runq"
)

// nearWrap is where the counters start, so that every test crosses their wrap.
var nearWrap = []uint32{0, ^uint32(0) - runq.SharedSlots/2, ^uint32(0)}

func numbered(n int) []int {
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	return items
}

func TestSharedIsFirstInFirstOutAndBounded(t *testing.T) {
	items := numbered(runq.SharedSlots)
	for _, start := range nearWrap {
		var q runq.Shared[int]
		q.StartAt(start)
		for range 3 {
			require.True(t, q.Empty())
			require.Nil(t, q.Pop())
			for i := range items {
				require.True(t, q.Push(&items[i]))
				require.False(t, q.Empty())
			}
			require.False(t, q.Push(new(int)), "full")
			for i := range items {
				require.Same(t, &items[i], q.Pop())
			}
		}
	}
}

func TestStealTakesTheOlderHalf(t *testing.T) {
	items := numbered(runq.SharedSlots)
	for _, c := range []struct{ queued, room, want int }{
		{0, 64, 0}, {1, 64, 1}, {2, 64, 1}, {3, 64, 2}, {100, 64, 50}, {256, 64, 64}, {256, 1, 1}, {256, 200, 128},
	} {
		for _, start := range nearWrap {
			var q runq.Shared[int]
			q.StartAt(start)
			for i := range c.queued {
				require.True(t, q.Push(&items[i]))
			}
			into := make([]*int, c.room)
			require.Equal(t, c.want, q.Steal(into))
			for i := range c.want {
				require.Same(t, &items[i], into[i])
			}
			for i := c.want; i < c.queued; i++ {
				require.Same(t, &items[i], q.Pop())
			}
			require.True(t, q.Empty())
		}
	}
}

// Forget clears what was taken, and nothing that waits, wherever the queue's ends are.
func TestForgetClearsWhatWasTakenOnly(t *testing.T) {
	for _, start := range nearWrap {
		var q runq.Shared[int]
		q.StartAt(start)
		rng := rand.New(rand.NewPCG(1, uint64(start)))
		var waiting []*int
		for range 20_000 {
			switch rng.IntN(5) {
			case 0, 1, 2:
				for range rng.IntN(40) {
					if x := new(int); q.Push(x) {
						waiting = append(waiting, x)
					}
				}
			case 3:
				for range min(rng.IntN(60), len(waiting)) {
					require.Same(t, waiting[0], q.Pop())
					waiting = waiting[1:]
				}
			case 4:
				q.Forget()
				require.Equal(t, len(waiting), q.Kept())
			}
		}
	}
}

// The owner pushes and pops while three others steal and pop: every numbered item is taken exactly once, over the wrap
// of the counters.
func TestStealHammer(t *testing.T) {
	total := hammer.Rounds(200_000, 10_000_000)
	for _, start := range nearWrap {
		var q runq.Shared[int]
		q.StartAt(start)
		items := numbered(total)
		taken := make([]atomic.Uint32, total)
		var left atomic.Int64
		left.Store(int64(total))
		take := func(x *int) {
			if taken[*x].Add(1) != 1 {
				t.Errorf("item %d was taken twice", *x)
			}
			left.Add(-1)
		}
		hammer.Run(t, 4, 1, func(g, _ int) {
			if g == 0 {
				for i := range items {
					for !q.Push(&items[i]) {
						if x := q.Pop(); x != nil {
							take(x)
						}
					}
					if i%5 == 0 {
						q.Forget()
					}
					if i%7 == 0 {
						if x := q.Pop(); x != nil {
							take(x)
						}
					}
				}
			}
			var into [20]*int
			for left.Load() > 0 && !t.Failed() {
				if g == 1 {
					if x := q.Pop(); x != nil {
						take(x)
						continue
					}
				}
				n := q.Steal(into[:])
				for i, x := range into {
					if i < n {
						take(x)
						into[i] = nil
					} else if x != nil {
						t.Errorf("a thief keeps item %d, which others have got", *x)
					}
				}
				if n == 0 {
					runtime.Gosched()
				}
			}
		})
		require.False(t, t.Failed())
		for i := range taken {
			if n := taken[i].Load(); n != 1 {
				require.Failf(t, "not taken exactly once", "item %d: %d times", i, n)
			}
		}
	}
}

// The owner pushes as fast as slots get free, while others pop, or steal a few, as fast as they can: takers meet at the
// same item, and a slot is filled again right after it was given up.
func TestTakersMeet(t *testing.T) {
	for _, takers := range []int{3, 15} { // few take turns on goroutines, many also on threads
		takersMeet(t, takers, hammer.Rounds(200_000, 10_000_000))
	}
}

func takersMeet(t *testing.T, takers, total int) {
	items := numbered(total)
	var q runq.Shared[int]
	q.StartAt(^uint32(0) - 1000)
	taken := make([]atomic.Uint32, total)
	var pushed atomic.Bool
	hammer.Run(t, 1+takers, 1, func(g, _ int) {
		if g == 0 {
			for i := range items {
				for tries := 1; !q.Push(&items[i]); tries++ {
					if tries%100 == 0 {
						runtime.Gosched()
					}
				}
			}
			pushed.Store(true)
			return
		}
		into := make([]*int, 4+g*g)
		for {
			n := 0
			if g%3 != 0 {
				n = q.Steal(into)
			} else if into[0] = q.Pop(); into[0] != nil {
				n = 1
			}
			for _, x := range into[:n] {
				taken[*x].Add(1)
			}
			if n > 0 {
				continue
			}
			if pushed.Load() && q.Empty() {
				return
			}
			runtime.Gosched()
		}
	})
	for i := range taken {
		if n := taken[i].Load(); n != 1 {
			require.Failf(t, "not taken exactly once", "item %d: %d times", i, n)
		}
	}
}

func TestSharedDoesNotAllocate(t *testing.T) {
	var q runq.Shared[int]
	x := new(int)
	var into [4]*int
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		for range 6 {
			q.Push(x)
		}
		q.Steal(into[:])
		for q.Pop() != nil {
		}
	}))
}
