package invariant

import (
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
	OnStep(func() { seen = append(seen, "step") })
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
