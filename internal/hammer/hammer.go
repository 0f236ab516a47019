// Package hammer drives code under test from many goroutines on few processors, so that goroutines are often stopped
// in the middle of what they do. Only tests use it. The idea is wazero's internal/testing/hammer.
package hammer

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

// LongVariable names the environment variable that asks for the long form of the stress tests: set it to 1.
const LongVariable = "ENCORERT_LONG"

// Rounds returns how often to do something: ordinary, or long when the environment asks for it.
func Rounds(ordinary, long int) int {
	if os.Getenv(LongVariable) == "1" {
		return long
	}
	return ordinary
}

// Run calls f(g, round) for every round in [0, rounds) from each of the goroutines g, which all start together, on at
// most half as many processors, but two. It returns when all have ended. A test that takes longer than the limit of Watch has
// lost something: see there.
func Run(t testing.TB, goroutines, rounds int, f func(g, round int)) {
	t.Helper()
	defer Procs(max(2, goroutines/2))()
	stop := Watch(t, Limit)
	defer stop()
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for g := range goroutines {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			for round := range rounds {
				f(g, round)
			}
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}

// Procs lowers GOMAXPROCS to at most n and returns what sets it back.
func Procs(n int) (restore func()) {
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(min(before, n))
	return func() { runtime.GOMAXPROCS(before) }
}

// Limit is how long a stress test may take before it counts as stuck: far more than any takes on a loaded machine.
const Limit = 100 * time.Second

// Watch ends the test binary with the stacks of all goroutines unless the returned function is called in time. A
// panic and not a failed test: what is stuck would keep the test from ending.
func Watch(t testing.TB, limit time.Duration) (stop func()) {
	t.Helper()
	name := t.Name()
	timer := time.AfterFunc(limit, func() {
		buf := make([]byte, 1<<20)
		buf = buf[:runtime.Stack(buf, true)]
		panic(name + " is stuck: nothing has ended it for " + limit.String() + "\n" + string(buf))
	})
	return func() { timer.Stop() }
}
