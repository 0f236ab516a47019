package tasks

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/encorert/encorert/bench/harness"
)

const valueLookUps = "look_ups"

var labels = [...]string{"load", "sort", "merge", "store"}

// repeat makes the repetitions of one variant: params.Tasks tasks, half an epoch of them at a time, are submitted and end. T is
// a type of its own for each table, so that its methods are called and not looked for.
func repeat[T table](p params, make func() T, lookUps bool) harness.Repeat {
	return func() (harness.Repetition, error) {
		t := make()
		var newest, looked atomic.Uint64
		var stop atomic.Bool
		stopped := start(lookUps, func() { lookAround(t, &newest, &looked, &stop) })
		for lookUps && looked.Load() == 0 { // it is there from the first task on
			time.Sleep(10 * time.Microsecond)
		}
		before := looked.Load()
		began := time.Now()
		next := uint64(first)
		var batch [epoch / 2]uint64
		for left := p.Tasks; left > 0; left -= len(batch) {
			some := batch[:min(left, len(batch))]
			for i := range some {
				some[i] = t.submit(labels[i%len(labels)], next)
				next = some[i] + 1
			}
			newest.Store(next - 1)
			for _, id := range some {
				t.end(id)
			}
		}
		took := time.Since(began)
		during := looked.Load() - before
		stop.Store(true)
		<-stopped
		// All have ended; so those before the last epoch were freed.
		if freed := t.freed(next); freed <= int64(p.Tasks-epoch) {
			return harness.Repetition{}, fmt.Errorf("%d of %d tasks were freed", freed, p.Tasks)
		}
		return harness.Repetition{
			Millis: float64(took.Nanoseconds()) / 1e6, Count: int64(next - first), Values: map[string]float64{valueLookUps: float64(during)},
		}, nil
	}
}

// start runs f on a goroutine, if asked to, and returns what is closed when it has returned.
func start(really bool, f func()) <-chan struct{} {
	stopped := make(chan struct{})
	if !really {
		close(stopped)
		return stopped
	}
	go func() {
		defer close(stopped)
		f()
	}()
	return stopped
}

// lookAround looks tasks up that are near the newest, as fast as it can.
func lookAround[T table](t T, newest, looked *atomic.Uint64, stop *atomic.Bool) {
	random := uint64(88172645463325252) // xorshift64 (Marsaglia 2003)
	for n := uint64(1); !stop.Load(); n++ {
		random ^= random << 13
		random ^= random >> 7
		random ^= random << 17
		id := newest.Load() - random%(2*epoch)
		if label, found := t.lookUp(id); found && label == "" {
			panic("tasks: a task without a label was found")
		}
		if n%16 == 1 {
			looked.Store(n)
		}
	}
}
