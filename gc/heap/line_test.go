package heap

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// slowHole is hole, byte by byte.
func slowHole(marks []byte, from int) (start, end int) {
	for start = from; start < len(marks) && marks[start] != 0; start++ {
	}
	for end = start; end < len(marks) && marks[end] == 0; end++ {
	}
	return start, end
}

func TestHoles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for round := range 500 {
		marks := make([]byte, []int{4, 8, 32, 256}[round%4])
		density := r.IntN(11)
		free := 0
		for i := range marks {
			if r.IntN(10) < density {
				marks[i] = 1
			} else {
				free++
			}
		}
		require.Equal(t, free, unmarked(marks))
		for from := 0; from <= len(marks); from++ {
			start, end := hole(marks, from)
			wantStart, wantEnd := slowHole(marks, from)
			require.Equal(t, [2]int{wantStart, wantEnd}, [2]int{start, end}, "from %d of %v", from, marks)
		}
	}
}

func TestMarkLinesByExactSize(t *testing.T) {
	s := NewSpace(Config{})
	defer s.Close()
	for _, k := range []class{class512, class1K, class4K, classBlock} {
		for _, o := range []struct{ at, size uintptr }{{0, 8}, {0, 128}, {0, 129}, {120, 8}, {120, 16}, {64, 640}, {k.size() - 8, 8}, {0, k.size()}} {
			c, err := s.takeChunk(k)
			require.NoError(t, err)
			markLines(unsafe.Add(c.base, o.at), o.size)
			for i, m := range c.marks() {
				covered := uintptr(i+1)*LineSize > o.at && uintptr(i)*LineSize < o.at+o.size
				require.Equal(t, covered, m == 1, "line %d for %v in %d bytes", i, o, k.size())
			}
			s.giveChunks([]chunk{c})
		}
	}
}
