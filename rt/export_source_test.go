package rt

import (
	"slices"
	"sync"
	"time"
)

// ManualClock is a clock that stands still unless it is told to go on.
type ManualClock struct {
	mu     sync.Mutex
	time   time.Time
	timers []*manualTimer // guarded by mu
}

type manualTimer struct {
	c  *ManualClock
	f  func()
	at time.Time // guarded by c.mu
	on bool      // in c.timers; guarded by c.mu
}

// NewByHand makes a runtime with such a clock.
func NewByHand(cfg Config) (*Runtime, *ManualClock, error) {
	c := &ManualClock{time: time.Unix(0, 0)}
	rt, err := newRuntime(cfg, c)
	return rt, c, err
}

func (c *ManualClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *ManualClock) afterFunc(d time.Duration, f func()) clockTimer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &manualTimer{c: c, f: f, at: c.time.Add(d), on: true}
	c.timers = append(c.timers, t)
	return t
}

func (t *manualTimer) Stop() bool {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	was := t.on
	t.off()
	return was
}

func (t *manualTimer) Reset(d time.Duration) bool {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	was := t.on
	t.off()
	t.on, t.at = true, t.c.time.Add(d)
	t.c.timers = append(t.c.timers, t)
	return was
}

// off takes the call back. REQUIRES: c.mu.
func (t *manualTimer) off() {
	t.on = false
	t.c.timers = slices.DeleteFunc(t.c.timers, func(x *manualTimer) bool { return x == t })
}

// Advance lets time pass and calls what is due, which it returns before it calls it if late is true: calls that come
// late.
func (c *ManualClock) Advance(d time.Duration, late bool) (calls []func()) {
	c.mu.Lock()
	c.time = c.time.Add(d)
	for _, t := range slices.Clone(c.timers) {
		if !t.at.After(c.time) {
			t.off()
			calls = append(calls, t.f)
		}
	}
	c.mu.Unlock()
	if late {
		return calls
	}
	for _, f := range calls {
		f()
	}
	return nil
}

// Armed reports how many calls are to come.
func (c *ManualClock) Armed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}
