package park

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
)

// The part of the model that is about the reserve: a spare worker that retires, and who has it come and go.

// The posts of the spare worker.
const (
	modelActive uint8 = iota
	modelLeaving
	modelRetired
)

// isSpare says whether worker i is the spare one.
func (r modelRun) isSpare(i int) bool { return r.spare && i == r.workers-1 }

// quiet is the look for the end, under the lot's lock.
func (r modelRun) quiet(s *modelState) {
	pinned, private := uint8(0), uint8(0)
	for i := range r.workers {
		w := &s.workers[i]
		if !w.announced && (!w.retired || r.fault == retiredCounts) {
			return
		}
		pinned += w.pinned
		private += w.private
	}
	if s.shared+pinned > 0 {
		return
	}
	if private > 0 {
		panic(fmt.Sprintf("the end is told with work queued privately: %+v", *s))
	}
	s.told = true
}

// leave does the steps of the spare worker w on its way out; false: it has to wait.
func (r modelRun) leave(s *modelState, w *modelWorker) bool {
	switch w.pc {
	case atLeaveEnd:
		if w.searching && r.fault != leaveForgetsSearching {
			s.searching--
			w.searching = false
		}
		w.pc = atUnload
	case atUnload:
		s.shared += w.pinned
		w.pinned = 0
		if r.fault != leaveKeepsPrivate {
			s.shared += w.private
			w.private = 0
		}
		w.pc = atRetire
	case atRetire: // under the monitor's lock, and the lot's
		w.cancelled = s.post != modelLeaving
		if w.pc = atRetiredStop; w.cancelled {
			w.pc = atLeaveSecondLook
		} else {
			s.post, w.retired = modelRetired, true
		}
	case atRetiredStop:
		if w.pc = atUnpin; s.stopping && r.fault != leaveWithoutStop {
			w.pc = atRetiredRetract
		}
	case atRetiredRetract:
		if w.retired {
			w.retired = false
		} else if w.permits[Plain]+w.permits[Searcher] == 0 {
			return false
		}
		w.permits = [2]uint8{}
		w.pc = atTop
	case atUnpin:
		if r.fault != leaveKeepsPinned {
			s.shared += w.pinned
			w.pinned = 0
		}
		w.pc = atLeaveSecondLook
	case atLeaveSecondLook:
		if w.pc = atLeaveQuiet; s.shared > 0 && r.fault != leaveWithoutSecondLook {
			w.pc = atLeaveWakeLook
		}
	case atLeaveWakeLook:
		if w.pc = atLeaveQuiet; r.mayWake(s) {
			w.pc = atLeaveWake
		}
	case atLeaveWake:
		r.wakeOne(s)
		w.pc = atLeaveQuiet
	case atLeaveQuiet:
		switch {
		case w.cancelled:
			w.cancelled = false
			w.pc = atTop
		default:
			if r.fault != leaveWithoutQuiet {
				r.quiet(s)
			}
			w.pc = atRetired
		}
	case atRetired:
		if w.permits[Plain]+w.permits[Searcher] == 0 {
			return false
		}
		w.permits = [2]uint8{}
		w.pc = atTop
	}
	return true
}

// monitors appends the steps of the monitor, of a behaviour of the spare worker that sends, and of who stops.
func (r modelRun) monitors(s modelState, out []modelState) (_ []modelState, itself bool) {
	if r.spare {
		spare := r.workers - 1
		w := &s.workers[spare]
		switch {
		case s.monitor == 1: // the second step of activation
			n := s
			n.post, n.monitor = modelActive, 0
			out, itself = append(out, n), true
		case s.monitor == 2: // the second step of telling it to leave
			n := s
			n.monitor = 0
			if r.fault == leavingAfterWake {
				n.post = modelLeaving
			} else if n.workers[spare].announced {
				r.grant(&n, spare, Plain)
			}
			out, itself = append(out, n), true
		case s.stopper == 0 && s.post == modelRetired && w.retired && s.activations > 0:
			n := s
			n.activations--
			n.monitor = 1
			n.workers[spare].retired = false
			if r.fault != activateWithoutPermit {
				n.workers[spare].permits[Plain]++
			}
			out = append(out, n)
		case s.post == modelActive:
			n := s
			n.monitor = 2
			if r.fault != leavingAfterWake {
				n.post = modelLeaving
			} else if n.workers[spare].announced {
				r.grant(&n, spare, Plain)
			}
			out = append(out, n)
		case s.post == modelLeaving && s.activations > 0: // it is needed after all
			n := s
			n.activations--
			n.post = modelActive
			out = append(out, n)
		}
		if w.pc == atRun && s.sends > 0 {
			n := s
			n.sends--
			n.told = false
			n.workers[spare].private++
			out = append(out, n)
		}
	}
	switch {
	case r.stop && s.stopper == 0:
		s.stopping, s.stopper = true, 1
		out = append(out, s)
	case s.stopper == 1:
		s.stopper = 2
		for i := range r.workers {
			if w := &s.workers[i]; w.announced {
				r.grant(&s, i, Plain)
			} else if w.retired && r.fault != wakeAllForgetsRetired {
				w.retired = false
				w.permits[Plain]++
			}
		}
		out, itself = append(out, s), true
	}
	return out, itself
}

func TestModelOfTheReserve(t *testing.T) {
	for workers := 2; workers <= hammer.Rounds(2, modelWorkers); workers++ {
		for _, stop := range []bool{false, true} {
			states, _, wrong := modelRun{workers: workers, spare: true, stop: stop}.explore()
			require.Nil(t, wrong, "%d workers and a spare one, stop: %v", workers-1, stop)
			t.Logf("%d workers and a spare one, stop: %v: %d states", workers-1, stop, states)
		}
	}
}
