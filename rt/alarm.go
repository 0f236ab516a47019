package rt

import (
	"time"
	"unsafe"
)

// What follows is for waits that something else than a behaviour may end, such as the clock. It runs on no worker, and so
// has no context.

// Parked is the strand of a waiter, as what runs on no worker needs it.
type Parked struct {
	strand  *strand
	actor   *Actor
	blocked bool
}

// Parked is for the Commit of a wait, before it publishes: what it returns may be kept, while w belongs to the wait.
func (w *Waiter) Parked() Parked {
	s := w.strand
	return Parked{s, s.actor, s.mode == blocked}
}

// Unpark ends the wait, as the function Unpark does, of which only one may be called. From any goroutine; never waits.
func (p Parked) Unpark() {
	rt := p.actor.rt
	if !p.blocked && !p.actor.push(Message{B: &resumption, P0: unsafe.Pointer(p.strand)}) {
		return
	}
	rt.inject.Push(p.actor) // a blocked strand owned it; resume was set before Commit published
	rt.wakeOne()
}

// UnparkFrom is Unpark for a behaviour. A leaf.
func (p Parked) UnparkFrom(ctx *Ctx) { Unpark(ctx, &p.strand.waiter) }

// Alarm is one call of the clock that bounds a wait. It holds the run open until it is stopped. The zero Alarm was not set.
// Owner: the wait.
type Alarm struct {
	rt    *Runtime
	timer clockTimer
}

// SetAlarm has f called on some goroutine when d has passed, not from inside of SetAlarm. f must not wait for long. From any
// goroutine.
func (rt *Runtime) SetAlarm(d time.Duration, f func()) Alarm {
	rt.hold()
	return Alarm{rt, rt.clock.afterFunc(d, f)}
}

// Stop takes the call back if it has not begun, and gives the hold back. A leaf: the run cannot end before the worker that
// calls it has looked for work again.
func (a *Alarm) Stop(ctx *Ctx) {
	if a.rt == nil {
		return
	}
	a.timer.Stop()
	a.rt.holds.Add(-1) // this worker will look for the end of the run itself, before it sleeps
	*a = Alarm{}
}

// Now is the time by the runtime's clock, which is logical in systematic mode (Config.Seed). From any goroutine.
func (rt *Runtime) Now() time.Time { return rt.clock.now() }
