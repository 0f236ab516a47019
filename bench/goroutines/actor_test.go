package goroutines

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/rt"
)

func TestMessagesHaveTheSizeOfEncorerts(t *testing.T) {
	require.Equal(t, unsafe.Sizeof(rt.Message{}), unsafe.Sizeof(Message{}))
	require.EqualValues(t, 48, unsafe.Sizeof(Message{}))
}

// hopper passes tokens on at random until they are used up.
type hopper struct {
	Actor
	all   []*hopper
	count uint64
	done  chan struct{}
	fault bool
}

var hop Behaviour

func init() {
	hop = Behaviour{Name: "hop", Run: func(a *Actor, m *Message) {
		h := (*hopper)(unsafe.Pointer(a))
		h.count++
		if m.W0 == 0 {
			h.done <- struct{}{}
			return
		}
		to := h.all[h.Pick(len(h.all))]
		Send(a, &to.Actor, Message{B: &hop, W0: m.W0 - 1})
	}}
}

func kinds(t *testing.T, test func(t *testing.T, kind Kind)) {
	for name, kind := range map[string]Kind{"channel": Channel, "slice": Slice} {
		t.Run(name, func(t *testing.T) { test(t, kind) })
	}
}

// A room of one makes most messages wait at their senders.
func TestEveryMessageArrives(t *testing.T) {
	const actors, tokens, hops = 5, 40, 200
	kinds(t, func(t *testing.T, kind Kind) {
		for _, room := range []int{1, 1000} {
			g := NewGroup(kind)
			done := make(chan struct{}, tokens)
			all := make([]*hopper, actors)
			for i := range all {
				all[i] = &hopper{all: all, done: done}
			}
			for _, h := range all {
				g.Start(&h.Actor, room)
			}
			for i := range tokens {
				Inject(&all[i%actors].Actor, Message{B: &hop, W0: hops - 1})
			}
			for range tokens {
				<-done
			}
			g.Stop()
			var sum uint64
			for _, h := range all {
				sum += h.count
			}
			require.EqualValues(t, tokens*hops, sum)
		}
	})
}

// What one actor sends to another arrives in order, also when it has to wait for room.
func TestOrderIsKept(t *testing.T) {
	const messages = 1000
	kinds(t, func(t *testing.T, kind Kind) {
		g := NewGroup(kind)
		from, to := &hopper{}, &hopper{done: make(chan struct{}, 1)}
		receive := Behaviour{Run: func(a *Actor, m *Message) {
			h := (*hopper)(unsafe.Pointer(a))
			h.fault = h.fault || m.W0 != h.count
			if h.count++; h.count == messages {
				h.done <- struct{}{}
			}
		}}
		start := Behaviour{Run: func(a *Actor, m *Message) {
			for i := range uint64(messages) {
				Send(a, &to.Actor, Message{B: &receive, W0: i})
			}
		}}
		g.Start(&from.Actor, 2)
		g.Start(&to.Actor, 2)
		Inject(&from.Actor, Message{B: &start})
		<-to.done
		g.Stop()
		require.False(t, to.fault)
	})
}

func TestMessagesMakeNoGarbage(t *testing.T) {
	kinds(t, func(t *testing.T, kind Kind) {
		g := NewGroup(kind)
		h := &hopper{done: make(chan struct{}, 1)}
		h.all = []*hopper{h}
		g.Start(&h.Actor, 10)
		defer g.Stop()
		allocs := testing.AllocsPerRun(10, func() {
			Inject(&h.Actor, Message{B: &hop, W0: 10_000})
			<-h.done
		})
		require.Less(t, allocs, 100.0, "allocations for 10,000 messages")
	})
}

func TestScaleIsEven(t *testing.T) {
	a := &Actor{rand: 1}
	var hits [7]int
	for range 70_000 {
		hits[a.Pick(len(hits))]++
	}
	for _, n := range hits {
		require.InDelta(t, 10_000, n, 500)
	}
	require.Equal(t, 6, Scale(^uint64(0), 7))
	require.Equal(t, 0, Scale(0, 7))
}
