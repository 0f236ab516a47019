package gang_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/gang"
	"github.com/encorert/encorert/internal/hammer"
)

func newGang(t testing.TB, workers int) *gang.Gang {
	g := gang.New(workers)
	g.SetPatience(time.Hour) // a worker that leaves looks once more, and would make good for what was lost
	t.Cleanup(g.Close)
	return g
}

// forms are the ways to have a job done.
var forms = map[string]func(*gang.Gang, int, func(*gang.Share)) error{
	"run":      (*gang.Gang).Run,
	"delegate": (*gang.Gang).Delegate,
}

// Row 30: every share runs once, whoever takes it, and those that run at the same time have numbers of their own.
func TestEachShareRunsOnce(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for name, run := range forms {
		for _, workers := range []int{0, 1, 2, 5} {
			if workers == 0 && name == "delegate" {
				continue
			}
			g := newGang(t, workers)
			require.Equal(t, workers, g.Workers())
			for round := range hammer.Rounds(2000, 100_000) {
				shares := round % 9
				ran := make([]atomic.Int32, shares)
				inside := make([]atomic.Int32, workers+1)
				require.NoError(t, run(g, shares, func(s *gang.Share) {
					assert.EqualValues(t, 1, inside[s.Participant].Add(1), "two participants have the number %d", s.Participant)
					if name == "delegate" {
						assert.NotZero(t, s.Participant, "the caller takes no part")
					}
					ran[s.Index].Add(1)
					if round%3 == 0 {
						runtime.Gosched()
					}
					inside[s.Participant].Add(-1)
				}))
				for i := range ran {
					require.EqualValues(t, 1, ran[i].Load(), "share %d", i)
				}
			}
		}
	}
}

// Rows 30 and 34: without workers the caller does everything, in order, and no goroutine is started.
func TestGangWithoutWorkers(t *testing.T) {
	before := runtime.NumGoroutine()
	g := newGang(t, 0)
	var order []int
	require.NoError(t, g.Run(5, func(s *gang.Share) {
		assert.Zero(t, s.Participant)
		order = append(order, s.Index)
		if s.Index < 3 {
			assert.True(t, s.Add(1))
		}
	}))
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, order)
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
	require.ErrorIs(t, g.Delegate(1, func(*gang.Share) { t.Error("nobody is there to run it") }), gang.ErrNoWorkers)
}

// No worker is started for what the caller does anyway.
func TestWorkersStartWhenThereIsAShareForThem(t *testing.T) {
	g := newGang(t, 3)
	for range 100 {
		require.NoError(t, g.Run(1, func(*gang.Share) {}))
		require.NoError(t, g.Run(0, func(*gang.Share) {}))
	}
	there, _ := g.Crew()
	require.Zero(t, there)
	require.NoError(t, g.Run(3, func(*gang.Share) {}))
	there, _ = g.Crew()
	require.Equal(t, 2, there)
}

// All take part where each share waits for the others.
func TestAllTakePart(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	g := newGang(t, 3)
	for range hammer.Rounds(200, 20_000) {
		var here sync.WaitGroup
		here.Add(4)
		var mask atomic.Int32
		require.NoError(t, g.Run(4, func(s *gang.Share) {
			mask.Or(1 << s.Participant)
			here.Done()
			here.Wait()
		}))
		require.EqualValues(t, 0b1111, mask.Load())
	}
}

// Row 28: shares that are added while others run, with pauses in between, have all run when Run returns.
func TestSharesAddedWhileRunning(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for name, run := range forms {
		for _, workers := range []int{1, 2, 4} {
			g := newGang(t, workers)
			random := uint64(1)
			for range hammer.Rounds(3000, 100_000) {
				random = random*6364136223846793005 + 1442695040888963407
				plan := random >> 33
				var added, ran atomic.Int64
				added.Store(1)
				require.NoError(t, run(g, 1, func(s *gang.Share) {
					defer ran.Add(1)
					if s.Index >= 4 {
						return
					}
					for i := range 3 {
						if plan>>(3*i)&1 == 1 {
							pause(int(plan >> (3*i + 1) & 3))
						}
						n := int(plan>>(5*i)) & 1
						added.Add(int64(n))
						assert.True(t, s.Add(n))
					}
				}))
				require.Equal(t, added.Load(), ran.Load(), name)
			}
		}
	}
}

func pause(kind int) {
	switch kind {
	case 1:
		runtime.Gosched()
	case 2:
		for start := time.Now(); time.Since(start) < 3*time.Microsecond; {
		}
	case 3:
		for range 20 {
			runtime.Gosched()
		}
	}
}

// Adding wakes a caller that waits for the last share.
func TestCallerHelpsWithWhatIsAddedWhileItWaits(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	g := newGang(t, 1)
	for range hammer.Rounds(100, 10_000) {
		var both sync.WaitGroup
		both.Add(2)
		met := make(chan struct{}, 2)
		require.NoError(t, g.Run(2, func(s *gang.Share) {
			switch {
			case s.Index > 1: // the worker's first share and these two need both participants
				both.Done()
				both.Wait()
			case s.Participant == 0:
				<-met // the worker has the other share
			default:
				met <- struct{}{}
				time.Sleep(50 * time.Microsecond) // the caller falls asleep
				s.Add(2)
			}
		}))
	}
}

func TestMoreSharesThanARoundCanCount(t *testing.T) {
	g := newGang(t, 0)
	require.NoError(t, g.Run(1, func(s *gang.Share) {
		assert.False(t, s.Add(gang.MaxShares))
		assert.False(t, s.Add(-1))
		assert.True(t, s.Add(0))
	}))
	for _, f := range []func(){
		func() { _ = g.Run(gang.MaxShares+1, func(*gang.Share) {}) },
		func() { _ = g.Run(-1, func(*gang.Share) {}) },
		func() { _ = g.Run(1, nil) },
		func() { gang.New(-1) },
		func() { gang.New(gang.MaxWorkers + 1) },
	} {
		require.Panics(t, f)
	}
	require.NoError(t, g.Run(1, func(*gang.Share) {}), "a job that was refused leaves the turn")
}

// Row 31: the caller does what it likes with the job when Run has returned. -race sees a late read, and so does the value.
func TestJobIsNotReadAfterItsEnd(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	const poison = -1
	for _, workers := range []int{1, 3} {
		g := newGang(t, workers)
		job := struct{ round, sum int }{}
		var sum atomic.Int64
		for round := range hammer.Rounds(20_000, 1_000_000) {
			job.round = round
			sum.Store(0)
			require.NoError(t, g.Run(3, func(*gang.Share) {
				if job.round == poison || job.round != round {
					t.Error("a share has read the job of another round")
				}
				sum.Add(int64(job.round))
			}))
			job.round = poison
			if got := sum.Load(); got != int64(3*round) {
				t.Fatalf("round %d: %d", round, got)
			}
		}
	}
}

// Row 33: a panic reaches the caller with the stack of who panicked, the other shares have run, and the next job works.
func TestPanicReachesTheCaller(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	cause := errors.New("broken share")
	g := newGang(t, 2)
	for name, run := range forms {
		for round := range hammer.Rounds(300, 10_000) {
			var ran atomic.Int32
			func() {
				defer func() {
					p, ok := recover().(*gang.Panic)
					require.True(t, ok, name)
					require.ErrorIs(t, p, cause)
					require.ErrorContains(t, p, "gang: share panicked: broken share")
					require.Contains(t, string(p.Stack), "breakShare")
				}()
				_ = run(g, 4, func(s *gang.Share) {
					ran.Add(1)
					if s.Index == round%4 {
						breakShare(cause)
					}
				})
				t.Error("Run has returned")
			}()
			require.EqualValues(t, 4, ran.Load())
			require.NoError(t, run(g, 3, func(*gang.Share) { ran.Add(1) }))
			require.EqualValues(t, 7, ran.Load())
		}
	}
	require.NotErrorIs(t, &gang.Panic{Value: "no error"}, cause)
}

func breakShare(err error) { panic(err) }

// Goexit, such as that of a failed test, ends the goroutine that runs the share and nothing else.
func TestGoexitInAShare(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	g := newGang(t, 2)
	for name, run := range forms {
		for leaver := range 3 {
			for range hammer.Rounds(100, 5000) {
				var ran atomic.Int32
				returned := false
				var caller sync.WaitGroup
				caller.Go(func() {
					_ = run(g, 6, func(s *gang.Share) {
						ran.Add(1)
						if s.Participant == leaver {
							runtime.Goexit()
						}
					})
					returned = true
				})
				caller.Wait()
				if name == "delegate" || leaver != 0 {
					require.True(t, returned)
					require.EqualValues(t, 6, ran.Load())
				}
				require.NoError(t, run(g, 3, func(*gang.Share) { ran.Add(1) }))
			}
		}
	}
}

// Row 32: a job that meets Close is done as a whole or not at all.
func TestRunMeetsClose(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for round := range hammer.Rounds(400, 100_000) {
		g := gang.New(round % 3)
		g.SetPatience(time.Hour)
		var callers sync.WaitGroup
		for c := range 2 {
			callers.Go(func() {
				for {
					var ran atomic.Int32
					run := g.Run
					if c == 1 && g.Workers() > 0 {
						run = g.Delegate
					}
					err := run(3, func(s *gang.Share) {
						if ran.Add(1) == 1 && c == 1 {
							s.Add(1)
						}
					})
					if err != nil {
						assert.ErrorIs(t, err, gang.ErrClosed)
						assert.Zero(t, ran.Load())
						return
					}
					assert.EqualValues(t, 3+c, ran.Load())
					runtime.Gosched()
				}
			})
		}
		for range round % 5 {
			runtime.Gosched()
		}
		g.Close()
		there, _ := g.Crew()
		require.Zero(t, there, "workers after Close")
		callers.Wait()
		for _, run := range []func(*gang.Gang, int, func(*gang.Share)) error{(*gang.Gang).Run, (*gang.Gang).Try} {
			require.ErrorIs(t, run(g, 1, func(*gang.Share) { t.Error("a job after Close") }), gang.ErrClosed)
		}
		g.Close()
	}
}

// Row 33: callers that wait for their turn are refused when the gang is closed, and the job that runs is done.
func TestCloseRefusesThoseWhoWait(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	g := gang.New(1)
	inside, goOn := make(chan struct{}), make(chan struct{})
	var first, others sync.WaitGroup
	first.Go(func() {
		assert.NoError(t, g.Run(1, func(*gang.Share) {
			close(inside)
			<-goOn
		}))
	})
	<-inside
	require.ErrorIs(t, g.Try(1, func(*gang.Share) { t.Error("beside another job") }), gang.ErrBusy)
	closed := make(chan struct{})
	go func() {
		g.Close()
		close(closed)
	}()
	for !g.Closing() {
		runtime.Gosched()
	}
	for range 5 {
		others.Go(func() {
			assert.ErrorIs(t, g.Run(1, func(*gang.Share) { t.Error("after Close") }), gang.ErrClosed)
		})
	}
	time.Sleep(time.Millisecond)
	select {
	case <-closed:
		t.Error("Close has returned while a job runs")
	default:
	}
	close(goOn)
	first.Wait()
	others.Wait()
	<-closed
}

// Jobs of several callers do not mix.
func TestCallersTakeTurns(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	g := newGang(t, 2)
	var inside atomic.Int32
	hammer.Run(t, 4, hammer.Rounds(500, 20_000), func(caller, round int) {
		var ran atomic.Int32
		run := g.Run
		if round%4 == 0 {
			run = g.Try
		}
		err := run(3, func(*gang.Share) {
			if other := inside.Swap(int32(caller + 1)); other != 0 && other != int32(caller+1) {
				t.Error("shares of two jobs at once")
			}
			runtime.Gosched()
			if ran.Add(1) == 3 {
				inside.Store(0)
			}
		})
		if err != nil {
			assert.ErrorIs(t, err, gang.ErrBusy)
			assert.Zero(t, ran.Load())
		}
	})
}

// Workers that nobody wants leave, and come back when there is work; so does the timer that sends them away.
func TestWorkersLeave(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	before := runtime.NumGoroutine()
	g := gang.New(3)
	g.SetPatience(time.Millisecond)
	for range 3 {
		require.NoError(t, g.Delegate(3, func(*gang.Share) {}))
		for there, _ := g.Crew(); there > 0; there, _ = g.Crew() {
			time.Sleep(time.Millisecond)
		}
	}
	g.Close()
	for runtime.NumGoroutine() > before {
		time.Sleep(time.Millisecond)
	}
}

// shortJobs does jobs that wake a worker in vain until the next one begins alone.
func shortJobs(t *testing.T, g *gang.Gang) {
	t.Helper()
	for !g.BeginsAlone() {
		require.NoError(t, g.Run(2, func(*gang.Share) {}))
		for there, asleep := g.Crew(); asleep < there; there, asleep = g.Crew() {
			runtime.Gosched() // so that the next one wakes it again
		}
	}
}

// Where workers were woken in vain again and again, nobody is woken for a short job, and for a long one a share later.
func TestShortJobsStopWakingWorkers(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	g := newGang(t, 1)
	shortJobs(t, g)
	before, alone := g.Summons(), 0
	for g.BeginsAlone() {
		alone++
		require.NoError(t, g.Run(2, func(*gang.Share) {}))
		if g.Summons() != before {
			break // somebody else had this processor for a while, so that the job was long
		}
	}
	require.Positive(t, alone)
	shortJobs(t, g)
	before = g.Summons()
	require.NoError(t, g.Run(3, func(*gang.Share) { time.Sleep(50 * time.Microsecond) }))
	require.Equal(t, before+1, g.Summons(), "a long job wakes the worker")
	require.False(t, g.BeginsAlone())
	shortJobs(t, g)
	before = g.Summons()
	require.NoError(t, g.Run(1, func(s *gang.Share) {
		if s.Index == 0 {
			s.Add(1)
			require.Equal(t, before+1, g.Summons(), "a share that is added wakes the worker at once")
		}
	}))
}

func Example() {
	g := gang.New(3)
	defer g.Close()
	squares := make([]int, 8)
	err := g.Run(len(squares), func(s *gang.Share) { squares[s.Index] = s.Index * s.Index })
	fmt.Println(squares, err)
	// Output: [0 1 4 9 16 25 36 49] <nil>
}

func TestNamesOfErrors(t *testing.T) {
	for _, err := range []error{gang.ErrClosed, gang.ErrBusy, gang.ErrNoWorkers} {
		require.True(t, strings.HasPrefix(err.Error(), "gang: "))
	}
}
