package spread

import (
	"context"
	"time"

	"github.com/encorert/encorert/rt"
)

// foreman hands the units out and collects what they computed.
//
//encore:actor
type foreman struct {
	units int
	out   outcome
	done  chan<- outcome // has room for the outcome
}

// Start starts all units.
//
//encore:behaviour
func (f *foreman) Start(cctx **rt.Ctx, units, steps int, done chan<- outcome) {
	start := time.Now()
	ctx := *cctx
	f.units, f.done = units, done
	self := f.Self(ctx)
	for range units {
		NewUnit(ctx).Compute(ctx, self, steps)
	}
	f.out.busy += time.Since(start)
}

// Done is a unit's report.
//
//encore:behaviour
func (f *foreman) Done(cctx **rt.Ctx, result uint64, took time.Duration) {
	f.out.done++
	f.out.sum += result
	f.out.busy += took
	if f.out.done == int64(f.units) {
		f.done <- f.out
	}
}

// unit computes.
//
//encore:actor
type unit struct{}

// Compute computes and reports it.
//
//encore:behaviour
func (u *unit) Compute(cctx **rt.Ctx, to Foreman, steps int) {
	start := time.Now()
	result := compute(steps)
	to.Done(*cctx, result, time.Since(start))
}

// actors runs the job on a runtime of its own.
func (p params) actors() (outcome, error) {
	r, err := rt.New(rt.Config{Workers: p.Workers})
	if err != nil {
		return outcome{}, err
	}
	defer r.Close()
	var f Foreman
	if err := r.Run(func(cctx **rt.Ctx) { f = NewForeman(*cctx) }); err != nil {
		return outcome{}, err
	}
	done := make(chan outcome, 1)
	start := time.Now()
	err = r.Do(context.Background(), func(cctx **rt.Ctx) { f.Start(*cctx, p.Units, p.Steps, done) })
	if err != nil {
		return outcome{}, err
	}
	select {
	case o := <-done:
		o.took = time.Since(start)
		return o, nil
	case <-r.Done():
		return outcome{}, r.Err()
	}
}
