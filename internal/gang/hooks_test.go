//go:build race || encorert_invariants

package gang_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/gang"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
)

// Delegated jobs need a worker, so a wake-up that is lost hangs them: with pauses of different length at every step, and
// workers that leave all the time.
func TestNoWakeUpIsLostWithPauses(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	var mu sync.Mutex
	fired := map[string]int{}
	restore := invariant.OnPoint(func(point string) {
		mu.Lock()
		fired[point]++
		mu.Unlock()
		if rand.IntN(3) == 0 {
			for range rand.IntN(30) {
				runtime.Gosched()
			}
		}
	})
	defer restore()
	for _, workers := range []int{1, 2, 3} {
		g := gang.New(workers)
		g.SetPatience(50 * time.Microsecond)
		for round := range hammer.Rounds(1000, 100_000) {
			var ran atomic.Int32
			shares := 1 + round%4
			run := g.Delegate
			if round%5 == 0 {
				run = g.Run
			}
			require.NoError(t, run(shares, func(s *gang.Share) {
				if ran.Add(1) == 1 && round%3 == 0 {
					s.Add(1)
				}
			}))
			require.EqualValues(t, shares+(round%3+2)%3/2, ran.Load())
		}
		g.Close()
		require.Empty(t, g.CheckIdle())
	}
	restore()
	mu.Lock()
	defer mu.Unlock()
	for _, point := range []string{
		"gang.open", "gang.opened", "gang.claim", "gang.add", "gang.finish", "gang.wait", "gang.rest", "gang.announced", "gang.serve", "gang.end",
		"gang.ended", "gang.close", "gang.vacate", "gang.vacated",
	} {
		assert.NotZero(t, fired[point], "%s never fired", point)
	}
}

// A job that is delegated after a worker has found nothing, and before it has said that it sleeps, wakes nobody: the worker's
// last look must find it. If the worker is told to leave at that moment, another one must come.
func TestDelegateAtTheSleepEdge(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for _, leaves := range []bool{false, true} {
		for range hammer.Rounds(50, 5000) {
			g := gang.New(1)
			g.SetPatience(time.Hour)
			var rests, retracts atomic.Int32
			second := make(chan struct{})
			var ran atomic.Int32
			restore := invariant.OnPoint(func(point string) {
				switch {
				case point == "gang.rest" && rests.Add(1) == 1:
					go func() {
						defer close(second)
						assert.NoError(t, g.Delegate(1, func(*gang.Share) { ran.Add(1) }))
					}()
					for !g.CallerSleeps() {
						runtime.Gosched()
					}
				case point == "gang.retract" && retracts.Add(1) == 1 && leaves:
					g.Retire()
				}
			})
			require.NoError(t, g.Delegate(1, func(*gang.Share) { ran.Add(1) }))
			<-second
			restore()
			require.EqualValues(t, 2, ran.Load())
			require.EqualValues(t, 1, retracts.Load())
			g.Close()
			require.Empty(t, g.CheckIdle())
		}
	}
}

// Row 29: a request for a job that comes at any step of a round, its end above all, is a round of its own, which begins after
// the request.
func TestRequestAtEveryStepOfARound(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	steps := []string{"gang.open", "gang.opened", "gang.finish", "gang.end", "gang.ended", "gang.announced"}
	for _, step := range steps {
		for nth := range 2 { // some are passed twice in a round
			for range hammer.Rounds(50, 5000) {
				g := gang.New(1)
				var seen, requested, inHook atomic.Int32
				var asked, answered atomic.Bool
				restore := invariant.OnPoint(func(point string) {
					inHook.Add(1)
					defer inHook.Add(-1)
					if point != step || seen.Add(1) != int32(nth+1) {
						return
					}
					go func() {
						asked.Store(true)
						if err := g.Run(2, func(*gang.Share) { requested.Add(1) }); err != nil {
							assert.ErrorIs(t, err, gang.ErrClosed) // the hook was entered after restore
						}
						answered.Store(true)
					}()
					for !asked.Load() {
						runtime.Gosched()
					}
					for range 5 { // it comes to wait for its turn
						runtime.Gosched()
					}
				})
				var ran atomic.Int32
				require.NoError(t, g.Run(2, func(*gang.Share) { ran.Add(1) }))
				for step == "gang.announced" && nth == 0 && seen.Load() == 0 {
					runtime.Gosched() // the worker falls asleep
				}
				restore()
				for inHook.Load() > 0 || asked.Load() && !answered.Load() {
					runtime.Gosched()
				}
				require.EqualValues(t, 2, ran.Load())
				if asked.Load() {
					require.EqualValues(t, 2, requested.Load(), "at %s", step)
				}
				if nth == 0 && step != "gang.announced" {
					require.True(t, asked.Load())
				}
				g.Close()
				require.Empty(t, g.CheckIdle())
			}
		}
	}
}

// Row 34: workers that do not come hold up nobody. Here each is stopped before its first step until the jobs are done.
func TestWorkersThatNeverCome(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	never := make(chan struct{})
	restore := invariant.OnPoint(func(point string) {
		if point == "gang.serve" {
			<-never
		}
	})
	g := gang.New(2)
	for range 100 {
		ran := 0
		require.NoError(t, g.Run(5, func(s *gang.Share) {
			assert.Zero(t, s.Participant)
			ran++
		}))
		require.Equal(t, 5, ran)
	}
	there, asleep := g.Crew()
	require.Equal(t, 2, there, "they are not started again and again")
	require.Zero(t, asleep)
	close(never)
	restore()
	g.Close()
}
