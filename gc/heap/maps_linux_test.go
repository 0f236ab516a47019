package heap

import (
	"bytes"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMillionObjectsFewMappings is row 71 of the reliability list.
func TestMillionObjectsFewMappings(t *testing.T) {
	a := newActor(t, Config{})
	var crowd []*actor
	for range 2000 {
		b := a.sibling()
		b.roots = []*node{b.list(400)}
		crowd = append(crowd, b)
	}
	a.roots = []*node{a.list(200000)}
	text, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	require.Less(t, bytes.Count(text, []byte{'\n'}), 1000)
	require.EqualValues(t, len(crowd)+1, a.h.space.Stats().Heaps)
	runtime.KeepAlive(crowd)
}
