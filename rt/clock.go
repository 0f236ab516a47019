package rt

import "time"

// clock is the time that timers go by. Every runtime has one: Go's, unless time is to be logical.
type clock interface {
	// now never goes back. From any goroutine.
	now() time.Time
	// afterFunc has f called once, when now is at least d later; at the next chance where d is not positive. f never
	// waits for long and may be called on any goroutine, but not from inside of afterFunc or Reset: their callers hold the
	// lock that f takes. From any goroutine.
	afterFunc(d time.Duration, f func()) clockTimer
}

// clockTimer is one call that is to come; *time.Timer is one. Stop and Reset do not wait for an f that has begun, which
// may so come late or twice: f tells by the time whether it is meant.
type clockTimer interface {
	// Stop takes the call back, if it has not begun.
	Stop() bool
	// Reset has f called d from now, and not when it was to be called before, also if it has been called already.
	Reset(d time.Duration) bool
}

// realClock is Go's.
type realClock struct{}

func (realClock) now() time.Time { return time.Now() }

func (realClock) afterFunc(d time.Duration, f func()) clockTimer { return time.AfterFunc(d, f) }
