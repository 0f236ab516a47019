package gang

import "time"

const (
	// jobsInVain is after how many jobs in a row that were over before a worker came the caller begins alone (picked).
	jobsInVain = 8
	// jobsAlone is how many jobs it begins so before workers are woken at once again (picked).
	jobsAlone = 64
	// longJob is the time after which a job wants workers all the same. Waking one costs the caller 3 to 7 us.
	longJob = 5 * time.Microsecond
)

// alone decides whether workers are woken at the begin of a job or only when it turns out to be long. To wake somebody is a system
// call, and dearer than a short job; where one job after the other was over before the worker that was woken for it had
// come, the next ones begin without. If such a job is long after all, help comes one share late, once. Shares that are added
// are another matter: workers are woken for them at once.
//
// Jobs back to back are not meant, and do not count: most of them wake nobody, for the worker is still on its way.
//
// Owner: who has the turn.
type alone struct {
	vain  int       // jobs in vain in a row, and then those that began alone
	first bool      // this one begins alone
	began time.Time // if it does
	ran   int       // shares that the caller ran
}

func (a *alone) begin() {
	a.ran = 0
	if a.first = a.vain >= jobsInVain; a.first {
		a.began = time.Now()
	}
}

// isLong tells, once, whether the job that began alone has become long.
func (a *alone) isLong() bool {
	if !a.first || time.Since(a.began) < longJob {
		return false
	}
	a.first, a.vain = false, 0
	return true
}

// end settles what is known of a job of so many shares.
func (a *alone) end(woke bool, shares int) {
	switch {
	case a.first && a.vain < jobsInVain+jobsAlone, woke && a.ran == shares:
		a.vain++
	default:
		a.vain = 0
	}
}
