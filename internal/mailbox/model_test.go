package mailbox

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An exhaustive search over the steps of Box, one shared access a step, with three workers and three actors. What a
// scheduler decides by hints (run on or yield, keep private or share) is left open, so every choice is tried.
//
// Actor A sends 5 and 6 to C and then n to B; B, when it starts, sends 4 to C, and on n sends 7. So C must see
// 5 before 6 before 7, and 4 before 7: the last is what B knew of when it sent. C answers 5 with a message to itself.

type modelFault uint8

const (
	noFault modelFault = iota
	localPushWithoutDrain
	homeKeptWhenShared
	homeKeptByRelease
	releaseStores
	claimStores
	everyPushOwns
	idlePushDoesNotOwn
)

const (
	modelWorkers = 3
	actorA       = 0
	actorB       = 1
	actorC       = 2
	modelActors  = 3
	nobody       = 0xff // no owner
	inQueue      = 0xfe // owned by the shared queue
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
)

type modelSend struct{ to, msg uint8 }

var modelScript = [...][]modelSend{
	msgGo:    {{actorC, msg5}, {actorC, msg6}, {actorB, msgN}},
	msgStart: {{actorC, msg4}},
	msgN:     {{actorC, msg7}},
	msg5:     {{actorC, msgSelf}},
	msgSelf:  nil,
}

// modelBefore says what C must see in which order, and with that what it must see.
var modelBefore = []struct{ first, second uint8 }{{msg5, msg6}, {msg6, msg7}, {msg4, msg7}, {msg5, msgSelf}}

const modelSeen = 5

type modelList struct {
	n uint8
	x [6]uint8
}

func (l *modelList) push(x uint8) { l.x[l.n] = x; l.n++ }

func (l *modelList) pop() (x uint8) {
	x = l.x[0]
	copy(l.x[:], l.x[1:])
	l.n--
	l.x[l.n] = 0
	return x
}

type modelBox struct {
	idle          bool
	home, owner   uint8 // owner is known to the model only
	remote, local modelList
}

func (b *modelBox) drain() {
	for b.remote.n > 0 {
		b.local.push(b.remote.pop())
	}
}

type modelPC uint8

const (
	atLoop modelPC = iota
	atSetHome
	atNext
	atSend // reads the home of the receiver
	atPushLocal
	atClaim
	atClaimStore // only where claimStores
	atPushLocalAsOwner
	atPushRemote
	atEnqueue
	atShareHome
	atShareQueue
	atAfter // the message is handled: run on or yield
	atReleaseLook
	atReleaseHome
	atReleaseSwap
)

type modelWorker struct {
	pc      modelPC
	actor   uint8 // that it runs
	msg, at uint8 // the message handled, and the send of its script
	target  uint8 // the actor to enqueue
	private modelList
}

type modelState struct {
	boxes   [modelActors]modelBox
	workers [modelWorkers]modelWorker
	shared  modelList
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
		s.shared.push(uint8(a))
	}
	for w := range s.workers {
		s.workers[w].actor = nobody
	}
	return s
}

// modelStep appends the states that worker i can go to. It panics with a string where an invariant breaks.
func modelStep(s modelState, i uint8, fault modelFault, out []modelState) []modelState {
	w := &s.workers[i]
	own := func(a uint8, from uint8) {
		if s.boxes[a].owner != from {
			panic(fmt.Sprintf("worker %d takes actor %d, which is owned by %d", i, a, s.boxes[a].owner))
		}
		s.boxes[a].owner = i
	}
	mine := func(a uint8) *modelBox {
		if s.boxes[a].owner != i {
			panic(fmt.Sprintf("worker %d touches the local part of actor %d, which is owned by %d", i, a, s.boxes[a].owner))
		}
		return &s.boxes[a]
	}
	emit := func() { out = append(out, s) }
	sent := func() { // the send is done: the next one, or the message is handled
		w.target = 0
		if w.at++; int(w.at) < len(modelScript[w.msg]) {
			w.pc = atSend
		} else {
			w.pc, w.msg, w.at = atAfter, 0, 0
		}
	}
	enqueued := func() {
		if w.target == w.actor { // that was a yield
			w.pc, w.actor, w.target = atLoop, nobody, 0
		} else {
			sent()
		}
	}
	var send modelSend
	if w.pc >= atSend && w.pc <= atPushRemote {
		send = modelScript[w.msg][w.at]
	}
	switch w.pc {
	case atLoop:
		before := s
		if w.private.n > 0 {
			w.actor = w.private.pop()
			w.pc = atNext
			emit()
			s = before
		}
		if s.shared.n > 0 {
			w.actor = s.shared.pop()
			own(w.actor, inQueue)
			w.pc = atSetHome
			emit()
		}
	case atSetHome:
		s.boxes[w.actor].home = i
		w.pc = atNext
		emit()
	case atNext:
		b := mine(w.actor)
		if b.local.n == 0 {
			b.drain()
		}
		if b.local.n == 0 {
			w.pc = atReleaseLook
			emit()
			break
		}
		w.msg = b.local.pop()
		if w.actor == actorC {
			s.seen.push(w.msg)
		}
		if w.pc = atSend; int(w.msg) >= len(modelScript) || len(modelScript[w.msg]) == 0 {
			w.pc, w.msg = atAfter, 0
		}
		emit()
	case atSend:
		w.pc = atClaim
		if s.boxes[send.to].home == i {
			w.pc = atPushLocal
		}
		emit()
	case atPushLocal, atPushLocalAsOwner:
		b := mine(send.to)
		if fault != localPushWithoutDrain {
			b.drain()
		}
		b.local.push(send.msg)
		if w.pc == atPushLocal {
			sent()
		} else {
			w.pc, w.target = atEnqueue, send.to
		}
		emit()
	case atClaim:
		switch b := &s.boxes[send.to]; {
		case !b.idle:
			w.pc = atPushRemote
		case fault == claimStores:
			w.pc = atClaimStore
		default:
			b.idle = false
			own(send.to, nobody)
			w.pc = atPushLocalAsOwner
		}
		emit()
	case atClaimStore:
		s.boxes[send.to].idle = false
		s.boxes[send.to].remote = modelList{}
		own(send.to, nobody)
		w.pc = atPushLocalAsOwner
		emit()
	case atPushRemote:
		b := &s.boxes[send.to]
		owner := b.idle && fault != idlePushDoesNotOwn || fault == everyPushOwns
		b.idle = false
		b.remote.push(send.msg)
		if owner {
			own(send.to, nobody)
			w.pc, w.target = atEnqueue, send.to
		} else {
			sent()
		}
		emit()
	case atEnqueue:
		before := s
		s.boxes[w.target].home = i
		w.private.push(w.target)
		enqueued()
		emit()
		s = before
		w.pc = atShareHome
		emit()
	case atShareHome:
		if fault != homeKeptWhenShared {
			s.boxes[w.target].home = nobody
		}
		w.pc = atShareQueue
		emit()
	case atShareQueue:
		mine(w.target).owner = inQueue
		s.shared.push(w.target)
		enqueued()
		emit()
	case atAfter:
		w.pc = atNext
		emit()
		w.pc = atReleaseLook
		emit()
	case atReleaseLook:
		b := mine(w.actor)
		if w.pc = atReleaseHome; b.local.n > 0 || b.remote.n > 0 {
			w.pc, w.target = atEnqueue, w.actor
		}
		emit()
	case atReleaseHome:
		if fault != homeKeptByRelease {
			mine(w.actor).home = nobody
		}
		w.pc = atReleaseSwap
		emit()
	case atReleaseSwap:
		b := mine(w.actor)
		if b.remote.n > 0 && fault != releaseStores {
			w.pc, w.target = atEnqueue, w.actor
		} else {
			b.remote = modelList{}
			b.idle, b.owner = true, nobody
			w.pc, w.actor = atLoop, nobody
		}
		emit()
	}
	return out
}

// modelEnd checks a state from which no worker can go on.
func modelEnd(s modelState) {
	for a, b := range s.boxes {
		if !b.idle || b.owner != nobody || b.local.n+b.remote.n > 0 {
			panic(fmt.Sprintf("actor %d is left behind: %+v", a, b))
		}
	}
	if s.seen.n != modelSeen {
		panic(fmt.Sprintf("C has seen %d messages, not %d", s.seen.n, modelSeen))
	}
	at := map[uint8]int{}
	for k, m := range s.seen.x[:s.seen.n] {
		at[m] = k + 1
	}
	for _, o := range modelBefore {
		if at[o.first] == 0 || at[o.second] == 0 || at[o.first] > at[o.second] {
			panic(fmt.Sprintf("C has seen %v, where %d goes before %d", s.seen.x[:s.seen.n], o.first, o.second))
		}
	}
}

// exploreModel visits every state that can be reached, and returns how many, and the first thing that is wrong.
func exploreModel(fault modelFault) (states, ends int, wrong any) {
	defer func() { wrong = recover() }()
	start := modelStart()
	seen := map[modelState]struct{}{start: {}}
	stack := []modelState{start}
	var next []modelState
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		states++
		next = next[:0]
		for i := range s.workers {
			next = modelStep(s, uint8(i), fault, next)
		}
		if len(next) == 0 {
			modelEnd(s)
			ends++
		}
		for _, n := range next {
			if _, ok := seen[n]; !ok {
				seen[n] = struct{}{}
				stack = append(stack, n)
			}
		}
	}
	return states, ends, nil
}

func TestModelOfDelivery(t *testing.T) {
	states, ends, wrong := exploreModel(noFault)
	require.Nil(t, wrong)
	t.Logf("%d states, %d ends", states, ends)
	assert.Greater(t, ends, 10, "C has seen the messages in several orders")
}

// The search is worth something only if it finds what is wrong.
func TestModelFindsFaults(t *testing.T) {
	for name, fault := range map[string]modelFault{
		"local push without moving the remote part":  localPushWithoutDrain,
		"shared with its home kept":                  homeKeptWhenShared,
		"release that keeps the home":                homeKeptByRelease,
		"release without compare-and-swap":           releaseStores,
		"claim without compare-and-swap":             claimStores,
		"a push to an owned box that claims it":      everyPushOwns,
		"a push to an idle box that does not own it": idlePushDoesNotOwn,
	} {
		t.Run(name, func(t *testing.T) {
			states, _, wrong := exploreModel(fault)
			assert.NotNil(t, wrong)
			t.Logf("after %d states: %v", states, wrong)
		})
	}
}
