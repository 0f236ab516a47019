package mailbox

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
)

// An exhaustive search over the steps of Box and Outbox, one shared access a step, with three actors and two or three
// workers. What a scheduler decides by hints (run on or yield, keep private or share, claim an idle actor or send it a node,
// flush or wait) is left open, so every choice is tried. So is the order of linking, as far as the nodes of one box are
// in order; and whether what is for one box alone goes as one node or as several. To hand an actor over to another
// worker's inbox is to share it: all may take it from there.

type modelFault uint8

const (
	noFault modelFault = iota
	localPushWithoutDrain
	localPushIgnoresLate
	homeKeptWhenShared
	homeKeptByRelease
	releaseStores
	releaseIgnoresLate
	claimStores
	claimWhileHeld
	everyPushOwns
	idlePushDoesNotOwn
	publishedBeforeLinked
	takesUnpublished
	nodesByThemselves
	linkedNewestFirst
	shareWithoutFlush
	adoptWithoutFlush
	releaseWithoutFlush
	tellWithoutFlush
)

const (
	actorA      = 0
	actorB      = 1
	actorC      = 2
	modelActors = 3
	everybody   = 3 // the receiver of what is told by another way than a message
	nobody      = 7 // no owner
	inQueue     = 6 // owned by the shared queue
)

const (
	msgGo uint8 = iota + 1
	msgStart
	msgN
	msg4
	msg5
	msg6
	msg7
	msgSelf
	modelMessages
)

type modelSend struct {
	to, msg uint8
	told    bool // only if it has been told
}

type modelOrder struct{ first, second uint8 }

// modelScenario is what each message makes its receiver send. A handles msgGo and B msgStart at the beginning.
type modelScenario struct {
	name    string
	workers int
	script  [modelMessages][]modelSend
	before  []modelOrder // the order in which C must see them, where it sees the second
	seen    uint8        // how many messages C sees at least
}

var modelScenarios = []*modelScenario{
	{
		// B learns of 5 by another way than a message: a future that A fulfils.
		name:    "told",
		workers: 3,
		script: [modelMessages][]modelSend{
			msgGo:    {{to: actorC, msg: msg5}, {to: everybody}},
			msgStart: {{to: actorC, msg: msg7, told: true}},
		},
		before: []modelOrder{{msg5, msg7}},
		seen:   1,
	},
	{
		// A sends 5 to C and n to B, which sends 7 to C.
		name:    "one group",
		workers: 3,
		script: [modelMessages][]modelSend{
			msgGo: {{to: actorC, msg: msg5}, {to: actorB, msg: msgN}},
			msgN:  {{to: actorC, msg: msg7}},
		},
		before: []modelOrder{{msg5, msg7}},
		seen:   2,
	},
	{
		// A sends 5 and 6 to C and then n to B, in one group or in several; B, when it starts, sends 4 to C, and on n sends
		// 7. So C must see 5 before 6 before 7, and 4 before 7: the last is what B knew of when it sent. C answers 5 with a
		// message to itself.
		name:    "several",
		workers: hammer.Rounds(2, 3),
		script: [modelMessages][]modelSend{
			msgGo:    {{to: actorC, msg: msg5}, {to: actorC, msg: msg6}, {to: actorB, msg: msgN}},
			msgStart: {{to: actorC, msg: msg4}},
			msgN:     {{to: actorC, msg: msg7}},
			msg5:     {{to: actorC, msg: msgSelf}},
		},
		before: []modelOrder{{msg5, msg6}, {msg6, msg7}, {msg4, msg7}, {msg5, msgSelf}},
		seen:   5,
	},
}

type modelList struct {
	n uint8
	x [5]uint8
}

func (l *modelList) push(x uint8) { l.x[l.n] = x; l.n++ }

func (l *modelList) remove(k uint8) (x uint8) {
	x = l.x[k]
	copy(l.x[k:], l.x[k+1:])
	l.n--
	l.x[l.n] = 0
	return x
}

// A node in a remote part is a message; above it, if it came with a group, the sender's number plus one, and the bit hidden
// until the group is published.
const (
	byShift       = 4
	byBits  uint8 = 3 << byShift
	hidden  uint8 = 1 << 6
)

type modelBox struct {
	idle                bool
	home, owner         uint8 // owner is known to the model only
	remote, late, local modelList
	// A drain that looks at node looks-1 of late, and the set of senders of which it has passed over a node.
	looks, passed uint8
}

type modelPC uint8

const (
	atLoop modelPC = iota
	atAdopt
	atNext
	atSend // reads the home of the receiver
	atPushLocal
	atClaim
	atClaimStore // only where claimStores
	atPushLocalAsOwner
	atEnqueue
	atShareHome
	atShareQueue
	atAfter // the message is handled: run on or yield
	atReleaseLook
	atReleaseHome
	atReleaseSwap
	atLink // the first step of a flush
	atPublish
	atSchedule // what the flush has found idle
)

type modelWorker struct {
	pc, after modelPC // after: where the flush goes on
	actor     uint8   // that it runs
	msg, at   uint8   // the message handled, and the send of its script
	target    uint8   // the actor to enqueue
	private   uint8   // set of actors
	// outbox: the receiver above the message, in order of sending
	out   modelList
	group bool  // the flush has more than one node
	owned uint8 // set of actors that the flush has found idle
	// Set of actors that the next flush releases; and the one that it is about to release, plus one. This stands for rest.go
	// of package rt: only the worker touches an actor that rests, which is to the boxes as one that waits in its private
	// queue (both are in the model), and it is released after a flush.
	resting, releasing uint8
}

type modelState struct {
	boxes   [modelActors]modelBox
	workers [3]modelWorker
	shared  uint8 // set of actors
	told    bool
	seen    modelList // by C
}

func modelStart() (s modelState) {
	for a := range s.boxes {
		s.boxes[a] = modelBox{idle: true, home: nobody, owner: nobody}
	}
	for a, m := range []uint8{actorA: msgGo, actorB: msgStart} {
		b := &s.boxes[a]
		b.idle, b.owner = false, inQueue
		b.local.push(m)
		s.shared |= 1 << a
	}
	for w := range s.workers {
		s.workers[w].actor = nobody
	}
	return s
}

// order gives the workers, which are all alike, numbers by what they are doing: a state is visited once, and not once
// for each permutation of their numbers.
func (s *modelState) order(workers int) {
	rank := [8]uint8{inQueue: inQueue, nobody: nobody}
	index := [3]uint8{0, 1, 2}
	slices.SortFunc(index[:workers], func(i, j uint8) int { return s.workers[i].compare(&s.workers[j]) })
	if index == [3]uint8{0, 1, 2} {
		return
	}
	was := s.workers
	for to, from := range index {
		s.workers[to] = was[from]
		rank[from] = uint8(to)
	}
	for a := range s.boxes {
		b := &s.boxes[a]
		b.home, b.owner = rank[b.home], rank[b.owner]
		passed := b.passed
		b.passed = 0
		for w := range uint8(workers) {
			b.passed |= passed >> w & 1 << rank[w]
		}
		for _, l := range []*modelList{&b.remote, &b.late} {
			for k, x := range l.x[:l.n] {
				if by := x & byBits; by != 0 {
					l.x[k] = x&^byBits | (rank[by>>byShift-1]+1)<<byShift
				}
			}
		}
	}
}

func (w *modelWorker) compare(v *modelWorker) int {
	if c := cmp.Or(
		cmp.Compare(w.pc, v.pc), cmp.Compare(w.actor, v.actor), cmp.Compare(w.private, v.private), cmp.Compare(w.msg, v.msg),
		cmp.Compare(w.at, v.at), cmp.Compare(w.target, v.target), cmp.Compare(w.owned, v.owned), cmp.Compare(w.resting, v.resting), cmp.Compare(w.out.n, v.out.n),
	); c != 0 {
		return c
	}
	return slices.Compare(w.out.x[:], v.out.x[:])
}

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
	return slices.ContainsFunc(w.out.x[:w.out.n], func(x uint8) bool { return x>>4 == a })
}

// flush begins a flush, after which the worker goes on at after.
func (m *modelStep) flush(after modelPC) {
	w := m.worker()
	w.pc, w.after = atLink, after
	one := true
	for _, x := range w.out.x[:w.out.n] {
		one = one && x>>4 == w.out.x[0]>>4
	}
	w.group = true
	if !one || w.out.n > 1 {
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
	to := w.out.x[k] >> 4
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
	if w.out.n == 0 {
		if w.pc = atSchedule; w.group {
			w.pc = atPublish
		}
	}
}

// publish makes the group of the worker visible.
func (m *modelStep) publish() {
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
	case atSend, atPushLocal, atClaim, atClaimStore, atPushLocalAsOwner:
		m.stepSend(w, m.script[w.msg][w.at])
	case atEnqueue, atShareHome, atShareQueue:
		m.stepEnqueue(w)
	case atReleaseLook, atReleaseHome, atReleaseSwap:
		m.stepRelease(w)
	default:
		m.stepFlush(w)
	}
}

func (m *modelStep) stepRun(w *modelWorker) {
	switch w.pc {
	case atLoop:
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
		if m.holds(w.actor) && m.fault != adoptWithoutFlush {
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
			w.pc = atReleaseLook
			m.emit()
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
		w.pc = atReleaseLook
		m.emit()
	}
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
		if m.s.boxes[send.to].home == m.i {
			w.pc = atPushLocal
			m.emit()
			break
		}
		if !m.holds(send.to) || m.fault == claimWhileHeld {
			m.choice(func() { w.pc = atClaim })
		}
		w.out.push(send.msg | send.to<<4)
		m.sent()
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
			w.out.push(send.msg | send.to<<4)
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
		m.emit()
	case atShareHome:
		if m.fault != homeKeptWhenShared {
			m.s.boxes[w.target].home = nobody
		}
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
		switch {
		case b.local.n > 0 || b.remote.n > 0 || late:
			m.busy(w, a)
			return
		case w.out.n > 0 && m.fault != releaseWithoutFlush:
			w.resting |= 1 << a
			w.pc, w.actor = atLoop, nobody
		default:
			w.pc = atReleaseHome
		}
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
	if w.releasing == 0 {
		w.pc, w.target = atEnqueue, a
		m.emit()
		return
	}
	w.pc, w.releasing = atSchedule, 0
	m.schedule(w, a)
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

func (m *modelStep) stepFlush(w *modelWorker) {
	switch w.pc {
	case atLink:
		// The first of each receiver may be next.
		for k, x := range w.out.x[:w.out.n] {
			same := func(y uint8) bool { return y>>4 == x>>4 }
			if m.fault == linkedNewestFirst && !slices.ContainsFunc(w.out.x[k+1:w.out.n], same) ||
				m.fault != linkedNewestFirst && !slices.ContainsFunc(w.out.x[:k], same) {
				m.choice(func() { m.link(uint8(k)) })
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
			w.releasing, w.pc = a+1, atReleaseLook
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

// end checks a state from which no worker can go on.
func (c *modelScenario) end(s modelState) {
	for a, b := range s.boxes {
		if !b.idle || b.owner != nobody || b.local.n+b.late.n+b.remote.n > 0 {
			panic(fmt.Sprintf("actor %d is left behind: %+v", a, b))
		}
	}
	if s.seen.n < c.seen {
		panic(fmt.Sprintf("C has seen %d messages, not %d", s.seen.n, c.seen))
	}
	at := map[uint8]int{}
	for k, m := range s.seen.x[:s.seen.n] {
		at[m] = k + 1
	}
	for _, o := range c.before {
		if at[o.second] != 0 && (at[o.first] == 0 || at[o.first] > at[o.second]) {
			panic(fmt.Sprintf("C has seen %v, where %d goes before %d", s.seen.x[:s.seen.n], o.first, o.second))
		}
	}
}

// explore visits every state that can be reached, and returns how many, and the first thing that is wrong.
func (c *modelScenario) explore(fault modelFault) (states int, ends map[modelList]struct{}, wrong any) {
	defer func() { wrong = recover() }()
	start := modelStart()
	start.order(c.workers)
	ends = map[modelList]struct{}{}
	seen := map[modelState]struct{}{start: {}}
	stack := []modelState{start}
	m := &modelStep{modelScenario: c, fault: fault}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		states++
		m.out = m.out[:0]
		for i := range c.workers {
			m.s, m.i = s, uint8(i)
			m.step()
		}
		if len(m.out) == 0 {
			c.end(s)
			ends[s.seen] = struct{}{}
		}
		for _, n := range m.out {
			n.order(c.workers)
			if _, ok := seen[n]; !ok {
				seen[n] = struct{}{}
				stack = append(stack, n)
			}
		}
	}
	return states, ends, nil
}

func TestModelOfDelivery(t *testing.T) {
	for _, c := range modelScenarios {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			states, ends, wrong := c.explore(noFault)
			require.Nil(t, wrong)
			t.Logf("%d states, C sees %d orders", states, len(ends))
			assert.NotEmpty(t, ends)
		})
	}
}

// The search is worth something only if it finds what is wrong.
func TestModelFindsFaults(t *testing.T) {
	for name, fault := range map[string]modelFault{
		"local push without moving the remote part":    localPushWithoutDrain,
		"local push that leaves what was late":         localPushIgnoresLate,
		"shared with its home kept":                    homeKeptWhenShared,
		"release that keeps the home":                  homeKeptByRelease,
		"release without compare-and-swap":             releaseStores,
		"release that leaves what was late":            releaseIgnoresLate,
		"claim without compare-and-swap":               claimStores,
		"claim while the outbox holds something":       claimWhileHeld,
		"a claim of an owned box":                      everyPushOwns,
		"a push to an idle box that does not own it":   idlePushDoesNotOwn,
		"published before all are linked":              publishedBeforeLinked,
		"no stop at what is not published":             takesUnpublished,
		"nodes of one group looked at by themselves":   nodesByThemselves,
		"nodes of one box linked newest first":         linkedNewestFirst,
		"shared without a flush":                       shareWithoutFlush,
		"adopted without a flush":                      adoptWithoutFlush,
		"released without a flush":                     releaseWithoutFlush,
		"told by another way than a message, no flush": tellWithoutFlush,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			total := 0
			for _, c := range modelScenarios {
				states, _, wrong := c.explore(fault)
				if total += states; wrong != nil {
					t.Logf("after %d states: %v", total, wrong)
					return
				}
			}
			assert.Fail(t, "not found", "%d states", total)
		})
	}
}
