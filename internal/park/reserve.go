package park

import "github.com/encorert/encorert/internal/invariant"

// The reserve: workers that are added when others are held up, and retire when they are not needed any more. A retired
// worker rests where sleepers do, but work does not wake it, and it does not count: the others may be all asleep
// without it.
//
//	a worker of the reserve | who                                       | to
//	------------------------+-------------------------------------------+--------------------------------------------
//	not there               | Add                                       | awake
//	awake                   | itself: Announce, and on as all workers do | announced, asleep, awake
//	awake                   | itself: Retire                            | retired
//	retired                 | itself: Retract (its last look)           | awake
//	retired                 | Activate, WakeAll                         | awake: it has a permit, and perhaps not yet taken it
//
// A worker does not retire from sleep: who wants that sets a flag and then calls WakeWorker. The flag is one of the things
// that a last look looks at, so it is seen there, or the announcement was there before the flag and WakeWorker finds it.
//
// What a worker owes before it retires: to leave the searching state, and to have put what only it may take where all may
// take it. What it owes after that: a look at every queue, and a WakeOne if there is anything (a waker may have relied on it
// as the searcher, and a WakeOne before Retire could have chosen itself); a look whether it is to stop (a WakeAll
// before Retire has not seen it); and a look whether all sleep now, since they may do so without it.

// Add makes room for one more worker, which counts as awake from here on, and returns its number; false if the reserve is used
// up. Only for who activates.
func (l *Lot) Add() (w int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.workers == len(l.permits) {
		return 0, false
	}
	w = l.workers
	l.permits[w] = make(chan Role, 1)
	l.workers++
	return w, true
}

// Activate wakes the worker that retired last, and returns its number; false if none is retired.
func (l *Lot) Activate() (w int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.retired)
	if n == 0 {
		return 0, false
	}
	w = l.retired[n-1]
	l.retired = l.retired[:n-1]
	l.permit(w, Plain)
	return w, true
}

// Retire takes worker w, the caller, out of the count. What it owes then stands above; after that it calls Sleep, or
// Retract if it is to stop. REQUIRES: it neither searches nor is announced.
func (l *Lot) Retire(w int) {
	invariant.Point("park.Retire")
	l.mu.Lock()
	l.retired = append(l.retired, w)
	l.mu.Unlock()
	invariant.Point("park.Retired")
}

// Posts reports how many workers are awake, announced asleep and retired, and how many there are.
func (l *Lot) Posts() (awake, sleeping, retired, all int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sleeping, retired, all = len(l.asleep), len(l.retired), l.workers
	return all - sleeping - retired, sleeping, retired, all
}

// Watch has f called by the first wake-up if every worker is asleep or retired now, and reports whether it is so. Sleepers
// leave the list under mu only: either this sees one awake, or the next to be woken finds f. f is called with mu held, and
// must not call the lot.
func (l *Lot) Watch(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.allAsleep() {
		return false
	}
	l.watcher = f
	return true
}

// notify tells the watcher that a worker is awake. REQUIRES: mu.
func (l *Lot) notify() {
	if f := l.watcher; f != nil {
		l.watcher = nil
		f()
	}
}

// allAsleep says whether no worker is awake. REQUIRES: mu.
func (l *Lot) allAsleep() bool { return len(l.asleep)+len(l.retired) == l.workers }

// unretire takes w off the list. REQUIRES: mu.
func (l *Lot) unretire(w int) bool {
	for i, x := range l.retired {
		if x == w {
			l.retired = append(l.retired[:i], l.retired[i+1:]...)
			return true
		}
	}
	return false
}
