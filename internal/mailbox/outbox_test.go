package mailbox

import (
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// owned returns a box that the test owns, so that nothing is scheduled.
func ownedBox() *Box[int] {
	b := new(Box[int])
	b.Init()
	b.Claim()
	return b
}

func (o *Outbox[M]) push(b *Box[M], p *Pool[M], m M) { *o.Slot(b, p) = m }

func TestOutboxKeepsTheOrderOfEachBox(t *testing.T) {
	p := NewPool(new(Depot[int]))
	o := new(Outbox[int])
	var boxes [5]*Box[int]
	for i := range boxes {
		boxes[i] = ownedBox()
	}
	for round, each := range []int{1, nodeSlots - 1, nodeSlots, nodeSlots + 1, 3*nodeSlots + 2, 2} { // reused after each flush
		var want []int
		for m := range each {
			want = append(want, 1000*round+m)
			for _, b := range boxes {
				o.push(b, p, 1000*round+m)
			}
		}
		assert.False(t, o.Empty())
		assert.Empty(t, o.Flush(p), "nobody was idle")
		assert.True(t, o.Empty())
		for _, b := range boxes {
			assert.False(t, o.Holds(b))
			assert.Equal(t, want, takeAll(b, p))
		}
	}
	assert.Nil(t, o.Flush(p))
}

func TestOutboxReturnsTheIdleBoxesOnce(t *testing.T) {
	p := NewPool(new(Depot[int]))
	o := new(Outbox[int])
	idle, owned := new(Box[int]), ownedBox()
	idle.Init()
	for m := range 2 * nodeSlots {
		o.push(idle, p, m)
		o.push(owned, p, m)
	}
	assert.True(t, o.Holds(idle) && o.Holds(owned))
	assert.False(t, o.Holds(ownedBox()))
	assert.Equal(t, []*Box[int]{idle}, o.Flush(p))
	assert.False(t, idle.Claim(), "the caller of Flush owns it")
	assert.Len(t, takeAll(idle, p), 2*nodeSlots)
	assert.True(t, idle.Release(p))
}

// Boxes whose places in the table are the same, and the last ones of it, where the search goes on at the beginning.
func TestOutboxTableWithCollisions(t *testing.T) {
	p := NewPool(new(Depot[int]))
	o := new(Outbox[int])
	first := func(b *Box[int]) int {
		return int((uintptr(unsafe.Pointer(o.place(b))) - uintptr(unsafe.Pointer(&o.table[0]))) / unsafe.Sizeof(o.table[0]))
	}
	byPlace := map[int][]*Box[int]{}
	for range 20_000 {
		b := ownedBox()
		at := first(b) // the table is empty: where the search begins
		byPlace[at] = append(byPlace[at], b)
	}
	for _, at := range []int{7, 8, outboxTable - 1} {
		require.Greater(t, len(byPlace[at]), 3)
	}
	boxes := slices.Concat(byPlace[outboxTable-1][:3], byPlace[7][:3], byPlace[8][:3])
	for range 2 { // after a flush no place is taken
		for m := range 3 {
			for i, b := range boxes {
				o.push(b, p, 10*m+i)
			}
		}
		for _, b := range slices.Concat(byPlace[7][3:], byPlace[8][3:], byPlace[outboxTable-1][3:]) {
			assert.False(t, o.Holds(b))
		}
		o.Flush(p)
		for i, b := range boxes {
			assert.Equal(t, []int{i, 10 + i, 20 + i}, takeAll(b, p))
			assert.Equal(t, first(b), first(b))
		}
		assert.Zero(t, o.table)
	}
}

func TestOutboxIsFull(t *testing.T) {
	p := NewPool(new(Depot[int]))
	o := new(Outbox[int])
	assert.False(t, o.Empty() != (len(o.nodes) == 0))
	for !o.Full() {
		o.push(ownedBox(), p, 1)
		require.LessOrEqual(t, len(o.used), outboxTable/2, "the table never fills up")
	}
	o.Flush(p)
	b := ownedBox()
	for m := 0; !o.Full(); m++ {
		o.push(b, p, m)
		require.LessOrEqual(t, m, outboxMessages)
	}
}

// group links a group of two nodes to b and one to other, and stops before it is published: what a receiver may find.
func group(o *Outbox[int], p *Pool[int], b, other *Box[int]) (publish func()) {
	var nodes []*Node[int]
	for _, to := range []*Box[int]{b, other, b} {
		n := p.Node()
		*n.Slot() = 10 + len(nodes)
		nodes = append(nodes, n)
		n.published, n.group = &o.published, o.sealed+1
		to.PushRemote(n)
	}
	o.sealed++
	return func() { o.published.Store(o.sealed) }
}

func TestUnpublishedNodesArePassedOver(t *testing.T) {
	p := NewPool(new(Depot[int]))
	o := new(Outbox[int])
	b, other := ownedBox(), ownedBox()
	publish := group(o, p, b, other)
	assert.Nil(t, b.Next(p))
	assert.Nil(t, b.First(p))
	assert.Zero(t, b.Waiting(p))
	assert.False(t, b.Drained())
	assert.False(t, b.Release(p), "what is late is there")
	pushRemote(b, p, 1)
	b.PushLocal(p, 2) // nobody can know of what is late
	assert.Equal(t, []int{1, 2}, takeAll(b, p))
	assert.False(t, b.Release(p))
	assert.Nil(t, other.Next(p))
	publish()
	assert.False(t, b.Release(p), "it waits to be taken")
	pushRemote(b, p, 3)
	b.PushLocal(p, 4) // may know of it
	assert.Equal(t, []int{10, 12, 3, 4}, takeAll(b, p))
	assert.Equal(t, []int{11}, takeAll(other, p))
	assert.True(t, b.Release(p))
}

func TestLocalPushLooksAtLateNodes(t *testing.T) {
	p := NewPool(new(Depot[int]))
	o := new(Outbox[int])
	b := ownedBox()
	publish := group(o, p, b, ownedBox())
	assert.Nil(t, b.Next(p))
	publish()
	b.PushLocal(p, 1) // nothing is in the remote part any more
	assert.Equal(t, []int{10, 12, 1}, takeAll(b, p))
}

func TestLateNodesCountAsWaiting(t *testing.T) {
	p := NewPool(new(Depot[int]))
	o := new(Outbox[int])
	b := ownedBox()
	publish := group(o, p, b, ownedBox())
	assert.Zero(t, b.Waiting(p))
	publish()
	assert.Equal(t, 2, b.Waiting(p))
}

// The group is published between the looks at its two nodes: the second is passed over as the first was.
func TestNodesOfAGroupAreTakenTogether(t *testing.T) {
	p := NewPool(new(Depot[int]))
	o := new(Outbox[int])
	b := ownedBox()
	publish := group(o, p, b, ownedBox())
	assert.Nil(t, b.Next(p))
	first, second := b.late, b.late.next
	publish()
	other := new(Outbox[int])
	assert.True(t, b.passed(second, &first.next), "its group has been passed over")
	assert.False(t, b.passed(second, &b.late), "nothing has been passed over")
	assert.False(t, b.passed(&Node[int]{published: &other.published}, &first.next), "another sender")
	assert.False(t, b.passed(&Node[int]{}, &first.next), "a node that stands for itself")
}

func TestNodesForgetMessagesAndGroups(t *testing.T) {
	type message = *[64]byte
	p := NewPool(new(Depot[message]))
	o := new(Outbox[message])
	var boxes [2]Box[message]
	gone := make(chan struct{})
	for i := range boxes {
		boxes[i].Init()
		boxes[i].Claim()
		x := new([64]byte)
		runtime.AddCleanup(x, func(c chan struct{}) { c <- struct{}{} }, gone)
		for range nodeSlots + 1 {
			*o.Slot(&boxes[i], p) = x
		}
	}
	o.Flush(p)
	for i := range boxes {
		for m := boxes[i].Next(p); m != nil; m = boxes[i].Next(p) {
			*m = nil // the slot is the box's
		}
	}
	for n := p.free; n != nil; n = n.next {
		assert.Nil(t, n.published)
		assert.Nil(t, n.to)
		assert.Zero(t, n.n)
		assert.Zero(t, n.messages)
	}
	runtime.GC()
	for range boxes {
		select {
		case <-gone:
		case <-time.After(10 * time.Second):
			require.Fail(t, "a message is kept alive")
		}
	}
	runtime.KeepAlive(o)
	runtime.KeepAlive(p)
	runtime.KeepAlive(&boxes)
}

func TestOutboxForgetsBoxes(t *testing.T) {
	p := NewPool(new(Depot[int]))
	o := new(Outbox[int])
	for range 5 {
		o.push(ownedBox(), p, 1)
	}
	o.Flush(p)
	assert.Zero(t, o.table)
	for _, n := range o.nodes[:cap(o.nodes)] {
		assert.Nil(t, n)
	}
}

func TestOutboxDoesNotAllocate(t *testing.T) {
	p := NewPool(new(Depot[int]))
	o := new(Outbox[int])
	var boxes [30]*Box[int]
	for i := range boxes {
		boxes[i] = ownedBox()
	}
	round := func() {
		for m := range 2 * nodeSlots {
			for _, b := range boxes {
				*o.Slot(b, p) = m
			}
		}
		o.Flush(p)
		for _, b := range boxes {
			for b.Next(p) != nil {
			}
		}
	}
	round()
	assert.Zero(t, testing.AllocsPerRun(50, round))
}
