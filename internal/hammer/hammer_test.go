package hammer

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRunCallsEveryRoundOnce(t *testing.T) {
	const goroutines, rounds = 6, 100
	before := runtime.GOMAXPROCS(0)
	var calls [goroutines][rounds]atomic.Int32
	Run(t, goroutines, rounds, func(g, round int) { calls[g][round].Add(1) })
	for g := range calls {
		for round := range calls[g] {
			assert.EqualValues(t, 1, calls[g][round].Load())
		}
	}
	assert.Equal(t, before, runtime.GOMAXPROCS(0))
}

func TestRounds(t *testing.T) {
	t.Setenv(LongVariable, "")
	assert.Equal(t, 3, Rounds(3, 7))
	t.Setenv(LongVariable, "1")
	assert.Equal(t, 7, Rounds(3, 7))
}
