package mailbox

import (
	"fmt"
	"slices"
)

// modelStep is the step of one worker. Its methods change s.
type modelStep struct {
	*modelScenario
	s     modelState
	i     uint8
	fault modelFault
	out   []modelState
}

func (m *modelStep) worker() *modelWorker { return &m.s.workers[m.i] }

func (m *modelStep) emit() { m.out = append(m.out, m.s) }

// choice emits what f makes of the state, and takes it back.
func (m *modelStep) choice(f func()) {
	before := m.s
	f()
	m.emit()
	m.s = before
}

func (m *modelStep) own(a, from uint8) {
	if m.s.boxes[a].owner != from {
		panic(fmt.Sprintf("worker %d takes actor %d, which is owned by %d", m.i, a, m.s.boxes[a].owner))
	}
	m.s.boxes[a].owner = m.i
}

func (m *modelStep) mine(a uint8) *modelBox {
	if m.s.boxes[a].owner != m.i {
		panic(fmt.Sprintf("worker %d touches the local part of actor %d, which is owned by %d", m.i, a, m.s.boxes[a].owner))
	}
	return &m.s.boxes[a]
}

// drain begins to drain a box, or makes the next look at one of its nodes. It reports whether it is done.
func (m *modelStep) drain(b *modelBox) (done bool) {
	if b.looks == 0 {
		for b.remote.n > 0 {
			b.late.push(b.remote.remove(0))
		}
	}
	look := b.looks
	for k := max(look, 1) - 1; k < b.late.n; {
		x := b.late.x[k]
		by := x & byBits >> byShift
		passed := by != 0 && b.passed&(1<<(by-1)) != 0 && m.fault != nodesByThemselves
		switch {
		case passed:
			k++
		case x&hidden == 0 || m.fault == takesUnpublished:
			b.local.push(b.late.remove(k) & 15)
		case look != k+1: // to look is a step of its own: meanwhile it may be published
			b.looks = k + 1
			return false
		default:
			b.passed |= 1 << (by - 1)
			k++
		}
		look = 0
	}
	b.looks, b.passed = 0, 0
	for k, x := range b.late.x[:b.late.n] {
		if x&hidden == 0 {
			b.late.x[k] = x &^ byBits
		}
	}
	return true
}

func (m *modelStep) holds(a uint8) bool {
	w := m.worker()
	return slices.ContainsFunc(w.out.x[:w.out.n], func(x uint8) bool { return outTo(x) == a })
}

// holdsElsewhere is for what is about to go by via.
func (m *modelStep) holdsElsewhere(a, via uint8) bool {
	w := m.worker()
	return m.fault != twoWays &&
		slices.ContainsFunc(w.out.x[:w.out.n], func(x uint8) bool { return outTo(x) == a && outVia(x) != via })
}

// sent is after a send: the next one follows, or the message is handled.
func (m *modelStep) sent() {
	w := m.worker()
	w.target = 0
	if w.at++; int(w.at) < len(m.script[w.msg]) {
		w.pc = atSend
	} else {
		w.pc, w.msg, w.at = atAfter, 0, 0
	}
}

func (m *modelStep) enqueued() {
	w := m.worker()
	if w.target == w.actor { // that was a yield
		w.pc, w.actor, w.target = atLoop, nobody, 0
	} else {
		m.sent()
	}
}

// step emits the states that worker i can go to. It panics with a string where an invariant breaks.
func (m *modelStep) step() {
	w := m.worker()
	switch w.pc {
	case atLoop, atAdopt, atNext, atAfter:
		m.stepRun(w)
	case atDeliver, atClose:
		m.stepRemote(w)
	case atSend, atEpoch, atHomeAgain, atPushLocal, atClaim, atClaimStore, atPushLocalAsOwner:
		m.stepSend(w, m.script[w.msg][w.at])
	case atEnqueue, atShareHome, atShareQueue:
		m.stepEnqueue(w)
	case atReleaseLook, atReleaseHome, atReleaseSwap:
		m.stepRelease(w)
	default:
		m.stepFlush(w)
	}
}

// take begins a delivery, after which the worker goes on at then.
func (m *modelStep) take(w *modelWorker, then modelPC) {
	w.remote.taken = w.remote.n
	w.pc, w.then = atDeliver, then
	m.emit()
}

// close locks senders out and goes on at then, after a delivery if need be.
func (m *modelStep) close(w *modelWorker, then modelPC) {
	if w.remote.n > 0 {
		m.take(w, atClose)
		return
	}
	w.closed = true
	w.pc = then
	m.emit()
}

func (m *modelStep) reopen(w *modelWorker) {
	if !w.closed {
		return
	}
	w.closed = false
	for k := range m.s.workers {
		v := &m.s.workers[k]
		if v.opening == m.i+1 || slices.ContainsFunc(v.out.x[:v.out.n], func(x uint8) bool { return outVia(x) == m.i+1 }) {
			v.stale |= 1 << m.i
		}
	}
}

func (m *modelStep) stepRemote(w *modelWorker) {
	switch w.pc {
	case atClose: // a release, or the way to another
		if w.sharing {
			m.close(w, atShareHome)
		} else {
			m.close(w, atReleaseLook)
		}
	case atDeliver:
		if w.remote.taken == 0 {
			w.pc, w.then = w.then, atLoop
			m.emit()
			return
		}
		x := w.remote.x[0]
		to := uint8(x & parcelTo >> parcelShift)
		b := m.mine(to)
		if b.home != m.i {
			panic(fmt.Sprintf("worker %d has got a message for actor %d, which is at home at %d", m.i, to, b.home))
		}
		if b.remote.n+b.late.n > 0 && !m.drain(b) {
			m.emit()
			return
		}
		w.remote.take()
		if uint8(x)&hidden != 0 && m.fault != parcelTakesUnpublished {
			b.late.push(uint8(x))
		} else {
			b.local.push(uint8(x) & 15)
		}
		m.emit()
	}
}

func (m *modelStep) stepRun(w *modelWorker) {
	switch w.pc {
	case atLoop:
		if w.remote.n > 0 {
			before := m.s
			m.take(w, atLoop)
			m.s = before
		}
		for a := range uint8(modelActors) {
			if w.private&(1<<a) != 0 {
				m.choice(func() { w.private &^= 1 << a; w.actor, w.pc = a, atNext })
			}
			if m.s.shared&(1<<a) != 0 {
				m.choice(func() {
					m.s.shared &^= 1 << a
					m.own(a, inQueue)
					w.actor, w.pc = a, atAdopt
				})
			}
		}
		m.mayFlush()
	case atAdopt:
		if m.s.boxes[w.actor].home != m.i && m.holds(w.actor) && m.fault != adoptWithoutFlush {
			m.flush(atAdopt)
			break
		}
		m.s.boxes[w.actor].home = m.i
		w.pc = atNext
		m.emit()
	case atNext:
		b := m.mine(w.actor)
		if (b.looks > 0 || b.local.n == 0 && b.remote.n+b.late.n > 0) && !m.drain(b) {
			m.emit()
			break
		}
		if b.local.n == 0 {
			m.yield(w)
			break
		}
		w.msg = b.local.remove(0)
		if w.actor == actorC {
			m.s.seen.push(w.msg)
		}
		if w.pc = atSend; len(m.script[w.msg]) == 0 {
			w.pc, w.msg = atAfter, 0
		}
		m.emit()
	case atAfter:
		m.mayFlush()
		w.pc = atNext
		m.emit()
		m.yield(w)
	}
}

// yield ends the turn of the running actor. It rests, or is let go.
func (m *modelStep) yield(w *modelWorker) {
	if b := m.mine(w.actor); w.out.n > 0 && m.fault != releaseWithoutFlush && b.local.n+b.remote.n+b.late.n == 0 {
		w.resting |= 1 << w.actor
		w.pc, w.actor = atLoop, nobody
		m.emit()
		return
	}
	if m.fault == releasedUnclosed {
		w.pc = atReleaseLook
		m.emit()
		return
	}
	w.pc = atClose
	m.emit()
}

func (m *modelStep) stepSend(w *modelWorker, send modelSend) {
	switch w.pc {
	case atSend:
		if send.to == everybody {
			if w.out.n > 0 && m.fault != tellWithoutFlush {
				m.flush(atSend)
				break
			}
			m.s.told = true
			m.sent()
			m.emit()
			break
		}
		if send.told && !m.s.told {
			m.sent()
			m.emit()
			break
		}
		m.mayFlush()
		home := m.s.boxes[send.to].home
		if home == m.i {
			if w.remote.n > 0 && m.fault != localPushBeforeRemote {
				m.take(w, atSend)
				break
			}
			w.pc = atPushLocal
			m.emit()
			break
		}
		via := uint8(0)
		if home != nobody {
			via = home + 1
		}
		if m.holdsElsewhere(send.to, via) {
			m.flush(atSend)
			break
		}
		if via != 0 {
			if slices.ContainsFunc(w.out.x[:w.out.n], func(x uint8) bool { return outVia(x) == via }) {
				w.out.push(send.msg | send.to<<toShift | via<<viaShift)
				m.sent()
			} else if w.opening, w.pc = via, atEpoch; m.fault == epochAfterHome {
				w.pc = atHomeAgain
			}
			m.emit()
			break
		}
		if !m.holds(send.to) || m.fault == claimWhileHeld {
			m.choice(func() { w.pc = atClaim })
		}
		w.out.push(send.msg | send.to<<toShift)
		m.sent()
		m.emit()
	case atEpoch: // from here on a new epoch makes the parcel stale
		w.stale &^= 1 << (w.opening - 1)
		w.pc = atHomeAgain
		if m.fault == epochAfterHome {
			m.open(w, send)
		}
		m.emit()
	case atHomeAgain:
		switch {
		case m.s.boxes[send.to].home+1 != w.opening:
			w.stale &^= 1 << (w.opening - 1)
			w.opening, w.pc = 0, atSend
		case m.fault == epochAfterHome:
			w.pc = atEpoch
		default:
			m.open(w, send)
		}
		m.emit()
	case atPushLocal, atPushLocalAsOwner:
		b := m.mine(send.to)
		look := b.remote.n+b.late.n > 0
		switch m.fault {
		case localPushWithoutDrain:
			look = false
		case localPushIgnoresLate:
			look = b.remote.n > 0 || b.looks > 0
		}
		if look && !m.drain(b) {
			m.emit()
			break
		}
		b.local.push(send.msg)
		if w.pc == atPushLocal {
			m.sent()
		} else {
			w.pc, w.target = atEnqueue, send.to
		}
		m.emit()
	case atClaim:
		switch b := &m.s.boxes[send.to]; {
		case !b.idle && m.fault == everyPushOwns:
			m.own(send.to, nobody)
		case !b.idle:
			w.out.push(send.msg | send.to<<toShift)
			m.sent()
		case m.fault == claimStores:
			w.pc = atClaimStore
		default:
			b.idle = false
			m.own(send.to, nobody)
			w.pc = atPushLocalAsOwner
		}
		m.emit()
	case atClaimStore:
		m.s.boxes[send.to].idle = false
		m.s.boxes[send.to].remote = modelList{}
		m.own(send.to, nobody)
		w.pc = atPushLocalAsOwner
		m.emit()
	}
}

// open puts the first message into a parcel.
func (m *modelStep) open(w *modelWorker, send modelSend) {
	w.out.push(send.msg | send.to<<toShift | w.opening<<viaShift)
	w.opening = 0
	m.sent()
}

func (m *modelStep) stepEnqueue(w *modelWorker) {
	switch w.pc {
	case atEnqueue:
		m.choice(func() { // nothing for the target is in the outbox: it was here, or was claimed
			m.s.boxes[w.target].home = m.i
			w.private |= 1 << w.target
			m.enqueued()
		})
		if w.out.n > 0 && m.fault != shareWithoutFlush {
			m.flush(atEnqueue)
			break
		}
		w.pc = atShareHome
		if m.s.boxes[w.target].home == m.i && m.fault != sharedUnclosed {
			w.pc, w.sharing = atClose, true
		}
		m.emit()
	case atShareHome:
		w.sharing = false
		if m.fault != homeKeptWhenShared {
			m.s.boxes[w.target].home = nobody
		}
		m.reopen(w)
		w.pc = atShareQueue
		m.emit()
	case atShareQueue:
		m.mine(w.target).owner = inQueue
		m.s.shared |= 1 << w.target
		m.enqueued()
		m.emit()
	}
}

func (m *modelStep) stepRelease(w *modelWorker) {
	a := w.actor
	if w.releasing != 0 {
		a = w.releasing - 1
	}
	b := m.mine(a)
	late := b.late.n > 0 && m.fault != releaseIgnoresLate
	switch w.pc {
	case atReleaseLook:
		if b.local.n > 0 || b.remote.n > 0 || late {
			m.busy(w, a)
			return
		}
		w.pc = atReleaseHome
	case atReleaseHome:
		if m.fault != homeKeptByRelease {
			b.home = nobody
		}
		w.pc = atReleaseSwap
	case atReleaseSwap:
		if b.remote.n > 0 && m.fault != releaseStores {
			m.busy(w, a)
			return
		}
		b.remote = modelList{}
		b.idle, b.owner = true, nobody
		m.reopen(w)
		if w.releasing != 0 {
			w.pc, w.releasing = atSchedule, 0
		} else {
			w.pc, w.actor = atLoop, nobody
		}
	}
	m.emit()
}

// busy goes on with an actor that cannot be released.
func (m *modelStep) busy(w *modelWorker, a uint8) {
	m.reopen(w)
	if w.releasing == 0 {
		w.pc, w.target = atEnqueue, a
	} else {
		w.pc, w.releasing = atSchedule, 0
		m.mine(a).home = m.i
		w.private |= 1 << a
	}
	m.emit()
}

// schedule makes an actor ready within a flush.
func (m *modelStep) schedule(w *modelWorker, a uint8) {
	m.choice(func() {
		m.mine(a).home = m.i
		w.private |= 1 << a
	})
	m.choice(func() {
		m.mine(a).home = nobody
		m.s.boxes[a].owner = inQueue
		m.s.shared |= 1 << a
	})
}
