package gang

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An exhaustive search over the protocol of doc.go, one shared access a step: a caller that has rounds done, with itself or by
// Delegate, workers that come and go, a share that adds one, and a timer that sends sleepers away at any time, so many times.
// In the end the gang is closed. A state from which nobody can go on, but with all ended, is a fault, and so is a round that
// ends before its shares have.

type modelFault uint8

const (
	noFault modelFault = iota
	noLastLook
	noLookAfterLeaving
	finishWakesNobody
	sleepWithoutLook
	endIgnoresRunning
	retractForgetsPermit
	summonBeforeOpen
	modelFaults
)

const modelWorkers = 2

type modelPC uint8

const (
	gone modelPC = iota
	atClaim
	atRun
	atAdd
	atAddSummon // looks for idle workers
	atAddGive   // takes one
	atFinish
	atRest
	atLook
	atRetract
	atSleep
	atVacate
	atVacated // the look after that
	atLeaveGive

	callerOpen
	callerSummon
	callerGive
	callerAwait
	callerSleep
	callerEnd
	callerClose
	callerOver
)

// modelActor is a participant: the caller, a worker, or a goroutine that has given its number away and looks once more.
type modelActor struct {
	pc     modelPC
	adds   bool  // its share has the right to add
	wanted uint8 // workers still to be summoned
}

type modelState struct {
	total, claimed, running uint8
	sleeps                  bool // the mark in the word
	permit                  uint8
	canAdd                  bool // the share that is claimed next may add one
	caller                  modelActor
	workers                 [modelWorkers]modelActor
	former                  [modelWorkers]modelActor // goroutines after vacate
	asleep, vacant          uint8                    // bits by worker
	work, leave             uint8                    // permits of workers, bits
	over                    bool
	rounds, timers          uint8 // left
	ran, due                uint8 // shares of this round that have run, and that are to
}

type model struct {
	fault    modelFault
	delegate bool
	// callerAdds: the share that adds is the caller's own, else the first that is claimed after the round was opened.
	callerAdds bool
	shares     uint8
	seen       map[modelState]bool
	moved      bool // somebody could go on
	todo       []modelState
	faults     []string
}

func (m *model) say(s *modelState, what string) {
	if len(m.faults) < 3 {
		m.faults = append(m.faults, fmt.Sprintf("%s: %+v", what, *s))
	}
}

func (m *model) push(s modelState) {
	m.moved = true
	if !m.seen[s] {
		m.seen[s] = true
		m.todo = append(m.todo, s)
	}
}

func (s *modelState) isOver(m *model) bool {
	return s.claimed == s.total && (s.running == 0 || m.fault == endIgnoresRunning)
}

// claim is a claim's compare-and-swap.
func (s *modelState) claim(a *modelActor) bool {
	if s.claimed == s.total {
		return false
	}
	s.claimed++
	s.running++
	a.pc, a.adds = atRun, s.canAdd
	s.canAdd = false
	return true
}

func (s *modelState) idle() bool { return s.asleep|s.vacant != 0 }

// give is what summonOne does; the permit comes in the same step, since the one it is for can only wait for it.
func (m *model) give(s *modelState) {
	for w := range uint8(modelWorkers) {
		if s.asleep>>w&1 == 1 && !s.over {
			if (s.work|s.leave)>>w&1 == 1 {
				m.say(s, "no room for a permit")
			}
			s.asleep &^= 1 << w
			s.work |= 1 << w
			return
		}
	}
	for w := range uint8(modelWorkers) {
		if s.vacant>>w&1 == 1 && !s.over {
			s.vacant &^= 1 << w
			s.workers[w] = modelActor{pc: atClaim}
			return
		}
	}
}

// sendAway tells all sleepers to leave.
func (m *model) sendAway(s *modelState) {
	if (s.work|s.leave)&s.asleep != 0 {
		m.say(s, "no room for a permit")
	}
	s.leave |= s.asleep
	s.asleep = 0
}

// finish is the step that ends a share and claims the next one. next is where the participant goes without one.
func (m *model) finish(s *modelState, a *modelActor, next modelPC) {
	s.running--
	s.ran++
	a.adds = false
	if s.isOver(m) && s.sleeps && m.fault != finishWakesNobody {
		s.sleeps = false
		s.permit++
	}
	if !s.claim(a) {
		a.pc = next
	}
}

// share does a step of who runs a share, and reports whether that was one.
func (m *model) share(s *modelState, a *modelActor, next modelPC) bool {
	switch a.pc {
	case atRun:
		a.pc = atFinish
		if a.adds {
			a.pc = atAdd
		}
	case atAdd:
		s.total++
		s.due++
		if s.sleeps {
			s.sleeps = false
			s.permit++
		}
		a.pc = atAddSummon
	case atAddSummon:
		a.pc = atFinish
		if s.idle() {
			a.pc = atAddGive
		}
	case atAddGive:
		m.give(s)
		a.pc = atFinish
	case atFinish:
		m.finish(s, a, next)
	default:
		return false
	}
	return true
}

func (m *model) caller(s modelState) {
	a := &s.caller
	if m.share(&s, a, callerAwait) {
		m.push(s)
		return
	}
	switch a.pc {
	case callerOpen:
		if s.rounds == 0 {
			a.pc = callerClose
			break
		}
		s.rounds--
		s.ran, s.due = 0, m.shares
		a.wanted = m.shares
		if !m.delegate {
			a.wanted--
		}
		if m.fault == summonBeforeOpen {
			a.pc = callerSummon
			break
		}
		m.open(&s)
		a.pc = callerSummon
	case callerSummon:
		a.pc = callerGive
		if a.wanted == 0 || !s.idle() {
			if m.fault == summonBeforeOpen {
				m.open(&s)
			}
			a.pc = callerAwait
			if !m.delegate {
				a.pc, a.adds = atRun, m.callerAdds
			}
		}
	case callerGive:
		m.give(&s)
		a.wanted--
		a.pc = callerSummon
	case callerAwait:
		switch {
		case s.isOver(m) && m.fault != sleepWithoutLook:
			a.pc = callerEnd
		case !m.delegate && s.claim(a):
		default: // the mark is set by a swap that fails if the word has changed since the look
			s.sleeps = true
			a.pc = callerSleep
		}
	case callerSleep:
		if s.permit == 0 {
			return
		}
		s.permit--
		a.pc = callerAwait
		if s.isOver(m) {
			a.pc = callerEnd
		}
	case callerEnd:
		if s.ran != s.due || s.running != 0 {
			m.say(&s, "a round has ended before its shares")
			return
		}
		a.pc = callerOpen
	case callerClose:
		s.over = true
		m.sendAway(&s)
		a.pc = callerOver
	default:
		return
	}
	m.push(s)
}

func (m *model) open(s *modelState) {
	s.total, s.claimed, s.running, s.canAdd = m.shares, 0, 0, !m.callerAdds
	if !m.delegate {
		s.claimed, s.running = 1, 1
	}
}

func (m *model) worker(s modelState, w int) {
	a, bit := &s.workers[w], uint8(1)<<w
	if m.share(&s, a, atRest) {
		m.push(s)
		return
	}
	switch a.pc {
	case atClaim:
		if !s.claim(a) {
			a.pc = atRest
		}
	case atRest:
		if s.over {
			a.pc = atVacate
			break
		}
		s.asleep |= bit
		a.pc = atLook
	case atLook:
		a.pc = atSleep
		if s.claimed != s.total && m.fault != noLastLook {
			a.pc = atRetract
		}
	case atRetract:
		a.pc = atSleep
		if s.asleep&bit != 0 || m.fault == retractForgetsPermit {
			s.asleep &^= bit
			a.pc = atClaim
		}
	case atSleep:
		switch {
		case s.work&bit != 0:
			s.work &^= bit
			a.pc = atClaim
		case s.leave&bit != 0:
			s.leave &^= bit
			a.pc = atVacate
		default:
			return
		}
	case atVacate:
		if s.former[w].pc != gone {
			return // let the one before look first: that it does so late is tried without another after it
		}
		s.vacant |= bit
		*a = modelActor{}
		s.former[w].pc = atVacated
	default:
		return
	}
	m.push(s)
}

func (m *model) leaver(s modelState, i int) {
	a := &s.former[i]
	switch a.pc {
	case atVacated:
		a.pc = gone
		if s.claimed != s.total && s.idle() && m.fault != noLookAfterLeaving {
			a.pc = atLeaveGive
		}
	case atLeaveGive:
		m.give(&s)
		a.pc = gone
	default:
		return
	}
	m.push(s)
}

// timer sends sleepers away.
func (m *model) timer(s modelState) {
	if s.timers == 0 || s.over || s.asleep == 0 {
		return
	}
	s.timers--
	m.sendAway(&s)
	m.push(s)
}

// ended reports whether nothing is left to do.
func (s *modelState) ended() bool {
	return s.caller.pc == callerOver && s.workers == [modelWorkers]modelActor{} && s.former == [modelWorkers]modelActor{} &&
		s.work == 0 && s.leave == 0 && s.permit == 0 && s.asleep == 0
}

// search returns the number of states, and what is wrong.
func (m *model) search() (states int, faults []string) {
	m.seen = map[modelState]bool{}
	m.push(modelState{caller: modelActor{pc: callerOpen}, vacant: 1<<modelWorkers - 1, rounds: 2, timers: 1})
	for len(m.todo) > 0 && len(m.faults) == 0 {
		s := m.todo[len(m.todo)-1]
		m.todo = m.todo[:len(m.todo)-1]
		m.moved = false
		m.caller(s)
		for w := range modelWorkers {
			m.worker(s, w)
			m.leaver(s, w)
		}
		if !m.moved && !s.ended() { // the timer is no excuse: it comes a second later
			m.say(&s, "nobody goes on")
		}
		m.timer(s)
	}
	return len(m.seen), m.faults
}

// modelCases are what the search is done for: forms of dispatch, shares, and who adds.
func modelCases(fault modelFault) (all []*model) {
	for _, delegate := range []bool{false, true} {
		for shares := range uint8(3) {
			all = append(all, &model{fault: fault, delegate: delegate, shares: shares + 1})
		}
	}
	return append(all, &model{fault: fault, shares: 1, callerAdds: true}, &model{fault: fault, shares: 2, callerAdds: true})
}

func TestModelOfTheGang(t *testing.T) {
	all := 0
	for _, m := range modelCases(noFault) {
		states, faults := m.search()
		require.Empty(t, faults, "delegate %v, %d shares", m.delegate, m.shares)
		all += states
	}
	t.Logf("%d states", all)
	require.Greater(t, all, 100_000)
}

// Without any one of its steps the protocol fails.
func TestModelFindsFaults(t *testing.T) {
	for fault := noFault + 1; fault < modelFaults; fault++ {
		found := 0
		for _, m := range modelCases(fault) {
			if _, faults := m.search(); len(faults) > 0 {
				found++
			}
		}
		assert.NotZero(t, found, "fault %d is none", fault)
	}
}
