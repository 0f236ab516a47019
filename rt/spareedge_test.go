//go:build race || encorert_invariants

package rt_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// The tests of this file stop a spare worker on its way into the reserve, and have something happen meanwhile.

// stopAt stops the next goroutine that passes a point, once armed.
type stopAt struct {
	point         string
	armed         atomic.Bool
	held, proceed chan struct{}
	also          atomic.Pointer[func(point string)] // called as well
}

func newStopAt(t *testing.T, point string) *stopAt {
	s := &stopAt{point: point, held: make(chan struct{}), proceed: make(chan struct{})}
	t.Cleanup(invariant.OnPoint(func(point string) {
		if f := s.also.Load(); f != nil {
			(*f)(point)
		}
		if point == s.point && s.armed.CompareAndSwap(true, false) {
			s.held <- struct{}{}
			<-s.proceed
		}
	}))
	return s
}

// beside has a behaviour stuck on a runtime of one worker and returns when a spare one sleeps beside it, with what lets it go.
func beside(t *testing.T, r *rt.Runtime) (letGo func()) {
	t.Helper()
	over := make(chan struct{})
	ended := r.Inject(func(**rt.Ctx) { <-over })
	stuckSoon(t, r, 1)
	within(t, func() {
		for {
			if awake, sleeping, _, _ := r.Posts(); awake == 1 && sleeping == 1 {
				return
			}
			runtime.Gosched()
		}
	})
	return func() {
		close(over)
		ends(t, ended)
	}
}

// awakeAre waits until n workers count as awake.
func awakeAre(t *testing.T, r *rt.Runtime, n int) {
	t.Helper()
	within(t, func() {
		for {
			if awake, _, _, _ := r.Posts(); awake == n {
				return
			}
			runtime.Gosched()
		}
	})
}

// A waker made the spare the searcher, and others relied on that; but it is on its way out.
func TestSpareLeavesAsTheSearcher(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for range hammer.Rounds(5, 500) {
		s := newStopAt(t, "rt.stepDown")
		r := runtimeOf(t, rt.Config{Workers: 1})
		letGo := beside(t, r)
		var injected atomic.Bool
		first := make(chan (<-chan error), 1)
		also := func(point string) {
			if point == "rt.leaving" && injected.CompareAndSwap(false, true) {
				first <- r.Inject(nothing) // wakes the spare, which is told at the same time to leave
			}
		}
		s.also.Store(&also)
		s.armed.Store(true)
		letGo()
		<-s.held
		ends(t, <-first) // the worker that is back has run it
		awakeAre(t, r, 1)
		second := r.Inject(nothing) // the spare is the searcher: nobody else is woken
		s.proceed <- struct{}{}
		ends(t, second)
		atRest(t, r)
	}
}

// A spare is told to leave just before it announces sleep, or at its last look.
func TestSpareIsToldToLeaveAtTheSleepEdge(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for _, point := range []string{"park.Announce", "park.Announced", "rt.lastLook", "park.Sleep"} {
		for range hammer.Rounds(3, 300) {
			s := newStopAt(t, point)
			r := runtimeOf(t, rt.Config{Workers: 1})
			letGo := beside(t, r)
			s.armed.Store(true)
			ends(t, r.Inject(nothing)) // by the spare, which goes to sleep again after it
			<-s.held
			letGo()
			awakeAre(t, r, 1) // it has a permit, or has not announced
			s.proceed <- struct{}{}
			atRest(t, r)
			fromOutside(t, r, 3)
		}
	}
}

// The spare retires when all others sleep already: it is the one to find that the run has ended.
func TestRunEndsWhenTheSpareRetires(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for range hammer.Rounds(5, 500) {
		s := newStopAt(t, "park.Retire")
		r := runtimeOf(t, rt.Config{Workers: 1})
		letGo := beside(t, r)
		end := make(chan error, 1)
		ran := make(chan struct{})
		go func() { end <- r.Run(func(**rt.Ctx) { close(ran) }) }()
		<-ran
		s.armed.Store(true)
		letGo()
		<-s.held
		awakeAre(t, r, 1)
		select {
		case <-end:
			assert.Fail(t, "the run ended with a worker awake")
		default:
		}
		s.proceed <- struct{}{}
		ends(t, end)
	}
}

// Close comes just before the spare retires, or just after.
func TestCloseMeetsTheSpareThatRetires(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for _, point := range []string{"rt.stepDown", "park.Retire", "park.Retired"} {
		for range hammer.Rounds(3, 300) {
			s := newStopAt(t, point)
			r := runtimeOf(t, rt.Config{Workers: 1})
			letGo := beside(t, r)
			s.armed.Store(true)
			letGo()
			<-s.held
			asleepNow := func() bool { sleeping, _ := r.LotCounts(); return sleeping > 0 }
			for !asleepNow() {
				runtime.Gosched()
			}
			closed := make(chan struct{})
			go func() {
				defer close(closed)
				r.Close()
			}()
			for asleepNow() { // all were woken, but for the spare
				runtime.Gosched()
			}
			s.proceed <- struct{}{}
			within(t, func() { <-closed })
		}
	}
}

// An actor is handed to a spare that retires meanwhile.
func TestPinMeetsTheSpareThatRetires(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for range hammer.Rounds(3, 300) {
		s := newStopAt(t, "rt.pin")
		r := runtimeOf(t, rt.Config{Workers: 2, AlwaysMigrate: true})
		over := make(chan struct{})
		ended := r.Inject(func(**rt.Ctx) { <-over })
		stuckSoon(t, r, 1)
		for r.AllWorkers() == 2 { // keeps the other one busy until there is a spare
			require.NoError(t, r.Do(background, func(**rt.Ctx) { time.Sleep(5 * time.Millisecond) }))
		}
		s.armed.Store(true)
		resumed := r.Inject(func(cctx **rt.Ctx) { rt.Suspend(cctx) }) // to be pinned to whoever is not stuck
		<-s.held
		close(over)
		ends(t, ended)
		within(t, func() {
			for {
				// Or the monitor has found the one that is held, before the spare went: then that is needed.
				if _, _, retired, all := r.Posts(); retired == all-2 || len(r.Stuck()) > 0 {
					break
				}
				runtime.Gosched()
			}
		})
		s.proceed <- struct{}{}
		ends(t, resumed)
		atRest(t, r)
	}
}

// A worker finds work at its last look, when all others sleep and the monitor has gone to rest; and then it is stuck.
func TestMonitorWakesForALastLookThatFoundWork(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for range hammer.Rounds(3, 300) {
		s := newStopAt(t, "park.Announced")
		r := runtimeOf(t, rt.Config{Workers: 1})
		s.armed.Store(true)
		r.Inject(nothing)
		<-s.held
		time.Sleep(30 * time.Millisecond) // the monitor sees all asleep, and rests
		over := make(chan struct{})
		ended := r.InjectSilently(func(**rt.Ctx) { <-over })
		s.proceed <- struct{}{}
		stuckSoon(t, r, 1)
		close(over)
		ends(t, ended)
		atRest(t, r)
	}
}
