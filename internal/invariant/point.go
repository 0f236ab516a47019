package invariant

import "sync/atomic"

var (
	// hook is what tests hang on the points of a protocol. Writers: tests. Readers: any goroutine.
	hook atomic.Pointer[func(point string)]
	// step is where a scheduler may put another worker in. Writers: package rt. Readers: any goroutine.
	step atomic.Pointer[func()]
)

// Point marks a step of a protocol, at which a test may pause the caller to widen a window, and the systematic mode of
// package rt may go on with another worker. It does nothing in ordinary builds, and nothing where nobody has set a
// hook. The caller must not hold a lock: see PointUnderLock.
func Point(name string) {
	if Enabled {
		PointUnderLock(name)
		if f := step.Load(); f != nil {
			(*f)()
		}
	}
}

// PointUnderLock is Point for a caller that holds a lock: tests may pause it, but nobody else's turn comes there, since
// all workers of the systematic mode share one goroutine, and the next that wants the lock would wait for ever.
func PointUnderLock(name string) {
	if Enabled {
		if f := hook.Load(); f != nil {
			(*f)(name)
		}
	}
}

// OnPoint sets the function that Point calls, and returns one that takes it away again. Only for tests, one at a time.
func OnPoint(f func(point string)) (restore func()) {
	hook.Store(&f)
	return func() { hook.Store(nil) }
}

// OnStep sets the function that Point calls after the tests' hook, for the rest of the process. It finds out for itself
// whether the calling goroutine is its business. Only for package rt.
func OnStep(f func()) { step.Store(&f) }
