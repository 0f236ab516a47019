package rt

import (
	"fmt"
	"time"
	"unsafe"
)

// Timer is an event source that goes by the clock. It holds the run open until it is closed. All methods may be called
// from anywhere, inside or outside, and never wait.
type Timer struct {
	source
	f      func(cctx **Ctx, t *Timer)
	fires  clockTimer    // guarded by mu
	period time.Duration // 0: once; guarded by mu
	at     time.Time     // when the next event is due; guarded by mu
	due    bool          // it is due and has not begun; implies open; guarded by mu
	missed uint64        // guarded by mu
}

var (
	afterType  = ActorType{Name: "rt.After"}
	everyType  = ActorType{Name: "rt.Every"}
	timerEvent = Behaviour{Name: "event", Run: runTimer}
)

// After has f run once, as a behaviour, when d has passed; at once where d is not positive. Then the timer is closed: the
// run is held open no longer than any behaviour does. A leaf. The error says that f is nil, or why the runtime has
// stopped. f names actors by the handles it captures; it must not capture objects of an actor's heap.
func After(ctx *Ctx, d time.Duration, f func(cctx **Ctx)) (*Timer, error) {
	if f == nil {
		return nil, errNoFunction
	}
	return newTimer(ctx, &afterType, d, 0, func(cctx **Ctx, _ *Timer) { f(cctx) })
}

// Every has f run, as a behaviour, whenever another period has passed, until the timer is closed. f is given the timer,
// since it may run before Every has returned. A leaf. The error says that f is nil or the period not positive, or why the
// runtime has stopped.
//
// The times do not drift. What comes due while the event before has not begun is not queued: it is missed (see Missed),
// and the next is due at the next multiple of the period.
func Every(ctx *Ctx, period time.Duration, f func(cctx **Ctx, t *Timer)) (*Timer, error) {
	if f == nil {
		return nil, errNoFunction
	}
	if period <= 0 {
		return nil, badPeriod(period)
	}
	return newTimer(ctx, &everyType, period, period, f)
}

func badPeriod(period time.Duration) error {
	return fmt.Errorf("rt: a timer's period is %v, want more than 0", period)
}

func newTimer(ctx *Ctx, typ *ActorType, d, period time.Duration, f func(cctx **Ctx, t *Timer)) (*Timer, error) {
	t := &Timer{f: f, period: period}
	t.init(ctx, typ, &timerEvent, t)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.start(d); err != nil {
		return nil, err
	}
	return t, nil
}

// start has the next event due d from now. REQUIRES: mu, not due.
func (t *Timer) start(d time.Duration) error {
	if !t.open {
		if err := t.begin(); err != nil {
			return err
		}
	}
	clock := t.actor.rt.clock
	t.at = clock.now().Add(d)
	if t.fires == nil {
		t.fires = clock.afterFunc(d, t.fire)
	} else {
		t.fires.Reset(d)
	}
	return nil
}

// fire is called by the clock. It may come late, from before a Close or Reset, so it looks whether an event is due.
func (t *Timer) fire() {
	t.mu.Lock()
	if !t.open || t.due {
		t.mu.Unlock()
		return
	}
	if early := t.at.Sub(t.actor.rt.clock.now()); early > 0 {
		t.fires.Reset(early) // changes nothing where Reset was called for the same time
		t.mu.Unlock()
		return
	}
	t.due = true
	first := t.tell()
	t.mu.Unlock()
	if first {
		t.post()
	}
}

func runTimer(cctx **Ctx, a *Actor, _ *Message) {
	t := (*Timer)(unsafe.Pointer(a))
	if t.take() {
		t.f(cctx, t)
	}
}

// take begins an event if one is due. The next tick is waited for only from here on: so at most one is ever due, and
// those that were missed are counted and not queued.
func (t *Timer) take() bool {
	rt := t.actor.rt
	t.mu.Lock()
	t.told = false
	if !t.due {
		t.mu.Unlock()
		return false
	}
	t.due = false
	if t.period == 0 {
		t.end()
		t.mu.Unlock()
		rt.release() // the running behaviour keeps the run open
		return true
	}
	now := rt.clock.now()
	missed := max(now.Sub(t.at), 0) / t.period
	t.at = t.at.Add(missed * t.period).Add(t.period)
	t.fires.Reset(t.at.Sub(now))
	t.missed += uint64(missed)
	t.mu.Unlock()
	rt.sources.missed.Add(uint64(missed))
	return true
}

// Reset has the event of an After run d from now, and not when it was to run before; it makes d the period of an Every,
// beginning now. An event that was due and had not begun is dropped (Stats counts it). A timer that is closed, because its
// event has begun or by Close, is opened again. A behaviour that has sent something before calls Flush in between, if the
// event must not overtake that. The error says that the period is not positive, or why the runtime has stopped; the timer
// is as it was then.
func (t *Timer) Reset(d time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.period != 0 && d <= 0 {
		return badPeriod(d)
	}
	if err := t.actor.rt.Err(); err != nil {
		return err
	}
	if t.due {
		t.due = false
		t.actor.rt.sources.dropped.Add(1)
	}
	if t.period != 0 {
		t.period = d
	}
	return t.start(d)
}

// Close ends the timer: once it has returned, no event begins that had not begun. It reports how many it has so
// prevented: for After 1 if the event had not begun; for Every 1 if one was due. One that has begun goes on. Calls on a
// closed timer do nothing and return 0.
func (t *Timer) Close() int {
	t.mu.Lock()
	if !t.open {
		t.mu.Unlock()
		return 0
	}
	dropped := 0
	if t.due {
		t.due = false
		dropped = 1
	}
	prevented := dropped
	if t.period == 0 {
		prevented = 1
	}
	t.fires.Stop()
	t.end()
	t.mu.Unlock()
	t.actor.rt.dropped(dropped)
	return prevented
}

// Missed reports how many ticks of an Every came due while the one before had not begun.
func (t *Timer) Missed() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.missed
}
