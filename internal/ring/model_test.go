package ring_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// This is the protocol of low, epochs, horizon and of who waits for it, in the small: two tasks end, somebody marks the
// epoch behind both, and one who wants a slot waits. Every order of the steps below is tried; each step is one atomic
// operation of ring.go, or of rt/task.go and rt/taskwait.go.

// world is a state of it. Comparable, so that it can be the key of a map.
type world struct {
	ended   [2]bool
	low     int
	noted   bool // the epoch is, at position 2
	horizon int
	waiting bool // counted as waiting
	parked  bool // in the list
	told    bool
	actors  [4]actor
}

// actor is where one of the four is in its steps.
type actor struct {
	pc   int
	low  int  // that it has loaded
	tell bool // it has moved the horizon
}

const finished = 100

// breakage is what can be left out.
type breakage struct {
	endLooksFirst, advanceStops, markDoesNotLook, epochBeforeLow, looksBeforeCounted, toldBeforeMoved bool
}

// steps are what one of them can do next: nil when it has finished or waits.
func (w world) step(who int, b breakage) (next world, can bool) {
	a := &w.actors[who]
	switch {
	case a.pc == finished:
		return w, false
	case who < 2:
		w.end(who, b)
	case who == 2:
		w.mark(b)
	default:
		if w.parked && !w.told {
			return w, false
		}
		w.wait(b)
	}
	return w, true
}

// end is End of task who, and what its caller does.
func (w *world) end(who int, b breakage) {
	a := &w.actors[who]
	switch a.pc {
	case 0:
		if b.endLooksFirst {
			a.low = w.low
			a.pc = 8
			return
		}
		w.ended[who] = true
		a.pc = 1
	case 8: // broken: it relies on what it has seen before it has stored
		w.ended[who] = true
		if a.low == who {
			a.pc = 1
		} else {
			a.pc = finished
		}
	case 1:
		a.low = w.low
		a.pc = 2
	case 2: // has the next one ended?
		if a.low == 2 || !w.ended[a.low] {
			a.pc = 5
			return
		}
		a.pc = 3
		if b.epochBeforeLow && a.low == 1 && !w.noted {
			a.pc = 9
		}
	case 9: // broken: it has looked for the epoch before it moves low
		if w.low == a.low {
			w.low++
		}
		a.pc = 5
	case 3:
		if w.low != a.low { // the compare-and-swap fails
			a.pc = 1
			return
		}
		w.low++
		a.pc = 4
	case 4: // is there an epoch?
		a.pc = 1
		if b.advanceStops {
			a.pc = 5
		}
		if w.low == 2 && a.low == 1 && w.noted {
			a.pc = 6
			if b.toldBeforeMoved {
				w.tell()
			}
		}
	case 6:
		if w.horizon < 2 {
			w.horizon = 2
			a.tell = true
		}
		a.pc = 1
	case 5:
		if a.tell && !b.toldBeforeMoved {
			w.tell()
		}
		a.pc = finished
	}
}

// mark is Mark, when both positions are handed out, and what its caller does.
func (w *world) mark(b breakage) {
	a := &w.actors[2]
	switch a.pc {
	case 0:
		w.noted = true
		a.pc = 1
		if b.markDoesNotLook {
			a.pc = finished
		}
	case 1:
		a.pc = finished
		if w.low == 2 {
			a.pc = 2
		}
	case 2:
		a.pc = finished
		if w.horizon < 2 {
			w.horizon = 2
			a.pc = 3
		}
	case 3:
		w.tell()
		a.pc = finished
	}
}

// wait is Commit of one who was refused.
func (w *world) wait(b breakage) {
	a := &w.actors[3]
	switch a.pc {
	case 0:
		if b.looksBeforeCounted {
			a.pc = 1
			if w.horizon == 2 {
				a.pc = finished
			}
			return
		}
		w.waiting = true
		a.pc = 1
	case 1:
		switch {
		case b.looksBeforeCounted:
			w.waiting = true
			w.parked = true
		case w.horizon == 2:
			w.waiting = false
			a.pc = finished
			return
		default:
			w.parked = true // under the lock, with the look: tell takes the same
		}
		a.pc = 2
	case 2: // told
		a.pc = finished
		if w.horizon != 2 {
			w.parked, w.told, a.pc = false, false, 0 // it looks again
		}
	}
}

// tell takes the list, under the lock: one who counts, looks and parks is not in the middle of it.
func (w *world) tell() {
	if w.waiting && w.parked {
		w.told, w.waiting = true, false
	}
}

// explore tries every order and returns how many states there are, and an end that is wrong.
func explore(b breakage) (states int, wrong string) {
	seen := map[world]bool{}
	todo := []world{{}}
	for len(todo) > 0 {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[w] {
			continue
		}
		seen[w] = true
		stuck := true
		for who := range w.actors {
			if next, can := w.step(who, b); can {
				stuck = false
				todo = append(todo, next)
			}
		}
		switch {
		case w.horizon == 2 && !(w.ended[0] && w.ended[1]):
			return len(seen), fmt.Sprintf("the epoch is reached before all have ended: %+v", w)
		case stuck && (w.low != 2 || w.horizon != 2 || w.actors[3].pc != finished):
			return len(seen), fmt.Sprintf("something was lost: %+v", w)
		}
	}
	return len(seen), ""
}

func TestModelOfEpochs(t *testing.T) {
	states, wrong := explore(breakage{})
	require.Empty(t, wrong)
	assert.Greater(t, states, 500)
}

func TestModelFindsFaults(t *testing.T) {
	for name, b := range map[string]breakage{
		"an end looks at low before it stores":          {endLooksFirst: true},
		"who has moved low does not look further":       {advanceStops: true},
		"a mark does not look at low":                   {markDoesNotLook: true},
		"who moves low has looked for the epoch before": {epochBeforeLow: true},
		"who waits looks before he is counted":          {looksBeforeCounted: true},
		"waiters are told before the horizon has moved": {toldBeforeMoved: true},
	} {
		_, wrong := explore(b)
		assert.NotEmpty(t, wrong, name)
	}
}
