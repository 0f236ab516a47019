package mailbox

import (
	"math/bits"
	"slices"
)

// flush begins a flush, after which the worker goes on at after.
func (m *modelStep) flush(after modelPC) {
	w := m.worker()
	w.pc, w.after = atLink, after
	one := true // all is for one box, or for one worker
	via := outVia(w.out.x[0])
	for _, x := range w.out.x[:w.out.n] {
		one = one && outVia(x) == via && (via != 0 || outTo(x) == outTo(w.out.x[0]))
	}
	w.group = true
	if !one || via == 0 && w.out.n > 1 {
		m.emit()
	}
	w.group = false
	if one {
		m.emit()
	}
}

// mayFlush is one more choice.
func (m *modelStep) mayFlush() {
	if before := m.s; m.worker().out.n > 0 {
		m.flush(m.worker().pc)
		m.s = before
	}
}

// link pushes the node at k of the outbox: a message of the group, or all there is.
func (m *modelStep) link(k uint8) {
	w := m.worker()
	to := outTo(w.out.x[k])
	b := &m.s.boxes[to]
	if b.idle {
		b.idle = false
		m.own(to, nobody)
		w.owned |= 1 << to
	}
	if w.group {
		x := w.out.remove(k) & 15
		if m.fault != publishedBeforeLinked {
			x |= (m.i+1)<<byShift | hidden
		}
		b.remote.push(x)
	} else {
		for w.out.n > 0 {
			b.remote.push(w.out.remove(0) & 15)
		}
	}
	m.linked(w)
}

// linkChain pushes what goes to one worker; what is for actors that have left becomes nodes.
func (m *modelStep) linkChain(to uint8) {
	w, v := m.worker(), &m.s.workers[to]
	var chain, left, rest modelList
	for _, x := range w.out.x[:w.out.n] {
		switch {
		case outVia(x) != to+1:
			rest.push(x)
		case w.stale&(1<<to) != 0 && m.s.boxes[outTo(x)].home != to && m.fault != pushIgnoresEpoch:
			left.push(x &^ (3 << viaShift))
		default:
			chain.push(x)
		}
	}
	w.group = w.group || left.n > 0
	w.stale &^= 1 << to
	for _, x := range chain.x[:chain.n] {
		y := uint16(x&15) | uint16(outTo(x))<<parcelShift
		if w.group && m.fault != publishedBeforeLinked {
			y |= uint16((m.i+1)<<byShift | hidden)
		}
		v.remote.push(y)
	}
	w.out = rest
	for _, x := range left.x[:left.n] {
		w.out.push(x)
	}
	m.linked(w)
}

func (m *modelStep) linked(w *modelWorker) {
	if w.out.n == 0 {
		if w.pc = atSchedule; w.group {
			w.pc = atPublish
		}
	}
}

// publish makes the group of the worker visible.
func (m *modelStep) publish() {
	for w := range m.s.workers {
		l := &m.s.workers[w].remote
		for k, x := range l.x[:l.n] {
			if uint8(x)&hidden != 0 && uint8(x)&byBits>>byShift == m.i+1 {
				l.x[k] = x &^ uint16(byBits|hidden)
			}
		}
	}
	for a := range m.s.boxes {
		b := &m.s.boxes[a]
		for _, l := range []*modelList{&b.remote, &b.late} {
			for k, x := range l.x[:l.n] {
				if x&hidden == 0 || x&byBits>>byShift != m.i+1 {
					continue
				}
				if l.x[k] = x &^ hidden; b.looks == 0 {
					l.x[k] &^= byBits
				}
			}
		}
	}
}

func (m *modelStep) stepFlush(w *modelWorker) {
	switch w.pc {
	case atLink:
		// The first of each receiver may be next; then parcels, as far as nobody holds the lock.
		nodes := false
		for k, x := range w.out.x[:w.out.n] {
			if outVia(x) != 0 {
				continue
			}
			nodes = true
			same := func(y uint8) bool { return outVia(y) == 0 && outTo(y) == outTo(x) }
			if m.fault == linkedNewestFirst && !slices.ContainsFunc(w.out.x[k+1:w.out.n], same) ||
				m.fault != linkedNewestFirst && !slices.ContainsFunc(w.out.x[:k], same) {
				m.choice(func() { m.link(uint8(k)) })
			}
		}
		for to := range m.s.workers {
			goes := func(x uint8) bool { return outVia(x) == uint8(to)+1 }
			if !nodes && !m.s.workers[to].closed && slices.ContainsFunc(w.out.x[:w.out.n], goes) {
				m.choice(func() { m.linkChain(uint8(to)) })
			}
		}
	case atPublish:
		m.publish()
		w.pc, w.group = atSchedule, false
		m.emit()
	case atSchedule:
		if w.owned == 0 && w.resting == 0 {
			w.pc, w.after = w.after, atLoop
			m.emit()
			break
		}
		if w.owned == 0 {
			a := uint8(bits.TrailingZeros8(w.resting))
			w.resting &^= 1 << a
			if w.releasing, w.pc = a+1, atClose; m.fault == releasedUnclosed {
				w.pc = atReleaseLook
			}
			m.emit()
			break
		}
		for a := range uint8(modelActors) {
			if w.owned&(1<<a) == 0 {
				continue
			}
			if m.fault == idlePushDoesNotOwn {
				m.choice(func() { w.owned &^= 1 << a })
				continue
			}
			before := m.s
			w.owned &^= 1 << a
			m.schedule(w, a)
			m.s = before
		}
	}
}
