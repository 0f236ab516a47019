package invariant

import (
	"runtime"
	"sync"
	"sync/atomic"
)

var (
	// unheard is whose notices tests drop. Writers: tests. Readers: any goroutine.
	unheard atomic.Pointer[func(point string) bool]
	// hook is what tests hang on the points of a protocol. Writers: tests. Readers: any goroutine.
	hook atomic.Pointer[func(point string)]
	// step is where a scheduler may put another worker in. Writers: package rt. Readers: any goroutine.
	step atomic.Pointer[func() bool]
)

// Point marks a step of a protocol, at which a test may pause the caller to widen a window, and the systematic mode of
// package rt may go on with another worker. It does nothing in ordinary builds, and nothing where nobody has set a
// hook. The caller must not hold a lock, or only one that everybody takes by Lock: see PointUnderLock.
func Point(name string) {
	if Enabled {
		PointUnderLock(name)
		stepped()
	}
}

// stepped lets another worker in, if the caller is one that shares its goroutine; it reports whether it is.
func stepped() bool {
	f := step.Load()
	return f != nil && (*f)()
}

// Lock is mu.Lock for a lock that may be held at a Point: a worker that shares its goroutine with the holder must not
// stop there, but step until the lock is free.
func Lock(mu *sync.Mutex) {
	if Enabled {
		for !mu.TryLock() {
			if !stepped() {
				mu.Lock() // the holder is somebody else's business
				return
			}
		}
		return
	}
	mu.Lock()
}

// GiveWay lets others on for whose next step the caller waits: those that share its goroutine, or run beside it.
func GiveWay() {
	if !Enabled || !stepped() {
		runtime.Gosched()
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
// whether the calling goroutine is its business, and reports that. Only for package rt.
func OnStep(f func() bool) { step.Store(&f) }

// Unheard reports whether a test wants the caller, who has just been told of something, to go on as though it had not:
// what keeps that from doing harm is tried so. Never in ordinary builds, or where no test has asked for it.
func Unheard(name string) bool {
	if Enabled {
		if f := unheard.Load(); f != nil {
			return (*f)(name)
		}
	}
	return false
}

// OnUnheard sets the function that Unheard asks, and returns one that takes it away again. Only for tests, one at a time.
func OnUnheard(f func(point string) bool) (restore func()) {
	unheard.Store(&f)
	return func() { unheard.Store(nil) }
}
