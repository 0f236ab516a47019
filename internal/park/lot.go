// Package park is where workers sleep, and how they are woken without losing a wake-up.
//
// A worker that finds nothing goes through these steps; the caller (rt's find) does the looking:
//
//	BeginSearch   at most one worker searches: it looks at every queue, others go straight on
//	EndSearch     it found nothing, or found something: then it leaves first, looks again, and wakes the next if
//	              there is more
//	Announce      "I sleep": from here on a waker may hand me a permit
//	last look     at EVERY place where work can land
//	Retract       the look found work: take the announcement back (or the permit that came meanwhile)
//	Sleep         wait for the permit
//
// A waker first makes its work visible and then calls WakeOne. Argument, for one item of work: the push is a
// read-modify-write or a sequentially consistent store, and so is the announcement. Whichever comes second in their
// single order sees the other: either the waker's look finds the sleeper, or the sleeper's last look finds the work.
// If the waker sees somebody searching it may go: the searcher's EndSearch comes later in that order than the push,
// and every searcher looks again after EndSearch (as the last look, or as the second look of one who found).
// A permit is a buffered channel of one: it is there until it is taken, so no wake-up is lost and none must be repeated.
//
// One searcher at a time is also the throttle: work that is found by the searcher wakes nobody else, unless more is
// left. Both simpler variants (not leaving before the second look; not becoming the searcher after a last look that
// found work) leave a worker asleep beside work in an exhaustive search with three workers.
//
// Beside the workers there is a reserve: see reserve.go.
//
//	counts.searching | who                          | to
//	0                | BeginSearch                  | 1
//	0                | WakeOne (on the sleeper's behalf) | 1
//	1                | EndSearch                    | 0
package park

import (
	"sync"
	"sync/atomic"

	"github.com/encorert/encorert/internal/invariant"
)

// Role is what a permit makes of the worker that wakes up.
type Role uint8

const (
	Plain    Role = iota // woken for something of its own, or to stop
	Searcher             // counted as the searcher: owes an EndSearch
)

const sleepingUnit = 1 << 32 // counts: sleeping in the upper half, searching in the lower

// Lot is the sleeping place of workers, numbered from 0.
type Lot struct {
	// Writers: all, by read-modify-write; sleeping only under mu. Readers: all.
	// Invariant: searching <= 1; sleeping == len(asleep).
	counts atomic.Uint64
	_      [56]byte

	mu      sync.Mutex
	asleep  []int           // announced and not yet given a permit, newest last; guarded by mu
	retired []int           // not to be woken by work, newest last; guarded by mu
	workers int             // numbers that are taken; guarded by mu
	watcher func()          // called by the first wake-up while all sleep, then forgotten; guarded by mu
	permits []chan Role     // made before their worker starts
	told    chan<- struct{} // see Tell; Writers: Tell, before anybody sleeps
}

// NewLot makes the place for n workers, all of them awake, and for up to reserve more, see Add.
func NewLot(n, reserve int) *Lot {
	l := &Lot{asleep: make([]int, 0, n), permits: make([]chan Role, n+reserve), workers: n}
	for i := range n {
		l.permits[i] = make(chan Role, 1)
	}
	return l
}

// Hungry reports whether a worker searches or sleeps, so that sharing work is worth it. A hint.
func (l *Lot) Hungry() bool { return l.counts.Load() != 0 }

// Idle reports how many workers search or sleep. A hint.
func (l *Lot) Idle() int {
	c := l.counts.Load()
	return int(c/sleepingUnit + c%sleepingUnit)
}

// Sleeping reports how many workers have announced sleep. A hint.
func (l *Lot) Sleeping() int { return int(l.counts.Load() / sleepingUnit) }

// Searching reports how many workers search: 0 or 1. A hint.
func (l *Lot) Searching() int { return int(l.counts.Load() % sleepingUnit) }

// BeginSearch makes the caller the searcher if there is none.
func (l *Lot) BeginSearch() bool {
	for {
		c := l.counts.Load()
		if c%sleepingUnit != 0 {
			return false
		}
		if l.counts.CompareAndSwap(c, c+1) {
			return true
		}
	}
}

// EndSearch leaves the searching state. The caller must look at every queue again afterwards: a waker that saw it
// searching has left its work to it.
func (l *Lot) EndSearch() {
	invariant.Point("park.EndSearch")
	l.counts.Add(^uint64(0))
}

// Announce says that worker w sleeps. Pairs with the Load in WakeOne. The caller must take a last look, and then call
// Retract or Sleep.
func (l *Lot) Announce(w int) {
	invariant.Point("park.Announce")
	l.mu.Lock()
	l.asleep = append(l.asleep, w)
	l.counts.Add(sleepingUnit)
	l.mu.Unlock()
	invariant.Point("park.Announced")
}

// Retract takes the announcement (or Retire) back after a last look that found work. If a waker was faster, its permit is
// taken, and with it the role that it gives.
func (l *Lot) Retract(w int) Role {
	invariant.Point("park.Retract")
	l.mu.Lock()
	mine := l.remove(w) || l.unretire(w)
	if mine {
		l.notify()
	}
	l.mu.Unlock()
	if mine {
		return Plain
	}
	return <-l.permits[w]
}

// Sleep waits for a permit. Must not be called without Announce.
func (l *Lot) Sleep(w int) Role {
	invariant.Point("park.Sleep")
	return <-l.permits[w]
}

// TrySleep is Sleep for a caller that must not be stopped; ok is false while there is no permit, and the worker then goes
// on sleeping.
func (l *Lot) TrySleep(w int) (role Role, ok bool) {
	select {
	case role = <-l.permits[w]:
		return role, true
	default:
		return Plain, false
	}
}

// Permitted reports whether worker w has a permit that it has not taken.
func (l *Lot) Permitted(w int) bool { return len(l.permits[w]) > 0 }

// Tell has every permit announced on c, which must have room for one: for whoever waits on behalf of all workers. Must
// be called before any of them sleeps.
func (l *Lot) Tell(c chan<- struct{}) { l.told = c }

// permit hands worker w a permit. REQUIRES: mu; w has been taken off the list, so that the channel is empty.
func (l *Lot) permit(w int, role Role) {
	l.permits[w] <- role
	l.notify()
	if l.told != nil {
		select {
		case l.told <- struct{}{}:
		default: // one is there already
		}
	}
}

// WakeOne wakes a sleeper as the searcher, unless one searches already or nobody sleeps. Any goroutine may call it,
// after its work is visible.
func (l *Lot) WakeOne() bool {
	if c := l.counts.Load(); c < sleepingUnit || c%sleepingUnit != 0 {
		return false
	}
	invariant.Point("park.WakeOne")
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		c := l.counts.Load()
		if c < sleepingUnit || c%sleepingUnit != 0 {
			return false
		}
		if l.counts.CompareAndSwap(c, c-sleepingUnit+1) {
			break
		}
	}
	w := l.asleep[len(l.asleep)-1] // the one that slept last has the warmest cache
	l.asleep = l.asleep[:len(l.asleep)-1]
	l.permit(w, Searcher)
	return true
}

// WakeWorker wakes worker w if it sleeps: for work that only w may take.
func (l *Lot) WakeWorker(w int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.remove(w) {
		return false
	}
	l.permit(w, Plain)
	return true
}

// WakeAll wakes every sleeper and every retired worker, for a stop.
func (l *Lot) WakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.asleep {
		l.permit(w, Plain)
	}
	l.counts.Add(-uint64(len(l.asleep)) * sleepingUnit)
	l.asleep = l.asleep[:0]
	for _, w := range l.retired {
		l.permit(w, Plain)
	}
	l.retired = l.retired[:0]
}

// AllAsleep runs f while every worker is announced asleep or retired and none can be woken, and reports whether it did. Workers
// that still take their last look count as asleep: f must look at the queues itself.
func (l *Lot) AllAsleep(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.allAsleep() {
		return false
	}
	f()
	return true
}

// remove takes w off the list. REQUIRES: mu.
func (l *Lot) remove(w int) bool {
	for i, x := range l.asleep {
		if x == w {
			l.asleep = append(l.asleep[:i], l.asleep[i+1:]...)
			l.counts.Add(^uint64(sleepingUnit - 1))
			return true
		}
	}
	return false
}
