package invariant

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The hooks that other packages' tests rely on fire in the builds that claim so, and only there.
func TestPointCallsTheHookInInvariantBuilds(t *testing.T) {
	var seen []string
	restore := OnPoint(func(point string) { seen = append(seen, point) })
	Point("a")
	Point("b")
	restore()
	Point("c")
	if Enabled {
		assert.Equal(t, []string{"a", "b"}, seen)
	} else {
		assert.Empty(t, seen)
	}
}

// What package rt hangs on the points comes after the tests' hook, and not where a lock is held.
func TestStepsAreWhereNoLockIsHeld(t *testing.T) {
	var seen []string
	restore := OnPoint(func(point string) { seen = append(seen, point) })
	OnStep(func() bool { seen = append(seen, "step"); return true })
	defer step.Store(nil)
	Point("free")
	PointUnderLock("locked")
	restore()
	Point("free")
	if Enabled {
		assert.Equal(t, []string{"free", "step", "locked", "step"}, seen)
	} else {
		assert.Empty(t, seen)
	}
}

func TestUnheardAsksTheTestInInvariantBuilds(t *testing.T) {
	assert.False(t, Unheard("a"))
	restore := OnUnheard(func(point string) bool { return point == "a" })
	assert.Equal(t, Enabled, Unheard("a"))
	assert.False(t, Unheard("b"))
	restore()
	assert.False(t, Unheard("a"))
}

func TestGoroutineTellsGoroutinesApart(t *testing.T) {
	other := make(chan int64)
	go func() { other <- Goroutine() }()
	if Enabled {
		assert.NotEqual(t, Goroutine(), <-other)
		assert.NotZero(t, Goroutine())
	} else {
		assert.Zero(t, Goroutine())
		assert.Zero(t, <-other)
	}
}

// Who shares a goroutine with the holder of a lock steps until the lock is free; others wait for it.
func TestLockSteps(t *testing.T) {
	var mu sync.Mutex
	mu.Lock()
	steps := 0
	OnStep(func() bool {
		if steps++; steps == 3 {
			mu.Unlock()
		}
		return true
	})
	defer step.Store(nil)
	if Enabled {
		Lock(&mu)
		assert.Equal(t, 3, steps)
		mu.Unlock()
	} else {
		mu.Unlock()
	}
	OnStep(func() bool { return false })
	mu.Lock()
	go mu.Unlock()
	Lock(&mu)
	assert.False(t, mu.TryLock())
}
