package rt_test

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// holdups are the ways in which a behaviour holds its worker until let go.
var holdups = map[string]func(t *testing.T) (hold, letGo func()){
	"computes": func(*testing.T) (hold, letGo func()) {
		var over atomic.Bool
		return func() {
			for !over.Load() {
			}
		}, func() { over.Store(true) }
	},
	"Go channel": func(*testing.T) (hold, letGo func()) {
		over := make(chan struct{})
		return func() { <-over }, func() { close(over) }
	},
	"system call": func(t *testing.T) (hold, letGo func()) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		r.Fd() // the pipe blocks in the system call from here on, and not in Go's poller
		return func() { r.Read(make([]byte, 1)) }, func() { w.Close() }
	},
	"sleep": func(*testing.T) (hold, letGo func()) {
		var over atomic.Bool
		return func() {
			for !over.Load() {
				time.Sleep(5 * time.Millisecond)
			}
		}, func() { over.Store(true) }
	},
}

// ends waits for what Inject has begun.
func ends(t *testing.T, done <-chan error) {
	t.Helper()
	within(t, func() { require.NoError(t, <-done) })
}

// fromOutside has n fresh actors handle a message each, sent from outside, and waits for all.
func fromOutside(t *testing.T, r *rt.Runtime, n int) {
	t.Helper()
	var handled sync.WaitGroup
	handled.Add(n)
	within(t, func() {
		for range n {
			require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
				spawn(*cctx).do(*cctx, func(**rt.Ctx) { handled.Done() })
			}))
		}
		handled.Wait()
	})
}

// stuckSoon waits until the runtime says that n behaviours are stuck.
func stuckSoon(t *testing.T, r *rt.Runtime, n int) {
	t.Helper()
	within(t, func() {
		for r.Stats().Stuck != n {
			time.Sleep(time.Millisecond)
		}
	})
}

// atRest waits until every worker sleeps or is retired, and checks that the counts agree.
func atRest(t *testing.T, r *rt.Runtime) {
	t.Helper()
	within(t, func() {
		for {
			awake, sleeping, retired, all := r.Posts()
			require.Equal(t, all, awake+sleeping+retired)
			require.Equal(t, all, r.AllWorkers())
			if awake == 0 && sleeping == r.Workers() {
				require.Equal(t, all-r.Workers(), retired)
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
}

// A behaviour never returns, computing or blocked in any way: 1,000 actors that are sent to from outside all run.
func TestOthersRunBesideABehaviourThatNeverReturns(t *testing.T) {
	for name, holdup := range holdups {
		for _, n := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				r := runtimeOf(t, rt.Config{Workers: n})
				hold, letGo := holdup(t)
				ended := r.Inject(func(**rt.Ctx) { hold() })
				stuckSoon(t, r, 1)
				fromOutside(t, r, 1_000)
				letGo()
				ends(t, ended)
				fromOutside(t, r, 10)
				atRest(t, r)
				s := r.Stats()
				assert.Zero(t, s.Stuck)
				if n == 1 {
					assert.NotZero(t, s.SparesStarted)
				}
			})
		}
	}
}

// More behaviours are stuck than there are workers; those that come back leave room for no more than there were.
func TestSeveralBehavioursAreStuck(t *testing.T) {
	const stuck = 5
	for _, n := range []int{1, 2} {
		r := runtimeOf(t, rt.Config{Workers: n})
		for range hammer.Rounds(2, 50) {
			over := make(chan struct{})
			var ended []<-chan error
			for range stuck {
				ended = append(ended, r.Inject(func(**rt.Ctx) { <-over }))
			}
			stuckSoon(t, r, stuck)
			fromOutside(t, r, 100)
			require.Len(t, r.Stuck(), stuck)
			close(over)
			for _, e := range ended {
				ends(t, e)
			}
			atRest(t, r)
			require.Empty(t, r.Stuck())
			require.LessOrEqual(t, r.AllWorkers(), n+stuck)
		}
	}
}

// Beside the behaviours that are stuck, as many run at once as there are workers: items from outside that
// need each other's company hang if a worker sleeps beside them, or one is missing.
func TestItemsThatNeedAllWorkersBesideStuckBehaviours(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		for _, stuck := range []int{1, n, n + 2} {
			r := runtimeOf(t, rt.Config{Workers: n})
			over := make(chan struct{})
			for range stuck {
				r.Inject(func(**rt.Ctx) { <-over })
			}
			stuckSoon(t, r, stuck)
			for range hammer.Rounds(20, 5_000) {
				var begun atomic.Int64
				var all sync.WaitGroup
				all.Add(n)
				item := func(**rt.Ctx) {
					defer all.Done()
					begun.Add(1)
					for begun.Load() < int64(n) {
						runtime.Gosched()
					}
				}
				for range n {
					r.Inject(item)
				}
				within(t, all.Wait)
			}
			close(over)
			atRest(t, r)
		}
	}
}

// Those that are stuck at once are limited by the spare workers that may be; without any, all waits, and goes on.
func TestSparesAreLimited(t *testing.T) {
	for spares, most := range map[int]int{-1: 1, 2: 3} {
		r := runtimeOf(t, rt.Config{Workers: 1, Spares: spares})
		over := make(chan struct{})
		var inside atomic.Int64
		var ended []<-chan error
		for range 5 {
			ended = append(ended, r.Inject(func(**rt.Ctx) {
				inside.Add(1)
				<-over
			}))
		}
		stuckSoon(t, r, most)
		time.Sleep(30 * time.Millisecond)
		assert.EqualValues(t, most, inside.Load())
		close(over)
		for _, e := range ended {
			ends(t, e)
		}
		atRest(t, r)
	}
}

// What is stuck is reported: who, where, since when, and how many wait behind it.
func TestStuckBehavioursAreReported(t *testing.T) {
	told := make(chan rt.StuckBehaviour, 10)
	r := runtimeOf(t, rt.Config{Workers: 1, OnStuck: func(s rt.StuckBehaviour) { told <- s }})
	assert.Empty(t, r.Stuck())
	over := make(chan struct{})
	var ran atomic.Int64
	began := time.Now()
	ended := r.Inject(func(cctx **rt.Ctx) {
		a := spawn(*cctx)
		a.do(*cctx, func(**rt.Ctx) { <-over })
		for range 7 {
			spawn(*cctx).do(*cctx, func(**rt.Ctx) { ran.Add(1) })
		}
	})
	ends(t, ended)
	stuckSoon(t, r, 1)
	var s rt.StuckBehaviour
	within(t, func() { s = <-told })
	assert.Equal(t, []rt.StuckBehaviour{s}, r.Stuck())
	assert.Equal(t, "test.scripted", s.Actor)
	assert.Equal(t, "Call", s.Behaviour)
	assert.Equal(t, 0, s.Worker)
	assert.Equal(t, 7, s.Waiting)
	assert.False(t, s.Since.Before(began))
	fromOutside(t, r, 10)
	assert.Zero(t, ran.Load(), "nobody but the stuck worker may take these")
	close(over)
	within(t, func() {
		for ran.Load() < 7 {
			runtime.Gosched()
		}
	})
	atRest(t, r)
	assert.Empty(t, told, "told once")
}

// Whoever is never idle searches nowhere, and so not at a stuck worker: what is handed over to that, or what it has shared
// before, must not wait for a search.
func TestStuckWorkerKeepsNothingFromTheBusy(t *testing.T) {
	const actors = 20
	r := runtimeOf(t, rt.Config{Workers: 1})
	all := make([]*scripted, actors)
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		for i := range all { // the one worker is where they are last
			all[i] = spawn(*cctx)
			all[i].do(*cctx, func(**rt.Ctx) {})
		}
	}))
	over := make(chan struct{})
	ended := r.Inject(func(**rt.Ctx) { <-over })
	stuckSoon(t, r, 1)
	var handled sync.WaitGroup
	handled.Add(actors)
	var enough atomic.Bool
	busy := r.Inject(func(cctx **rt.Ctx) { // on the spare, which is not idle until the end
		self := spawn(*cctx)
		var again func(cctx **rt.Ctx)
		again = func(cctx **rt.Ctx) {
			if !enough.Load() {
				self.do(*cctx, again)
			}
		}
		self.do(*cctx, again)
		for _, a := range all {
			a.do(*cctx, func(**rt.Ctx) { handled.Done() })
		}
	})
	defer enough.Store(true)
	within(t, handled.Wait)
	enough.Store(true)
	ends(t, busy)
	close(over)
	ends(t, ended)
}

// A worker that is late at a boundary is reported neither while it searches nor while it sleeps.
func TestIdleWorkersAreNotStuck(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 4, OnStuck: func(s rt.StuckBehaviour) { t.Errorf("stuck: %+v", s) }})
	for range 10 {
		require.NoError(t, r.Do(background, nothingToDo))
		time.Sleep(5 * time.Millisecond)
	}
	assert.Zero(t, r.Stats().SparesStarted)
}

// A spare that goes leaves to others what it had queued privately.
func TestSpareLeavesItsActorsToOthers(t *testing.T) {
	for range hammer.Rounds(3, 300) {
		r := runtimeOf(t, rt.Config{Workers: 1})
		over := make(chan struct{})
		first := r.Inject(func(**rt.Ctx) { <-over })
		stuckSoon(t, r, 1)
		var handled sync.WaitGroup
		handled.Add(10)
		second := r.Inject(func(cctx **rt.Ctx) { // on the spare, while nobody is idle
			for range 10 {
				spawn(*cctx).do(*cctx, func(**rt.Ctx) { handled.Done() })
			}
			close(over)
			for r.Stats().Stuck > 0 { // after that the spare is to go
				runtime.Gosched()
			}
		})
		ends(t, first)
		ends(t, second)
		within(t, handled.Wait)
		atRest(t, r)
	}
}

// The monitor rests while all sleep, and is there again when a behaviour is stuck.
func TestMonitorWakesFromRest(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2})
	for range 3 {
		time.Sleep(30 * time.Millisecond)
		over := make(chan struct{})
		ended := r.Inject(func(**rt.Ctx) { <-over })
		stuckSoon(t, r, 1)
		close(over)
		ends(t, ended)
		atRest(t, r)
	}
}
