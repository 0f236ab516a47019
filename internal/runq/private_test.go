package runq_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/runq"
)

// follow runs a stream of commands on a private queue and on a slice, and compares them: a byte below 128 pushes that
// many, another pops.
func follow(t *testing.T, start uint32, commands []byte) {
	var q runq.Private[int]
	q.StartAt(start)
	var want []*int
	next := 0
	for _, c := range commands {
		if c < 128 {
			for range c {
				x := new(int)
				*x = next
				next++
				q.Push(x)
				want = append(want, x)
			}
		} else {
			for range c - 127 {
				x := q.Pop()
				if len(want) == 0 {
					require.Nil(t, x)
					break
				}
				require.Same(t, want[0], x)
				want = want[1:]
			}
		}
		require.Equal(t, len(want), q.Len())
	}
	for _, w := range want {
		require.Same(t, w, q.Pop())
	}
	require.Nil(t, q.Pop())
	require.Zero(t, q.Kept(), "what was taken is not kept alive")
}

var commandStreams = [][]byte{
	{},
	{200},
	{1, 128, 1, 128, 1},
	{127, 127, 127, 160, 127, 127, 255, 255, 255, 255, 3},
	{63, 160, 63, 160, 63, 160, 63, 160, 127}, // grows with its head in the middle
	{64, 1, 128, 64},
}

func TestPrivateAgainstASlice(t *testing.T) {
	for _, start := range []uint32{0, 1, 63, ^uint32(0) - 70, ^uint32(0)} {
		for _, commands := range commandStreams {
			follow(t, start, commands)
		}
	}
}

func FuzzPrivate(f *testing.F) {
	for _, commands := range commandStreams {
		f.Add(uint32(0), commands)
		f.Add(^uint32(0)-10, commands)
	}
	f.Fuzz(func(t *testing.T, start uint32, commands []byte) {
		if len(commands) > 1000 {
			commands = commands[:1000]
		}
		follow(t, start, commands)
	})
}

func TestPrivateDoesNotAllocateInTheSteadyState(t *testing.T) {
	var q runq.Private[int]
	x := new(int)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		for range 50 {
			q.Push(x)
		}
		for q.Pop() != nil {
		}
	}))
}
