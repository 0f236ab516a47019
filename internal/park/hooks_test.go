//go:build race || encorert_invariants

package park

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
)

// The same hammer with pauses of different length at every step of going to sleep and of waking.
func TestNoWakeUpIsLostWithPauses(t *testing.T) {
	var mu sync.Mutex
	fired := map[string]int{}
	restore := invariant.OnPoint(func(point string) {
		mu.Lock()
		fired[point]++
		mu.Unlock()
		if rand.IntN(3) == 0 {
			for range rand.IntN(30) {
				runtime.Gosched()
			}
		}
	})
	defer restore()
	hammerBarracks(t, hammer.Rounds(4_000, 300_000))
	restore()
	mu.Lock()
	defer mu.Unlock()
	for _, point := range []string{
		"park.EndSearch", "park.Announce", "park.Announced", "park.Retract", "park.Sleep", "park.WakeOne",
	} {
		assert.NotZero(t, fired[point], "%s never fired", point)
	}
}
