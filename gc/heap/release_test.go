//go:build !race

package heap

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/arena"
)

// The pages of a closed Space go back to the system after a delay, unless another Space uses them by then.
func TestClosedSpaceGivesPagesBack(t *testing.T) {
	s := NewSpace(Config{})
	h := New(s)
	var c Cursor
	h.Enter(&c)
	_, err := h.AllocArray(&c, NewArrayType("release", 1), 16<<20)
	require.NoError(t, err)
	s.Close()
	require.NotZero(t, arena.ReadUsage().Backed)
	require.Eventually(t, func() bool { return arena.ReadUsage().Backed < 1<<20 }, 5*releaseDelay, releaseDelay/10)
}
