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
//
// Where there is a spare worker, it is the last one. A monitor activates it and tells it to leave, at any time; its
// behaviours may queue work privately. Whoever takes a last look that finds nothing, or retires, looks whether all is
// over, and somebody must have found that in the end. A stop may come at any time.

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
	leaveForgetsSearching
	leaveWithoutSecondLook
	leaveWithoutQuiet
	leaveWithoutStop
	leaveKeepsPrivate
	leaveKeepsPinned
	pinIgnoresRetired
	lastLookWithoutLeaving
	lastLookWithoutStop
	leavingAfterWake
	activateWithoutPermit
	wakeAllForgetsRetired
	retiredCounts
)

const (
	modelWorkers = 3 // at most
	modelPushers = 2
)

type modelPC uint8

const (
	absent modelPC = iota // there are fewer workers
	atTop
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
	atLastLookFlags
	atLastLookPinned
	atLastLookShared
	atRetract
	atRetractBegin
	atQuiet
	atSleep
	atStopped // leaves the searching state, and ends
	atEnded
	// of a spare worker that leaves
	atLeaveEnd
	atUnload
	atRetire
	atRetiredStop
	atRetiredRetract
	atUnpin
	atLeaveSecondLook
	atLeaveWakeLook
	atLeaveWake
	atLeaveQuiet
	atRetired
)

type modelWorker struct {
	pc        modelPC
	searching bool // as it believes
	searched  bool // before this announcement
	more      bool // only where secondLookBeforeLeaving
	announced bool
	permits   [2]uint8 // by role
	pinned    uint8
	private   uint8 // of the spare worker
	retired   bool  // as the lot sees it
	cancelled bool  // it need not leave after all
}

type modelPusher struct {
	left  uint8
	stage uint8 // 0 may push, 1 WakeOne's look, 2 WakeOne, 3 WakeWorker(0); 4 WakeWorker(spare), 5 the look whether it is retired
}

type modelState struct {
	shared, searching uint8
	workers           [modelWorkers]modelWorker
	pushers           [modelPushers]modelPusher

	told             bool  // the end was found, and nothing has come since
	post             uint8 // of the spare worker
	sends            uint8 // that its behaviours may do
	activations      uint8 // left
	monitor, stopper uint8 // stages: 0 nothing begun; 1, 2 see there
	stopping         bool
}

type modelRun struct {
	workers     int  // with the spare one
	spare, stop bool // there is one; there may be a stop
	fault       modelFault
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
	case absent, atEnded:
		return s, false, false
	case atTop:
		switch {
		case s.stopping:
			w.pc = atStopped
		case r.isSpare(i) && s.post == modelLeaving:
			w.pc = atLeaveEnd
		default:
			w.pc = atTake
		}
	case atStopped:
		if w.searching {
			s.searching--
			w.searching = false
		}
		w.pc = atEnded
	case atTake:
		found := false
		if w.private > 0 {
			w.private--
			found = true
		} else if w.pinned > 0 {
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
			w.pc = atTop
		case begun:
			w.pc = atSearch
		default:
			w.pc = atAnnounce
		}
	case atBeginStore:
		s.searching++
		w.searching = true
		w.pc = atTop
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
		w.pc = atTop
		itself = false
	case atAnnounce:
		w.announced = true
		w.pc = atLastLookFlags
		if r.fault == noLastLook || r.fault == lastLookOnlyBySearchers && !w.searched {
			w.pc = atSleep
		}
		w.searched = false
	case atLastLookFlags:
		w.pc = atLastLookPinned
		if s.stopping && r.fault != lastLookWithoutStop ||
			r.isSpare(i) && s.post == modelLeaving && r.fault != lastLookWithoutLeaving {
			w.pc = atRetract
		}
	case atLastLookPinned:
		if w.pc = atLastLookShared; w.pinned > 0 && r.fault != lastLookWithoutPinned {
			w.pc = atRetract
		}
	case atLastLookShared:
		if w.pc = atQuiet; s.shared > 0 {
			w.pc = atRetract
		}
	case atQuiet:
		r.quiet(&s)
		w.pc = atSleep
	case atRetract:
		w.pc = atRetractBegin
		if r.fault == lastLookDoesNotSearch {
			w.pc = atTop
		}
		if w.announced {
			w.announced = false
		} else if r.fault != retractForgetsPermit {
			if w.permits[Plain]+w.permits[Searcher] != 1 {
				panic(fmt.Sprintf("worker %d has neither announcement nor permit", i))
			}
			if w.permits[Searcher] > 0 {
				w.searching, w.pc = true, atTop
			}
			w.permits = [2]uint8{}
		}
	case atSleep:
		if w.permits[Plain]+w.permits[Searcher] == 0 {
			return s, false, false
		}
		w.searching = w.permits[Searcher] > 0 && r.fault != permitRoleForgotten
		w.permits = [2]uint8{}
		w.pc = atTop
	default:
		if !r.leave(&s, w) {
			return s, false, false
		}
	}
	if !r.spare && !r.stop { // steps that do nothing then
		switch w.pc {
		case atTop:
			w.pc = atTake
		case atLastLookFlags:
			w.pc = atLastLookPinned
		case atQuiet:
			w.pc = atSleep
		}
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
		s.told = false
		pinned := s
		s.shared++
		p.stage = 1
		out = append(out, s)
		if r.spare {
			toSpare := pinned
			toSpare.workers[r.workers-1].pinned++
			toSpare.pushers[j].stage = 4
			out = append(out, toSpare)
		}
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
	case 4:
		p.stage = 5
		if s.workers[r.workers-1].announced {
			r.grant(&s, r.workers-1, Plain)
		}
	case 5:
		p.stage = 0
		if s.post == modelRetired && r.fault != pinIgnoresRetired {
			w := &s.workers[r.workers-1]
			s.shared += w.pinned
			w.pinned = 0
			p.stage = 1
		}
	}
	s.check()
	return append(out, s), true
}

// stuck panics when work waits beside a worker that sleeps, in a state in which nothing goes on by itself.
func (r modelRun) stuck(s *modelState) {
	awake, queued := 0, s.shared > 0
	for i, w := range s.workers[:r.workers] {
		rests := w.permits[Plain]+w.permits[Searcher] == 0 && (w.pc == atSleep || w.pc == atRetired || w.pc == atRetiredRetract)
		switch {
		case !rests:
			awake++
		case s.stopping:
			panic(fmt.Sprintf("worker %d is not told to stop: %+v", i, *s))
		case w.pinned > 0 || w.pc == atSleep && s.shared > 0 || w.private > 0:
			panic(fmt.Sprintf("worker %d sleeps beside work: %+v", i, *s))
		case r.isSpare(i) && s.post == modelLeaving:
			panic(fmt.Sprintf("worker %d sleeps though it is to leave: %+v", i, *s))
		case r.isSpare(i) && (s.post == modelRetired) != w.retired:
			panic(fmt.Sprintf("worker %d is not where it is said to be: %+v", i, *s))
		}
		queued = queued || w.pinned > 0
	}
	if awake == 0 && queued {
		panic(fmt.Sprintf("all sleep beside work: %+v", *s))
	}
	if awake == 0 && !s.told && (r.spare || r.stop) {
		panic(fmt.Sprintf("nobody has found the end: %+v", *s))
	}
	if s.searching > 0 {
		panic(fmt.Sprintf("nobody searches, but the count says so: %+v", *s))
	}
}

func (r modelRun) explore() (states, ends int, wrong any) {
	defer func() { wrong = recover() }()
	var start modelState
	for i := range r.workers {
		start.workers[i].pc = atTop
	}
	start.pushers = [modelPushers]modelPusher{{left: 2}, {left: 1}}
	if r.spare {
		w := &start.workers[r.workers-1]
		w.pc, w.retired, start.post = atRetired, true, modelRetired
		start.sends, start.activations = 1, 1
		start.pushers = [modelPushers]modelPusher{{left: 1}}
		if r.workers == 2 && !r.stop {
			start.activations = 2
		}
	}
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
		var itself bool
		if next, itself = r.monitors(s, next); itself {
			progress = true
		}
		if !progress {
			r.stuck(&s)
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
	for name, r := range map[string]modelRun{
		"no last look": {fault: noLastLook},
		"a last look that leaves out the pinned queue":      {fault: lastLookWithoutPinned},
		"a last look only by those who searched":            {fault: lastLookOnlyBySearchers},
		"a last look that found work does not search":       {fault: lastLookDoesNotSearch},
		"a searcher that found work does not look again":    {fault: noSecondLook},
		"a searcher that looks before it has left":          {fault: secondLookBeforeLeaving},
		"Retract forgets the permit":                        {fault: retractForgetsPermit},
		"WakeOne does not take the announcement away":       {fault: wakeKeepsAnnouncement},
		"WakeOne does not see the searcher":                 {fault: wakeWithoutLook},
		"who is woken forgets that it searches":             {fault: permitRoleForgotten},
		"BeginSearch without compare-and-swap":              {fault: beginSearchStores},
		"a last look that leaves out the stop":              {fault: lastLookWithoutStop, stop: true},
		"a spare that leaves stays the searcher":            {fault: leaveForgetsSearching, spare: true},
		"a spare that has left the search does not look":    {fault: leaveWithoutSecondLook, spare: true},
		"a spare that retires last does not find the end":   {fault: leaveWithoutQuiet, spare: true},
		"a spare that retires does not look for a stop":     {fault: leaveWithoutStop, spare: true, stop: true},
		"a spare that retires keeps its own":                {fault: leaveKeepsPrivate, spare: true},
		"a spare that retires keeps what was pinned late":   {fault: leaveKeepsPinned, spare: true},
		"who pins does not see that the spare has retired":  {fault: pinIgnoresRetired, spare: true},
		"a last look of a spare that does not see it leave": {fault: lastLookWithoutLeaving, spare: true},
		"a spare is woken before it is told to leave":       {fault: leavingAfterWake, spare: true},
		"Activate gives no permit":                          {fault: activateWithoutPermit, spare: true},
		"a stop does not reach the retired":                 {fault: wakeAllForgetsRetired, spare: true, stop: true},
		"all cannot be asleep while one is retired":         {fault: retiredCounts, spare: true},
	} {
		t.Run(name, func(t *testing.T) {
			r.workers = modelWorkers
			if r.spare {
				r.workers = 2
			}
			states, _, wrong := r.explore()
			if wrong == nil && r.workers < modelWorkers {
				r.workers = modelWorkers
				states, _, wrong = r.explore()
			}
			assert.NotNil(t, wrong)
			t.Logf("after %d states: %v", states, wrong)
		})
	}
}
