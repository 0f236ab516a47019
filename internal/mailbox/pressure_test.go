package mailbox

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func limited(n uint32) (*Box[int], *Pool[int]) {
	b, p := newBox()
	b.SetLimit(n)
	b.Claim()
	return b, p
}

// The bit is set by the message that is one too many, whatever the buffer's size is and however the message comes.
func TestLimitIsExact(t *testing.T) {
	for _, limit := range []int{1, 3, 4, 5, 64, 1000} {
		for _, remote := range []bool{false, true} {
			b, p := limited(uint32(limit))
			for round := range 3 { // the buffer is large from the first round on
				for i := range limit {
					push := func() {
						if remote {
							pushRemote(b, p, i)
						} else {
							b.PushLocal(p, i)
						}
					}
					push()
					assert.Equal(t, i+1, b.Waiting(p))
					require.False(t, b.IsPressed(), "limit %d, message %d, round %d", limit, i+1, round)
				}
				pushRemote(b, p, limit)
				assert.False(t, b.IsPressed(), "nobody has looked yet")
				assert.Equal(t, limit+1, b.Waiting(p))
				require.True(t, b.IsPressed(), "limit %d, round %d", limit, round)
				for i := range 2 * limit {
					b.PushLocal(p, limit+1+i)
				}
				for i := range 3*limit + 1 {
					require.NotNil(t, b.Next(p))
					require.True(t, b.IsPressed(), "only Ease clears it, message %d", i)
				}
				assert.Zero(t, b.Waiting(p))
				b.Ease()
				assert.False(t, b.IsPressed())
			}
		}
	}
}

// A box that is eased while more than its limit waits is pressed by the next message.
func TestEaseOfAFullBox(t *testing.T) {
	b, p := limited(4)
	for i := range 10 {
		b.PushLocal(p, i)
	}
	require.True(t, b.IsPressed())
	b.Ease()
	assert.False(t, b.IsPressed())
	b.PushLocal(p, 10)
	assert.True(t, b.IsPressed())
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, takeAll(b, p))
}

// The bit stays beside every home, and no number of a worker equals a word that has it.
func TestPressureOutlastsTheHome(t *testing.T) {
	b, p := newBox()
	require.True(t, b.Claim())
	b.SetHome(7)
	b.Press()
	assert.True(t, b.IsPressed())
	assert.NotEqualValues(t, 7, b.Home())
	assert.EqualValues(t, 7, b.Home()&^Pressed)
	b.SetHome(8)
	assert.Equal(t, uint32(8|Pressed), uint32(b.Home()))
	b.GiveUpHome()
	assert.Equal(t, uint32(NoHome|Pressed), uint32(b.Home()))
	b.SetHome(9)
	b.Ease()
	assert.EqualValues(t, 9, b.Home())
	require.True(t, b.Release(p))
	assert.NotEqualValues(t, 9, b.Home())
	assert.False(t, b.IsPressed())
	require.True(t, b.Claim())
	b.PushLocal(p, 1)
	assert.Zero(t, b.Limit())
	assert.False(t, b.IsPressed(), "without a limit nothing presses")
}
