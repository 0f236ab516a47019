package runq_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/runq"
)

func TestInjectIsFirstInFirstOutAndUnbounded(t *testing.T) {
	var q runq.Inject[int]
	assert.True(t, q.Empty())
	assert.Nil(t, q.Pop())
	items := numbered(1000)
	for i := range items {
		q.Push(&items[i])
		require.False(t, q.Empty())
	}
	for i := range items {
		require.Same(t, &items[i], q.Pop())
	}
	assert.True(t, q.Empty())
	assert.Nil(t, q.Pop())
}

// Several push and several take: each item exactly once, and each pusher's items in order for one taker.
func TestInjectHammer(t *testing.T) {
	const pushers, takers = 3, 3
	rounds := hammer.Rounds(20_000, 1_000_000)
	type item struct{ from, seq int }
	var q runq.Inject[item]
	var left atomic.Int64
	left.Store(int64(pushers * rounds))
	var taken [pushers][]atomic.Uint32
	for g := range taken {
		taken[g] = make([]atomic.Uint32, rounds)
	}
	hammer.Run(t, pushers+takers, 1, func(g, _ int) {
		if g < pushers {
			for seq := range rounds {
				q.Push(&item{g, seq})
			}
			return
		}
		last := [pushers]int{-1, -1, -1}
		for left.Load() > 0 {
			x := q.Pop()
			if x == nil {
				runtime.Gosched()
				continue
			}
			if x.seq <= last[x.from] {
				t.Errorf("item %d of %d came after %d", x.seq, x.from, last[x.from])
			}
			last[x.from] = x.seq
			taken[x.from][x.seq].Add(1)
			left.Add(-1)
		}
	})
	for g := range taken {
		for seq := range taken[g] {
			if n := taken[g][seq].Load(); n != 1 {
				require.Failf(t, "not taken exactly once", "item %d of %d: %d times", seq, g, n)
			}
		}
	}
	assert.True(t, q.Empty())
}
