package mailbox

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newBox() (*Box[int], *Pool[int]) {
	b := new(Box[int])
	b.Init()
	return b, NewPool(new(Depot[int]))
}

// takeAll empties the box as its owner.
func takeAll(b *Box[int], p *Pool[int]) (got []int) {
	for m := b.Next(p); m != nil; m = b.Next(p) {
		got = append(got, *m)
	}
	return got
}

func TestRemotePushOwnsExactlyTheIdleBox(t *testing.T) {
	b, p := newBox()
	assert.True(t, pushRemote(b, p, 1), "idle: the pusher owns")
	assert.False(t, pushRemote(b, p, 2), "owned already")
	assert.False(t, b.Claim())
	assert.False(t, b.Release(p), "something is there")
	assert.Equal(t, []int{1, 2}, takeAll(b, p))
	assert.False(t, pushRemote(b, p, 3), "empty but owned")
	assert.False(t, b.Release(p))
	assert.Equal(t, []int{3}, takeAll(b, p))
	require.True(t, b.Release(p))
	assert.True(t, pushRemote(b, p, 4))
	assert.Equal(t, []int{4}, takeAll(b, p))
}

func TestClaimOwnsTheIdleBoxOnce(t *testing.T) {
	b, p := newBox()
	require.True(t, b.Claim())
	assert.False(t, b.Claim())
	b.PushLocal(p, 1)
	assert.False(t, b.Release(p), "something is in the local part")
	assert.Equal(t, []int{1}, takeAll(b, p))
	require.True(t, b.Release(p))
	assert.True(t, b.Claim())
}

func TestRemoteMessagesGoBeforeALaterLocalPush(t *testing.T) {
	b, p := newBox()
	require.True(t, b.Claim())
	b.PushLocal(p, 1)
	pushRemote(b, p, 2)
	pushRemote(b, p, 3)
	b.PushLocal(p, 4)
	pushRemote(b, p, 5)
	assert.Equal(t, []int{1, 2, 3, 4, 5}, takeAll(b, p))
}

func TestHomeEndsWithGiveUpAndWithRelease(t *testing.T) {
	b, p := newBox()
	assert.EqualValues(t, NoHome, b.Home())
	require.True(t, b.Claim())
	b.SetHome(7)
	assert.EqualValues(t, 7, b.Home())
	b.GiveUpHome()
	assert.EqualValues(t, NoHome, b.Home())
	b.SetHome(7)
	b.PushLocal(p, 1)
	assert.False(t, b.Release(p))
	assert.EqualValues(t, 7, b.Home(), "a box that is not empty is not released, and keeps its home")
	takeAll(b, p)
	require.True(t, b.Release(p))
	assert.NotEqualValues(t, 7, b.Home(), "no worker may think that a released actor is its own")
	assert.EqualValues(t, 7, b.Last())
}

func TestEmptyAndLen(t *testing.T) {
	b, p := newBox()
	b.Claim()
	assert.True(t, b.Empty())
	pushRemote(b, p, 1)
	assert.False(t, b.Empty())
	assert.Zero(t, b.Len(), "remote messages are not counted")
	b.PushLocal(p, 2)
	assert.Equal(t, 2, b.Len())
	takeAll(b, p)
	assert.True(t, b.Empty())
}

// The local part keeps its order while it grows, whatever the place of its head; and over the wrap of its counters.
func TestLocalPartGrowsInOrder(t *testing.T) {
	for _, start := range []uint32{0, 1, 3, ^uint32(0) - 5, ^uint32(0)} {
		b, p := newBox()
		b.Claim()
		b.local.head, b.local.tail = start, start
		next, want := 0, 0
		for burst := 1; burst < 200; burst += 7 {
			for range burst {
				b.PushLocal(p, next)
				next++
			}
			for range burst / 2 {
				require.Equal(t, want, *b.Next(p))
				want++
			}
		}
		for m := b.Next(p); m != nil; m = b.Next(p) {
			require.Equal(t, want, *m)
			want++
		}
		assert.Equal(t, next, want)
	}
}

// A burst's buffer goes to the pool and comes back with the next burst, of half its size and then doubled once; an
// actor that does not burst again ends with a small one.
func TestReleaseGivesALargeBufferBack(t *testing.T) {
	b, p := newBox()
	burst := func(n int) {
		require.True(t, b.Claim())
		for i := range n {
			b.PushLocal(p, i)
		}
		for b.Next(p) != nil {
		}
		require.True(t, b.Release(p))
	}
	burst(8 * keepSlots)
	assert.Empty(t, b.local.buf)
	assert.NotZero(t, p.bufferSlots)
	burst(8 * keepSlots)
	burst(8 * keepSlots)
	assert.Zero(t, testing.AllocsPerRun(100, func() { burst(8 * keepSlots) }), "bursts reuse buffers")
	for range 4 {
		burst(1)
	}
	assert.LessOrEqual(t, len(b.local.buf), keepSlots)
	burst(1)
	assert.NotEmpty(t, b.local.buf, "a small one stays")
}

// The pool does not hoard, and what it holds keeps nothing alive.
func TestPoolOfBuffersIsBounded(t *testing.T) {
	p := NewPool(new(Depot[*int]))
	for range 10 {
		var b Box[*int]
		b.Init()
		b.Claim()
		for range poolSlots / 4 {
			b.PushLocal(p, new(int))
		}
		assert.LessOrEqual(t, p.bufferSlots, poolSlots)
	}
	for _, list := range p.buffers {
		for _, buf := range list {
			for _, x := range buf {
				require.Nil(t, x)
			}
		}
	}
}

func TestIdleMarkPassesForANode(t *testing.T) {
	assert.Zero(t, uintptr(idlePointer)%unsafe.Alignof(Node[[3]uint64]{}))
	assert.GreaterOrEqual(t, unsafe.Sizeof(idleWords), unsafe.Sizeof(Node[[8]uint64]{}))
	assert.NotNil(t, idleMark[int]())
}

func TestNoAllocationInTheSteadyState(t *testing.T) {
	b, p := newBox()
	b.Claim()
	round := func() {
		for i := range 20 {
			pushRemote(b, p, i)
			b.PushLocal(p, i)
		}
		for b.Next(p) != nil {
		}
		if !b.Release(p) || !b.Claim() {
			t.Error("the box was not empty, or not idle")
		}
	}
	round()
	assert.Zero(t, testing.AllocsPerRun(1000, round))
}

// A node in the pool must not keep alive what its message named.
func TestPooledNodesForgetTheirMessage(t *testing.T) {
	b := new(Box[*int])
	b.Init()
	p := NewPool(new(Depot[*int]))
	pushRemote(b, p, new(int))
	b.Next(p)
	require.NotNil(t, p.free)
	assert.Nil(t, p.free.messages[0])
}
