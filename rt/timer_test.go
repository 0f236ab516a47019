package rt_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
