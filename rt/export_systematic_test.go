package rt

import "time"

// TestClock is the runtime's clock.
type TestClock struct{ c clock }

func (rt *Runtime) Clock() TestClock { return TestClock{rt.clock} }

func (c TestClock) Now() time.Time { return c.c.now() }

func (c TestClock) AfterFunc(d time.Duration, f func()) interface {
	Stop() bool
	Reset(d time.Duration) bool
} {
	return c.c.afterFunc(d, f)
}
