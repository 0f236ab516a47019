package harness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCPUTime(t *testing.T) {
	before, ok := CPUTime()
	if !ok {
		return // a system that does not tell
	}
	for start := time.Now(); time.Since(start) < 50*time.Millisecond; {
	}
	after, _ := CPUTime()
	require.Greater(t, after-before, time.Millisecond)
}
