package invariant

import "sync/atomic"

// hook is what tests hang on the points of a protocol. Writers: tests. Readers: any goroutine.
var hook atomic.Pointer[func(point string)]

// Point marks a step at which a test may pause the caller, to widen a window of a protocol. It does nothing in
// ordinary builds, and nothing where no test has set a hook.
func Point(name string) {
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
