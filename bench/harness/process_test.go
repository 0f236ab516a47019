package harness

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTailKeepsBothEnds(t *testing.T) {
	var log tail
	for range 3000 {
		n, err := log.Write([]byte("line\n"))
		require.NoError(t, err)
		require.Equal(t, 5, n)
	}
	_, _ = log.Write([]byte("the end\n"))
	text := log.String()
	require.Less(t, len(text), 2*keep+20)
	require.True(t, strings.HasPrefix(text, "line\n"))
	require.True(t, strings.HasSuffix(text, "the end"))
	require.Contains(t, text, "[...]")
}
