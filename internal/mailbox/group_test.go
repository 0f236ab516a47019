package mailbox

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/encorert/encorert/internal/invariant"
)

// at calls f at the n-th visit of a point, where points are compiled in.
func at(t *testing.T, point string, n int, f func()) {
	t.Helper()
	t.Cleanup(invariant.OnPoint(func(name string) {
		if name != point {
			return
		}
		if n--; n == 0 {
			f()
		}
	}))
}

// At every step of a flush, receivers see nothing of the group, or all.
func TestGroupIsPublishedAtOnce(t *testing.T) {
	for k := 1; k <= 3; k++ {
		p, receivers := NewPool(new(Depot[int])), NewPool(new(Depot[int]))
		o := new(Outbox[int])
		var boxes [3]*Box[int]
		for i := range boxes {
			boxes[i] = ownedBox()
			o.push(boxes[i], p, i)
		}
		at(t, "mailbox.push", k, func() {
			for i := range boxes {
				assert.Nil(t, boxes[i].Next(receivers), "box %d before push %d", i, k)
			}
		})
		o.Flush(p)
		for i := range boxes {
			assert.Equal(t, []int{i}, takeAll(boxes[i], receivers))
		}
	}
}

// The second of two nodes is not taken while the first is left behind, whenever the group is published.
func TestGroupPublishedBetweenTwoLooks(t *testing.T) {
	for k := 1; k <= 4; k++ {
		p := NewPool(new(Depot[int]))
		o := new(Outbox[int])
		b := ownedBox()
		publish := group(o, p, b, ownedBox())
		at(t, "mailbox.look", k, publish)
		var got []int
		for range 3 {
			got = append(got, takeAll(b, p)...)
		}
		if invariant.Enabled {
			assert.Equal(t, []int{10, 12}, got, "published at look %d", k)
		}
	}
}
