package mailbox

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
)

func length(n *Node[int]) (k int) {
	for ; n != nil; n = n.next {
		k++
	}
	return k
}

// A pool keeps count of its nodes, never holds two chunks, and passes whole chunks through the depot.
func TestPoolBalance(t *testing.T) {
	d := new(Depot[int])
	rich, poor := NewPool(d), NewPool(d)
	const total = 5*poolChunk + 17
	seen := make(map[*Node[int]]bool)
	for range total {
		n := rich.Node()
		require.False(t, seen[n])
		seen[n] = true
	}
	assert.Zero(t, rich.count)
	for n := range seen {
		rich.put(n)
		require.Less(t, rich.count, 2*poolChunk)
	}
	assert.Equal(t, rich.count, length(rich.free))
	for _, chunk := range d.chunks {
		assert.Equal(t, poolChunk, length(chunk))
	}
	assert.Equal(t, total, rich.count+poolChunk*len(d.chunks), "no node is lost")

	// Who runs out takes a chunk that another piled up, and makes no new node before the depot is empty.
	chunks := len(d.chunks)
	for range chunks * poolChunk {
		n := poor.Node()
		require.True(t, seen[n], "a node that was there already")
		delete(seen, n)
	}
	assert.Empty(t, d.chunks)
	assert.Zero(t, poor.count)
	assert.False(t, seen[poor.Node()], "now a new one")
}

// One worker only sends, the other only receives: nodes go round through the depot, and their number stays bounded.
func TestOneWayTrafficDoesNotAllocate(t *testing.T) {
	d := new(Depot[int])
	sender, receiver := NewPool(d), NewPool(d)
	b := new(Box[int])
	b.Init()
	b.Claim()
	round := func() {
		for i := range 300 {
			pushRemote(b, sender, i)
		}
		for b.Next(receiver) != nil {
		}
	}
	for range 20 {
		round()
	}
	assert.Zero(t, testing.AllocsPerRun(200, round))
}

// The depot hands every chunk to one pool only.
func TestDepotHammer(t *testing.T) {
	const goroutines = 6
	d := new(Depot[int])
	var pools [goroutines]*Pool[int]
	for g := range pools {
		pools[g] = NewPool(d)
	}
	type parcel struct{ nodes []*Node[int] }
	next := make(chan parcel, goroutines)
	hammer.Run(t, goroutines, 300, func(g, round int) {
		p := pools[g]
		var out parcel
		for range poolChunk {
			n := p.Node()
			*n.Slot()++ // -race and the zero check below see a node that two hold
			out.nodes = append(out.nodes, n)
		}
		next <- out
		in := <-next // mostly another's
		for _, n := range in.nodes {
			if n.messages[0] != 1 {
				t.Errorf("a node was held %d times at once", n.messages[0])
			}
			p.put(n)
		}
	})
	seen := make(map[*Node[int]]bool)
	for _, p := range pools {
		for n := p.free; n != nil; n = n.next {
			require.False(t, seen[n])
			seen[n] = true
		}
	}
	for _, c := range d.chunks {
		for n := c; n != nil; n = n.next {
			require.False(t, seen[n])
			seen[n] = true
		}
	}
}
