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

// byHand is a runtime whose time the test lets pass.
type byHand struct {
	t     *testing.T
	r     *rt.Runtime
	clock *rt.ManualClock
}

func newByHand(t *testing.T, workers int) *byHand {
	t.Helper()
	r, clock, err := rt.NewByHand(rt.Config{Workers: workers})
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return &byHand{t: t, r: r, clock: clock}
}

// do runs f as a behaviour.
func (h *byHand) do(f func(ctx *rt.Ctx)) {
	h.t.Helper()
	require.NoError(h.t, h.r.Do(background, func(cctx **rt.Ctx) { f(*cctx) }))
}

// pass lets time pass and waits until all that became due has been handled.
func (h *byHand) pass(d time.Duration) {
	h.t.Helper()
	h.clock.Advance(d, false)
	asleep(h.t, h.r)
}

func TestAfterRunsOnce(t *testing.T) {
	h := newByHand(t, 2)
	events := 0
	var timer *rt.Timer
	h.do(func(ctx *rt.Ctx) {
		var err error
		timer, err = rt.After(ctx, time.Second, func(cctx **rt.Ctx) {
			assert.Equal(t, "rt.After", (*cctx).Self().String())
			events++
		})
		assert.NoError(t, err)
	})
	h.pass(time.Second - 1)
	assert.Equal(t, 0, events)
	assert.Equal(t, 1, h.r.Stats().Sources)
	h.pass(1)
	assert.Equal(t, 1, events)
	assert.Equal(t, 0, h.r.Stats().Sources)
	h.pass(time.Hour)
	assert.Equal(t, 1, events)
	assert.Zero(t, timer.Close(), "it was not in time")
	within(t, func() { require.NoError(t, h.r.Run(nothingToDo)) })
}

// A timer that is not due any more when its call comes.
func TestCloseAndResetOfAfter(t *testing.T) {
	h := newByHand(t, 1)
	events := 0
	var timer *rt.Timer
	h.do(func(ctx *rt.Ctx) { timer, _ = rt.After(ctx, time.Second, func(**rt.Ctx) { events++ }) })
	assert.Equal(t, 1, timer.Close(), "in time")
	assert.Zero(t, timer.Close())
	assert.Zero(t, h.clock.Armed())
	h.pass(time.Hour)
	assert.Equal(t, 0, events)
	assert.Zero(t, h.r.Stats().EventsDropped, "none was due")

	require.NoError(t, timer.Reset(time.Second), "opens it again")
	h.pass(time.Second / 2)
	require.NoError(t, timer.Reset(time.Second))
	h.pass(time.Second / 2)
	assert.Equal(t, 0, events, "it was put off")
	h.pass(time.Second / 2)
	assert.Equal(t, 1, events)

	require.NoError(t, timer.Reset(-time.Second), "at once")
	h.pass(0)
	assert.Equal(t, 2, events)
	h.r.Close()
	assert.Equal(t, rt.ErrClosed, timer.Reset(0))
}

// A call of the clock that comes late, after Close and Reset, is not the event.
func TestLateCallOfTheClock(t *testing.T) {
	h := newByHand(t, 1)
	events := 0
	var once, every *rt.Timer
	h.do(func(ctx *rt.Ctx) {
		once, _ = rt.After(ctx, time.Second, func(**rt.Ctx) { events++ })
		every, _ = rt.Every(ctx, time.Second, func(**rt.Ctx, *rt.Timer) { events++ })
	})
	late := h.clock.Advance(time.Second, true)
	require.Len(t, late, 2)
	once.Close()
	every.Close()
	call := func() {
		for _, f := range late {
			f()
		}
		asleep(t, h.r)
	}
	call()
	assert.Equal(t, 0, events, "closed")
	require.NoError(t, once.Reset(time.Second))
	require.NoError(t, every.Reset(time.Second))
	h.pass(time.Second / 2)
	call()
	assert.Equal(t, 0, events, "not due")
	h.pass(time.Second / 2)
	assert.Equal(t, 2, events)
	call()
	assert.Equal(t, 2, events, "done")
	h.pass(time.Second)
	assert.Equal(t, 3, events, "and the late calls took nothing from the next")
}

// An event that is due but has not begun is taken back by Close and by Reset; the message that told of it is
// nobody's when the timer is open again.
func TestTimerIsClosedWhileItsEventIsUnderWay(t *testing.T) {
	h := newByHand(t, 1)
	events := 0
	var once, every *rt.Timer
	h.do(func(ctx *rt.Ctx) {
		once, _ = rt.After(ctx, time.Second, func(**rt.Ctx) { events++ })
		every, _ = rt.Every(ctx, time.Second, func(**rt.Ctx, *rt.Timer) { events++ })
	})
	h.do(func(ctx *rt.Ctx) { // keeps the only worker
		h.clock.Advance(time.Second, false)
		assert.Equal(t, 1, once.Close())
		assert.Equal(t, 1, every.Close())
		assert.NoError(t, once.Reset(time.Second))
		assert.NoError(t, every.Reset(time.Second))
	})
	asleep(t, h.r)
	assert.Equal(t, 0, events)
	assert.EqualValues(t, 2, h.r.Stats().EventsDropped)
	h.do(func(ctx *rt.Ctx) {
		h.clock.Advance(time.Second, false)
		assert.NoError(t, once.Reset(time.Second))
		assert.NoError(t, every.Reset(time.Second))
	})
	asleep(t, h.r)
	assert.Equal(t, 0, events)
	assert.EqualValues(t, 4, h.r.Stats().EventsDropped)
	h.pass(time.Second)
	assert.Equal(t, 2, events)
}

// Ticks keep to multiples of the period; what comes due while one is waiting is missed, and counted.
func TestEveryDoesNotDrift(t *testing.T) {
	h := newByHand(t, 1)
	events := 0
	var timer *rt.Timer
	h.do(func(ctx *rt.Ctx) {
		timer, _ = rt.Every(ctx, 10*time.Second, func(_ **rt.Ctx, t *rt.Timer) { events++ })
	})
	for _, step := range []struct {
		pass           time.Duration // in seconds
		events, missed int
	}{
		{9, 0, 0}, {1, 1, 0}, {9, 1, 0}, {1, 2, 0}, // at 20
		{13, 3, 0}, {6, 3, 0}, {1, 4, 0}, // at 40: the tick of 30 came at 33
		{39, 5, 2}, {1, 6, 2}, // at 80: of 50 to 79 one came, at 79
		{1000, 7, 101}, {9, 7, 101}, {1, 8, 101},
	} {
		h.pass(step.pass * time.Second)
		assert.Equal(t, step.events, events)
		assert.EqualValues(t, step.missed, timer.Missed())
	}
	assert.EqualValues(t, 101, h.r.Stats().EventsMissed)

	require.NoError(t, timer.Reset(time.Second))
	h.pass(time.Second)
	h.pass(time.Second)
	assert.Equal(t, 10, events)
	require.Error(t, timer.Reset(0))
	h.pass(time.Second)
	assert.Equal(t, 11, events, "as before")
	h.do(func(ctx *rt.Ctx) { // ticks wait for the only worker
		for range 10 {
			h.clock.Advance(time.Second, false)
		}
	})
	asleep(t, h.r)
	assert.Equal(t, 12, events)
	assert.EqualValues(t, 110, timer.Missed())
	assert.Zero(t, timer.Close())
	h.pass(time.Hour)
	assert.Equal(t, 12, events)
	assert.Zero(t, h.clock.Armed())
}

// A timer opens itself again from its own event, and the run stays open for it.
func TestResetFromTheEvent(t *testing.T) {
	events := 0
	require.NoError(t, run(t, rt.Config{Workers: 2}, func(cctx **rt.Ctx) {
		itself := make(chan *rt.Timer, 1)
		timer, err := rt.After(*cctx, 0, func(cctx **rt.Ctx) {
			timer := <-itself // the first event may be faster than who made it
			itself <- timer
			if events++; events < 50 {
				assert.NoError(t, timer.Reset(20*time.Microsecond))
			}
		})
		assert.NoError(t, err)
		itself <- timer
	}))
	assert.Equal(t, 50, events)
}

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

// In systematic mode timers go by logical time: the same seed gives the same order, and an hour takes no time.
func TestSystematicTimers(t *testing.T) {
	trace := func(seed uint64) (order []int, signature uint64) {
		r := runtimeOf(t, rt.Config{Seed: seed})
		within(t, func() {
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				a := spawn(*cctx)
				for k := range 10 {
					ticks := 0
					_, err := rt.Every(*cctx, time.Duration(10+k%3)*time.Minute, func(cctx **rt.Ctx, every *rt.Timer) {
						if ticks++; ticks == 5 {
							every.Close()
						}
						a.do(*cctx, func(**rt.Ctx) { order = append(order, k) })
					})
					require.NoError(t, err)
				}
			}))
		})
		return order, r.Signature()
	}
	orders := map[uint64]bool{}
	for seed := range uint64(20) {
		order, signature := trace(seed + 1)
		require.Len(t, order, 50)
		again, same := trace(seed + 1)
		require.Equal(t, order, again)
		require.Equal(t, signature, same)
		orders[signature] = true
	}
	assert.Greater(t, len(orders), 5, "seeds make no difference")
}
