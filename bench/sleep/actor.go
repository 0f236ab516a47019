package sleep

import (
	"context"
	"errors"
	"unsafe"

	"github.com/encorert/encorert/bench/goroutines"
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/rt"
)

// walkerAt is the cast of generated code: the behaviour is sent to walkers only, which begin with their Actor.
func walkerAt(a *goroutines.Actor) *goWalker { return (*goWalker)(unsafe.Pointer(a)) }

// walker passes messages on: the load before idling.
//
//encore:actor
type walker struct {
	all  []Walker // shared by all walkers, who only read it
	hops int64
}

// Meet says who may be sent to.
//
//encore:behaviour
func (w *walker) Meet(cctx **rt.Ctx, all []Walker) { w.all = all }

// Walk is one hop.
//
//encore:behaviour
func (w *walker) Walk(cctx **rt.Ctx, left int) {
	w.hops++
	if left > 0 {
		ctx := *cctx
		w.all[goroutines.Scale(ctx.Rand(), len(w.all))].Walk(ctx, left-1)
	}
}

// Hops returns how many hops ended here.
//
//encore:behaviour
func (w *walker) Hops(cctx **rt.Ctx) int64 { return w.hops }

// selfSender sends to itself until it is stopped.
//
//encore:actor
type selfSender struct{ stopped bool }

// Again is the message that goes on and on.
//
//encore:behaviour
func (s *selfSender) Again(cctx **rt.Ctx) {
	if !s.stopped {
		ctx := *cctx
		s.Self(ctx).Again(ctx)
	}
}

// Stop ends it.
//
//encore:behaviour
func (s *selfSender) Stop(cctx **rt.Ctx) { s.stopped = true }

// idleActors runs the load on a runtime of its own, idles, and counts afterwards.
func (p idleParams) idleActors() (rep harness.Repetition, _ error) {
	r, err := rt.New(rt.Config{Workers: p.Workers})
	if err != nil {
		return rep, err
	}
	defer r.Close()
	all := make([]Walker, walkers)
	err = r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		for i := range all {
			all[i] = NewWalker(ctx)
		}
		for _, w := range all { // before the first walks, for it may reach any of them
			w.Meet(ctx, all)
		}
		for i, w := range all {
			w.Walk(ctx, p.share(i)-1)
		}
	})
	if err != nil {
		return rep, err
	}
	rep = p.measure()
	var failed error
	err = r.Run(func(cctx **rt.Ctx) {
		for _, w := range all {
			hops, err := w.AskHops(*cctx).Get(cctx)
			if err != nil {
				failed = err
			}
			rep.Count += hops
		}
	})
	return rep, errors.Join(err, failed)
}

// wakeActors injects into a runtime of its own.
func (p wakeParams) wakeActors() (harness.Repetition, error) {
	r, err := rt.New(rt.Config{Workers: p.Workers})
	if err != nil {
		return harness.Repetition{}, err
	}
	defer r.Close()
	busy := make([]SelfSender, p.Busy)
	err = r.Do(context.Background(), func(cctx **rt.Ctx) {
		for i := range busy {
			busy[i] = NewSelfSender(*cctx)
			busy[i].Again(*cctx)
		}
	})
	if err != nil {
		return harness.Repetition{}, err
	}
	before := r.Stats().Sleeps
	rep, err := p.repeat(func(f func()) (bool, error) {
		stdctx, cancel := context.WithTimeout(context.Background(), lostAfter)
		defer cancel()
		err := r.Do(stdctx, func(**rt.Ctx) { f() })
		if errors.Is(err, context.DeadlineExceeded) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return rep, err
	}
	rep.Values[valueSleeps] = float64(r.Stats().Sleeps-before) / float64(p.Injections)
	return rep, r.Do(context.Background(), func(cctx **rt.Ctx) {
		for _, s := range busy {
			s.Stop(*cctx)
		}
	})
}
