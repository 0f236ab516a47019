package rt

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/encorert/encorert/internal/invariant"
)

// Mutex is a lock for what several actors share, for the rare case that it is not an actor itself: it parks the
// strand and not the worker. The zero value is unlocked. It is not recursive, belongs to no actor, is for actors of one runtime,
// and must not be copied after its first use.
//
// Whoever comes while it is free takes it, before those that wait: a lock that is handed on to a waiter each time runs
// at the speed of switches. No waiter is passed over for much longer than a millisecond: then the lock is handed to
// it. Strict order is not promised.
//
// The state is three bits, which all combine:
//
//	bit     | set by                          | cleared by
//	--------+---------------------------------+---------------------------------------------------------------
//	locked  | TryLock                         | Unlock, unless it hands the lock on
//	waiters | Commit, under mu                | Unlock, under mu: it takes the last waiter off the list
//	woken   | Unlock, under mu: it unparked   | the waiter, under mu, when it tries
//	        | a waiter to try for the lock    |
//
// While woken is set nobody else is woken, and Unlock need not come under mu, but for a look at the clock now and then.
type Mutex struct {
	// Writers and Readers: all.
	state atomic.Uint32

	passed uint32 // unlocks since the clock was looked at; Owner: the holder of the lock

	mu     sync.Mutex
	oldest *lockWait // waiters in order of arrival; guarded by mu
	newest *lockWait
	trying *lockWait // the one that was woken; guarded by mu
}

const (
	mutexLocked = 1 << iota
	mutexWaiters
	mutexWoken
)

const (
	// patience is how long a waiter may be passed over: that of sync.Mutex.
	patience = time.Millisecond
	// clockEvery is how many unlocks go by between two looks at the clock, which costs as much as three of them. Picked;
	// not measured.
	clockEvery = 64
)

// lockWait is one Lock that waits.
type lockWait struct {
	m      *Mutex
	next   *lockWait
	waiter *Waiter
	since  time.Time
	handed bool // the lock is its own; guarded by m.mu
}

// Describe says what a report of blocked behaviours says (interface Wait).
func (l *lockWait) Describe() string { return "an rt.Mutex" }

// Lock takes the lock. Returns ErrClosed, without the lock, when the runtime is closing.
func (m *Mutex) Lock(cctx **Ctx) error {
	if m.TryLock(*cctx) {
		return nil
	}
	l := &lockWait{m: m, since: (*cctx).worker.rt.clock.now()}
	for {
		if err := Block(cctx, l); err != nil {
			return err
		}
		if l.try() || m.TryLock(*cctx) {
			return nil
		}
	}
}

// TryLock takes the lock if it is free. A leaf.
func (m *Mutex) TryLock(ctx *Ctx) bool {
	ctx.CheckLeaf()
	for {
		s := m.state.Load()
		if s&mutexLocked != 0 {
			return false
		}
		invariant.Point("rt.TryLock")
		// Pairs with the operations on state in Unlock: what the last holder did is visible.
		if m.state.CompareAndSwap(s, s|mutexLocked) {
			return true
		}
	}
}

// Commit registers a strand that was parked, unless the lock is free by now (interface Wait). One that was woken in vain
// goes back to the front.
func (l *lockWait) Commit(w *Waiter) bool {
	m := l.m
	invariant.Lock(&m.mu)
	defer m.mu.Unlock()
	for {
		s := m.state.Load()
		if s&mutexLocked == 0 {
			return false
		}
		invariant.Point("rt.Mutex.Commit")
		// Pairs with the CompareAndSwap in Unlock: either that fails, and Unlock comes under mu, or this does.
		if m.state.CompareAndSwap(s, s|mutexWaiters) {
			break
		}
	}
	again := l.waiter != nil
	l.waiter = w
	switch {
	case m.oldest == nil:
		m.oldest, m.newest = l, l
	case again:
		l.next = m.oldest
		m.oldest = l
	default:
		m.newest.next = l
		m.newest = l
	}
	return true
}

// try ends the state of being woken; it reports whether the lock was handed over.
func (l *lockWait) try() bool {
	m := l.m
	invariant.Point("rt.Mutex.try")
	invariant.Lock(&m.mu)
	defer m.mu.Unlock()
	if m.trying == l {
		m.trying = nil
		m.state.And(^uint32(mutexWoken))
	}
	return l.handed
}

// Unlock gives the lock back. A leaf. It panics if the lock is free.
func (m *Mutex) Unlock(ctx *Ctx) {
	Flush(ctx)
	m.passed++
	look := m.passed%clockEvery == 0
	for {
		s := m.state.Load()
		if s&mutexLocked == 0 {
			panic("rt: Unlock of a Mutex that is not locked")
		}
		if s&mutexWaiters != 0 && s&mutexWoken == 0 || s&mutexWoken != 0 && look {
			break
		}
		invariant.Point("rt.Unlock")
		// Pairs with TryLock and Commit.
		if m.state.CompareAndSwap(s, s&^mutexLocked) {
			return
		}
	}
	invariant.Point("rt.Unlock.pass")
	if w := m.pass(ctx); w != nil {
		Unpark(ctx, w)
	}
}

// pass unlocks, or hands the lock to a waiter whose patience is at an end. It returns the waiter to unpark, if any.
func (m *Mutex) pass(ctx *Ctx) *Waiter {
	invariant.Lock(&m.mu)
	defer m.mu.Unlock()
	if l := m.trying; l != nil {
		// Woken, and still on its way: perhaps behind this very behaviour, in its worker's queue.
		if ctx.worker.rt.clock.now().Sub(l.since) > patience {
			l.handed = true
			m.trying = nil
			m.state.And(^uint32(mutexWoken))
			return nil
		}
		m.state.And(^uint32(mutexLocked))
		return nil
	}
	l := m.oldest
	if l == nil {
		m.state.And(^uint32(mutexLocked))
		return nil
	}
	m.oldest, l.next = l.next, nil
	if m.oldest == nil {
		m.newest = nil
		m.state.And(^uint32(mutexWaiters))
	}
	if ctx.worker.rt.clock.now().Sub(l.since) > patience {
		l.handed = true
		return l.waiter
	}
	m.trying = l
	m.state.Or(mutexWoken)
	m.state.And(^uint32(mutexLocked))
	return l.waiter
}
