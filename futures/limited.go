package futures

import (
	"time"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// GetWithin is Get that gives up after d, by the runtime's clock: then it returns a *DeadlineError, the future stays as it
// is, and whoever else waits for it goes on waiting. An answer that is there when the behaviour goes on is returned, also if
// the time is over. Where d is not positive it does not wait. Three Go allocations, if it waits.
//
// While it waits the run does not end.
func (f Future[T]) GetWithin(cctx **rt.Ctx, d time.Duration) (T, error) {
	c := f.cell()
	if !c.answered() {
		c.check(*cctx)
		err := c.ownGet(*cctx)
		if err == nil {
			err = c.within(cctx, d, rt.Block)
		}
		if err != nil {
			var none T
			return none, err
		}
	}
	return c.read(*cctx)
}

// AwaitWithin is Await that gives up after d, as GetWithin does.
func (f Future[T]) AwaitWithin(cctx **rt.Ctx, d time.Duration) (T, error) {
	c := f.cell()
	if !c.answered() {
		c.check(*cctx)
		if err := c.within(cctx, d, rt.Await); err != nil {
			var none T
			return none, err
		}
	}
	return c.read(*cctx)
}

// GetUntil is GetWithin up to a moment of rt.Runtime.Now.
func (f Future[T]) GetUntil(cctx **rt.Ctx, deadline time.Time) (T, error) {
	return f.GetWithin(cctx, deadline.Sub((*cctx).Runtime().Now()))
}

// AwaitUntil is AwaitWithin up to a moment of rt.Runtime.Now.
func (f Future[T]) AwaitUntil(cctx **rt.Ctx, deadline time.Time) (T, error) {
	return f.AwaitWithin(cctx, deadline.Sub((*cctx).Runtime().Now()))
}

// limited is one wait that ends with the answer or with its time. Who comes first has taken the entry out of the gate's
// list, under its lock: this decides.
type limited struct {
	entry
	header *header
	d      time.Duration
	alarm  rt.Alarm // set under the gate's lock
}

// Describe is for package rt (interface rt.Wait).
func (l *limited) Describe() string { return l.header.Describe() }

// Commit is for package rt (interface rt.Wait): it registers the strand, and only then has the time begin.
func (l *limited) Commit(w *rt.Waiter) bool {
	l.parked = w.Parked()
	return l.header.enter(&l.entry, func() { l.alarm = l.header.runtime.SetAlarm(l.d, l.expire) })
}

// expire is called by the clock.
func (l *limited) expire() {
	invariant.PointUnderLock("futures.expire") // the clock may be that of a systematic runtime, which must not step here
	if l.leave() {
		l.parked.Unpark()
	}
}

// within waits for the answer or until d has passed; nil says that the answer is there. wait is rt.Block or rt.Await.
func (h *header) within(cctx **rt.Ctx, d time.Duration, wait func(cctx **rt.Ctx, w rt.Wait) error) error {
	if d <= 0 {
		return h.late(*cctx, d)
	}
	l := &limited{header: h, d: d}
	defer func() { // also when the strand unwinds
		l.leave()
		l.alarm.Stop(*cctx)
	}()
	if err := wait(cctx, l); err != nil {
		return err
	}
	if !h.answered() {
		return h.late(*cctx, d)
	}
	return nil
}

func (h *header) late(ctx *rt.Ctx, d time.Duration) error {
	e := &DeadlineError{Actor: ctx.Self().String(), Future: h.Describe(), Within: d}
	if b := ctx.Behaviour(); b != nil {
		e.Behaviour = b.Name
	}
	return e
}
