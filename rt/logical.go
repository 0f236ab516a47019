package rt

import (
	"slices"
	"sync"
	"time"
)

// logicalClock is the time of a systematic runtime. It moves by the pace of the schedule with every step, and to the
// next call when nothing else can happen.
type logicalClock struct {
	mu    sync.Mutex
	time  time.Time       // guarded by mu
	calls []*logicalTimer // to come, the earliest first, in order of their setting where they are equal; guarded by mu
}

// logicalTimer is one call.
type logicalTimer struct {
	clock *logicalClock
	at    time.Time // guarded by clock.mu
	f     func()
}

// logicalEpoch is when every systematic runtime begins.
var logicalEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func (c *logicalClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *logicalClock) afterFunc(d time.Duration, f func()) clockTimer {
	t := &logicalTimer{clock: c, f: f}
	t.Reset(d)
	return t
}

// Stop and Reset are those of clockTimer.
func (t *logicalTimer) Stop() bool {
	c := t.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.remove(t)
}

func (t *logicalTimer) Reset(d time.Duration) bool {
	c := t.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.remove(t)
	t.at = c.time.Add(max(d, 0))
	i, _ := slices.BinarySearchFunc(c.calls, t, func(x, t *logicalTimer) int {
		if x.at.After(t.at) {
			return 1
		}
		return -1 // behind its equals
	})
	c.calls = slices.Insert(c.calls, i, t)
	return was
}

// remove reports whether t was to be called. REQUIRES: mu.
func (c *logicalClock) remove(t *logicalTimer) bool {
	i := slices.Index(c.calls, t)
	if i < 0 {
		return false
	}
	c.calls = slices.Delete(c.calls, i, i+1)
	return true
}

// pass moves the clock on and makes the calls that are due then. Called by the driver.
func (c *logicalClock) pass(d time.Duration) {
	c.mu.Lock()
	c.time = c.time.Add(d)
	c.mu.Unlock()
	for c.call() {
	}
}

// skip moves the clock on to the next call and makes it, and reports whether there was one. Called by the driver.
func (c *logicalClock) skip() bool {
	c.mu.Lock()
	if len(c.calls) > 0 && c.calls[0].at.After(c.time) {
		c.time = c.calls[0].at
	}
	c.mu.Unlock()
	return c.call()
}

// call makes the first call if it is due.
func (c *logicalClock) call() bool {
	c.mu.Lock()
	if len(c.calls) == 0 || c.calls[0].at.After(c.time) {
		c.mu.Unlock()
		return false
	}
	t := c.calls[0]
	c.calls = slices.Delete(c.calls, 0, 1)
	c.mu.Unlock()
	t.f() // takes locks of its own
	return true
}
