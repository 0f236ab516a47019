package rt_test

import (
	"math/rand/v2"
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

// An actor with a timer sends its k-th message at random gaps, while workers sleep and wake: the run ends after exactly
// all of them. With the timer removed it ends at once.
func TestRunEndsAfterTheLastTick(t *testing.T) {
	runs := hammer.Rounds(60, 3_400) // for each number of workers
	defer hammer.Watch(t, 3*hammer.Limit)()
	for _, n := range []int{1, 2, 4} {
		r := runtimeOf(t, rt.Config{Workers: n})
		random := rand.New(rand.NewPCG(3, uint64(n)))
		for k := range runs {
			messages := 1 + random.IntN(8)
			gap := func() time.Duration { return time.Duration(random.IntN(60)) * time.Microsecond }
			handled := 0
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				a := spawn(*cctx)
				event := func(cctx **rt.Ctx) { a.do(*cctx, func(**rt.Ctx) { handled++ }) }
				sent := 0
				switch k % 3 {
				case 0: // one timer, set anew each time
					itself := make(chan *rt.Timer, 1)
					timer, _ := rt.After(*cctx, gap(), func(cctx **rt.Ctx) {
						event(cctx)
						if sent++; sent < messages {
							timer := <-itself
							itself <- timer
							timer.Reset(gap())
						}
					})
					itself <- timer
				case 1: // a new timer each time
					var next func(cctx **rt.Ctx)
					next = func(cctx **rt.Ctx) {
						event(cctx)
						if sent++; sent < messages {
							rt.After(*cctx, gap(), next)
						}
					}
					rt.After(*cctx, gap(), next)
				case 2:
					rt.Every(*cctx, gap()+1, func(cctx **rt.Ctx, timer *rt.Timer) {
						event(cctx)
						if sent++; sent == messages {
							timer.Close()
						}
					})
				}
			}))
			if handled != messages {
				require.Equal(t, messages, handled)
			}
		}
		timers := make(chan *rt.Timer, 1)
		end := make(chan error, 1)
		go func() {
			end <- r.Run(func(cctx **rt.Ctx) {
				timer, _ := rt.Every(*cctx, time.Hour, func(**rt.Ctx, *rt.Timer) {})
				timers <- timer
			})
		}()
		timer := <-timers
		asleep(t, r)
		require.Empty(t, end, "the run has ended with a timer open")
		timer.Close()
		within(t, func() { require.NoError(t, <-end, "with the timer removed a run ends") })
	}
}

// Very many timers at once: each event comes once, none before its time.
func TestManyTimers(t *testing.T) {
	timers := hammer.Rounds(100_000, 1_000_000)
	var events, early atomic.Int64
	r := runtimeOf(t, rt.Config{})
	begin := time.Now()
	within(t, func() {
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			for k := range timers {
				d := time.Duration(k%1000) * time.Microsecond
				now := time.Now()
				rt.After(*cctx, d, func(**rt.Ctx) {
					events.Add(1)
					if time.Since(now) < d {
						early.Add(1)
					}
				})
			}
		}))
	})
	assert.EqualValues(t, timers, events.Load())
	assert.Zero(t, early.Load())
	assert.Zero(t, r.Stats().Sources)
	t.Logf("%d timers in %v", timers, time.Since(begin))
}

// Timers are closed and opened again for another purpose while their events are in flight: no event crosses over. What
// an event is for shows in a number that changes only while the timer is closed.
func TestCloseAndReopenTimersInFlight(t *testing.T) {
	const timers = 8
	rounds := hammer.Rounds(4_000, 400_000)
	for _, n := range []int{1, 2, 4} {
		r := runtimeOf(t, rt.Config{Workers: n})
		type slot struct {
			timer      *rt.Timer
			tenant     atomic.Int64
			due        atomic.Int64 // when the tenant's event may come, since start
			begun      atomic.Int64 // the last tenant whose event has begun
			prevented  int64
			hadStarted int64
		}
		start := time.Now()
		var slots [timers]*slot
		require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
			for k := range slots {
				s := new(slot)
				slots[k] = s
				s.timer, _ = rt.After(*cctx, time.Hour, func(**rt.Ctx) {
					now, tenant := int64(time.Since(start)), s.tenant.Load()
					if now < s.due.Load() {
						t.Errorf("the event of another tenant came to %d", tenant)
					}
					if s.begun.Swap(tenant) == tenant {
						t.Errorf("a second event came to %d", tenant)
					}
				})
				s.timer.Close()
			}
		}))
		hammer.Run(t, timers, rounds, func(g, round int) {
			s := slots[g]
			s.tenant.Add(1)
			d := time.Duration(round%3) * time.Hour // most often the event must not come
			if round%3 == 0 {
				d = time.Duration(round%7) * time.Microsecond
			}
			s.due.Store(int64(time.Since(start) + d))
			if err := s.timer.Reset(d); err != nil {
				t.Error(err)
			}
			for range round % 11 {
				runtime.Gosched()
			}
			if s.timer.Close() == 1 {
				s.prevented++
				return
			}
			s.hadStarted++
			for s.begun.Load() != s.tenant.Load() {
				runtime.Gosched() // its event has begun, and will get here
			}
		})
		var started int64
		for _, s := range slots {
			assert.EqualValues(t, rounds, s.prevented+s.hadStarted)
			started += s.hadStarted
		}
		assert.NotZero(t, started, "no event has ever been in time: nothing was tested")
	}
}

// Timers are made, reset and closed from many goroutines while the runtime is closed.
func TestCloseMeetsTimers(t *testing.T) {
	rounds := hammer.Rounds(100, 10_000)
	defer hammer.Watch(t, hammer.Limit)()
	for round := range rounds {
		r, err := rt.New(rt.Config{Workers: 1 + round%3})
		require.NoError(t, err)
		var timers []*rt.Timer
		var closed atomic.Bool
		require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
			for range 10 {
				timer, err := rt.Every(*cctx, time.Microsecond, func(cctx **rt.Ctx, _ *rt.Timer) {
					if closed.Load() {
						t.Error("an event after Close")
					}
					rt.After(*cctx, 0, nothingToDo)
				})
				require.NoError(t, err)
				timers = append(timers, timer)
			}
		}))
		var all sync.WaitGroup
		for _, timer := range timers {
			all.Go(func() {
				for timer.Reset(time.Microsecond) == nil {
					timer.Close()
				}
			})
		}
		r.Close()
		closed.Store(true)
		all.Wait()
		require.Zero(t, r.Stats().Sources)
	}
}
