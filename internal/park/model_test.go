package park

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An exhaustive search over the protocol in the package comment, one shared access a step: workers that search, sleep
// and run, and two goroutines outside that push work for anybody, or for worker 0 alone, and then wake. A behaviour may
// run for ever; so it is a fault already if work waits, a worker sleeps, and nothing but the end of a behaviour or a
// new push could change that.

type modelFault uint8

const (
	noFault modelFault = iota
	noLastLook
	lastLookWithoutPinned
	lastLookOnlyBySearchers
	lastLookDoesNotSearch
	noSecondLook
	secondLookBeforeLeaving
	retractForgetsPermit
	wakeKeepsAnnouncement
	wakeWithoutLook
	permitRoleForgotten
	beginSearchStores
)

const (
	modelWorkers = 3 // at most
	modelPushers = 2
)

type modelPC uint8

const (
	absent modelPC = iota // there are fewer workers
	atTake
	atBegin
	atBeginStore // only where beginSearchStores
	atSearch
	atEndNothing
	atEndFound
	atSecondLook
	atWakeLook
	atWake
	atRun
	atAnnounce
	atLastLookPinned
	atLastLookShared
	atRetract
	atRetractBegin
	atSleep
)

type modelWorker struct {
	pc        modelPC
	searching bool // as it believes
	searched  bool // before this announcement
	more      bool // only where secondLookBeforeLeaving
	announced bool
	permits   [2]uint8 // by role
	pinned    uint8
}

type modelPusher struct {
	left  uint8
	stage uint8 // 0 may push, 1 WakeOne's look, 2 WakeOne, 3 WakeWorker(0)
}

type modelState struct {
	shared, searching uint8
	workers           [modelWorkers]modelWorker
	pushers           [modelPushers]modelPusher
}

type modelRun struct {
	workers int
	fault   modelFault
}

func (r modelRun) grant(s *modelState, i int, role Role) {
	w := &s.workers[i]
	if r.fault != wakeKeepsAnnouncement {
		w.announced = false
	}
	if w.permits[Plain]+w.permits[Searcher] > 0 {
		panic(fmt.Sprintf("worker %d gets a second permit", i))
	}
	w.permits[role]++
}

func (r modelRun) sleeper(s *modelState) int {
	for i := range s.workers {
		if s.workers[i].announced {
			return i
		}
	}
	return -1
}

// mayWake is WakeOne's look; it may go wrong only in being out of date.
func (r modelRun) mayWake(s *modelState) bool {
	return r.sleeper(s) >= 0 && (s.searching == 0 || r.fault == wakeWithoutLook)
}

func (r modelRun) wakeOne(s *modelState) {
	if r.mayWake(s) {
		s.searching++
		r.grant(s, r.sleeper(s), Searcher)
	}
}

func (s *modelState) check() {
	if s.searching > 1 {
		panic(fmt.Sprintf("%d searchers", s.searching))
	}
}

// worker appends the step of worker i, and reports whether it is one that comes by itself.
func (r modelRun) worker(s modelState, i int) (next modelState, can, itself bool) {
	w := &s.workers[i]
	itself = true
	switch w.pc {
	case absent:
		return s, false, false
	case atTake:
		found := false
		if w.pinned > 0 {
			w.pinned--
			found = true
		} else if s.shared > 0 {
			s.shared--
			found = true
		}
		w.more = s.shared > 0 && found && r.fault == secondLookBeforeLeaving
		switch {
		case found && w.searching:
			w.pc = atEndFound
		case found:
			w.pc = atRun
		case w.searching:
			w.pc = atSearch
		default:
			w.pc = atBegin
		}
	case atBegin, atRetractBegin:
		begun := s.searching == 0
		if begun && r.fault == beginSearchStores {
			w.pc = atBeginStore
			break
		}
		if begun {
			s.searching, w.searching = 1, true
		}
		switch {
		case w.pc == atRetractBegin:
			w.pc = atTake
		case begun:
			w.pc = atSearch
		default:
			w.pc = atAnnounce
		}
	case atBeginStore:
		s.searching++
		w.searching = true
		w.pc = atTake
	case atSearch:
		w.pc = atEndNothing
		if s.shared > 0 {
			s.shared--
			w.pc = atEndFound
			w.more = s.shared > 0 && r.fault == secondLookBeforeLeaving
		}
	case atEndNothing, atEndFound:
		if s.searching--; s.searching > 1 {
			panic("the count of searchers is below zero")
		}
		w.searching = false
		if w.pc == atEndNothing {
			w.pc, w.searched = atAnnounce, true
		} else {
			w.pc = atSecondLook
		}
	case atSecondLook:
		w.pc = atRun
		look := s.shared > 0
		switch r.fault {
		case noSecondLook:
			look = false
		case secondLookBeforeLeaving:
			look = w.more
		}
		if look {
			w.pc = atWakeLook
		}
		w.more = false
	case atWakeLook:
		if w.pc = atRun; r.mayWake(&s) {
			w.pc = atWake
		}
	case atWake:
		r.wakeOne(&s)
		w.pc = atRun
	case atRun:
		w.pc = atTake
		itself = false
	case atAnnounce:
		w.announced = true
		w.pc = atLastLookPinned
		if r.fault == noLastLook || r.fault == lastLookOnlyBySearchers && !w.searched {
			w.pc = atSleep
		}
		w.searched = false
	case atLastLookPinned:
		if w.pc = atLastLookShared; w.pinned > 0 && r.fault != lastLookWithoutPinned {
			w.pc = atRetract
		}
	case atLastLookShared:
		if w.pc = atSleep; s.shared > 0 {
			w.pc = atRetract
		}
	case atRetract:
		w.pc = atRetractBegin
		if r.fault == lastLookDoesNotSearch {
			w.pc = atTake
		}
		if w.announced {
			w.announced = false
		} else if r.fault != retractForgetsPermit {
			if w.permits[Plain]+w.permits[Searcher] != 1 {
				panic(fmt.Sprintf("worker %d has neither announcement nor permit", i))
			}
			if w.permits[Searcher] > 0 {
				w.searching, w.pc = true, atTake
			}
			w.permits = [2]uint8{}
		}
	case atSleep:
		if w.permits[Plain]+w.permits[Searcher] == 0 {
			return s, false, false
		}
		w.searching = w.permits[Searcher] > 0 && r.fault != permitRoleForgotten
		w.permits = [2]uint8{}
		w.pc = atTake
	}
	s.check()
	return s, true, itself
}

// pusher appends the steps of pusher j, and reports whether they come by themselves.
func (r modelRun) pusher(s modelState, j int, out []modelState) (_ []modelState, itself bool) {
	p := &s.pushers[j]
	switch p.stage {
	case 0:
		if p.left == 0 {
			return out, false
		}
		p.left--
		pinned := s
		s.shared++
		p.stage = 1
		out = append(out, s)
		pinned.workers[0].pinned++
		pinned.pushers[j].stage = 3
		return append(out, pinned), false
	case 1:
		if p.stage = 0; r.mayWake(&s) {
			p.stage = 2
		}
	case 2:
		p.stage = 0
		r.wakeOne(&s)
	case 3:
		p.stage = 0
		if s.workers[0].announced {
			r.grant(&s, 0, Plain)
		}
	}
	s.check()
	return append(out, s), true
}

// stuck panics when work waits beside a worker that sleeps, in a state in which nothing goes on by itself.
func (s *modelState) stuck() {
	for i, w := range s.workers {
		asleep := w.pc == atSleep && w.permits[Plain]+w.permits[Searcher] == 0
		if asleep && (s.shared > 0 || w.pinned > 0) {
			panic(fmt.Sprintf("worker %d sleeps beside work: %+v", i, *s))
		}
	}
	if s.searching > 0 {
		panic(fmt.Sprintf("nobody searches, but the count says so: %+v", *s))
	}
}

func (r modelRun) explore() (states, ends int, wrong any) {
	defer func() { wrong = recover() }()
	var start modelState
	for i := range r.workers {
		start.workers[i].pc = atTake
	}
	start.pushers = [modelPushers]modelPusher{{left: 2}, {left: 1}}
	seen := map[modelState]struct{}{start: {}}
	queue := []modelState{start}
	var next []modelState
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		states++
		next = next[:0]
		progress := false
		for i := range s.workers {
			n, can, itself := r.worker(s, i)
			if can {
				next = append(next, n)
				progress = progress || itself
			}
		}
		for j := range s.pushers {
			var itself bool
			next, itself = r.pusher(s, j, next)
			progress = progress || itself
		}
		if !progress {
			s.stuck()
		}
		if len(next) == 0 {
			ends++
		}
		for _, n := range next {
			if _, ok := seen[n]; !ok {
				seen[n] = struct{}{}
				queue = append(queue, n)
			}
		}
	}
	return states, ends, nil
}

func TestModelOfSleepAndWake(t *testing.T) {
	for workers := 1; workers <= modelWorkers; workers++ {
		states, ends, wrong := modelRun{workers: workers}.explore()
		require.Nil(t, wrong, "%d workers", workers)
		assert.Equal(t, 1, ends, "it can only end with all asleep and nothing left")
		t.Logf("%d workers: %d states", workers, states)
	}
}

// The search is worth something only if it finds what is wrong.
func TestModelFindsFaults(t *testing.T) {
	for name, fault := range map[string]modelFault{
		"no last look": noLastLook,
		"a last look that leaves out the pinned queue":   lastLookWithoutPinned,
		"a last look only by those who searched":         lastLookOnlyBySearchers,
		"a last look that found work does not search":    lastLookDoesNotSearch,
		"a searcher that found work does not look again": noSecondLook,
		"a searcher that looks before it has left":       secondLookBeforeLeaving,
		"Retract forgets the permit":                     retractForgetsPermit,
		"WakeOne does not take the announcement away":    wakeKeepsAnnouncement,
		"WakeOne does not see the searcher":              wakeWithoutLook,
		"who is woken forgets that it searches":          permitRoleForgotten,
		"BeginSearch without compare-and-swap":           beginSearchStores,
	} {
		t.Run(name, func(t *testing.T) {
			states, _, wrong := modelRun{workers: modelWorkers, fault: fault}.explore()
			assert.NotNil(t, wrong)
			t.Logf("after %d states: %v", states, wrong)
		})
	}
}
