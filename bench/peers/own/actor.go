// Package own has what the root module's workloads do not: ask and spawn, on encorert.
package own

import (
	"time"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/peers/library"
	"github.com/encorert/encorert/rt"
)

//go:generate go tool encorert gen

// answerer answers questions.
//
//encore:actor
type answerer struct{}

// Answer is a question and its answer.
//
//encore:behaviour
func (a *answerer) Answer(cctx **rt.Ctx, k int) int { return k }

// asker asks.
//
//encore:actor
type asker struct{ answers int64 }

// AskAll asks one question after the other, and waits for each answer.
//
//encore:behaviour
func (a *asker) AskAll(cctx **rt.Ctx, of Answerer, times int) error {
	for k := range times {
		answer, err := of.AskAnswer(*cctx, k).Get(cctx)
		if err != nil {
			return err
		}
		if answer == k {
			a.answers++
		}
	}
	return nil
}

// Answers returns how many there were.
//
//encore:behaviour
func (a *asker) Answers(cctx **rt.Ctx) int64 { return a.answers }

// counter counts the greetings.
//
//encore:actor
type counter struct{ n int64 }

// Greeted counts one.
//
//encore:behaviour
func (c *counter) Greeted(cctx **rt.Ctx) { c.n++ }

// Count returns how many there were.
//
//encore:behaviour
func (c *counter) Count(cctx **rt.Ctx) int64 { return c.n }

// greeter handles one message and is forgotten.
//
//encore:actor
type greeter struct{}

// Hello is that message.
//
//encore:behaviour
func (g *greeter) Hello(cctx **rt.Ctx, to Counter) { to.Greeted(*cctx) }

// ask is a repetition on a runtime of its own.
func ask(p library.Count) (harness.Repetition, error) {
	return timed(p, func(cctx **rt.Ctx) (func(**rt.Ctx) (int64, error), error) {
		a := NewAsker(*cctx)
		_, err := a.AskAskAll(*cctx, NewAnswerer(*cctx), p.Times).Get(cctx)
		return func(cctx **rt.Ctx) (int64, error) { return a.AskAnswers(*cctx).Get(cctx) }, err
	})
}

// spawn is a repetition on a runtime of its own.
func spawn(p library.Count) (harness.Repetition, error) {
	return timed(p, func(cctx **rt.Ctx) (func(**rt.Ctx) (int64, error), error) {
		ctx := *cctx
		c := NewCounter(ctx)
		for range p.Times {
			NewGreeter(ctx).Hello(ctx, c)
		}
		return func(cctx **rt.Ctx) (int64, error) { return c.AskCount(*cctx).Get(cctx) }, nil
	})
}

// timed runs a job until nothing is left to do, and then asks it for the count.
func timed(p library.Count, job func(cctx **rt.Ctx) (count func(cctx **rt.Ctx) (int64, error), _ error)) (rep harness.Repetition, _ error) {
	r, err := rt.New(rt.Config{Workers: p.Workers})
	if err != nil {
		return rep, err
	}
	defer r.Close()
	var count func(**rt.Ctx) (int64, error)
	var failed error
	start := time.Now()
	if err := r.Run(func(cctx **rt.Ctx) { count, failed = job(cctx) }); err != nil {
		return rep, err
	}
	took := time.Since(start)
	if failed != nil {
		return rep, failed
	}
	err = r.Run(func(cctx **rt.Ctx) { rep.Count, failed = count(cctx) })
	rep.Millis = took.Seconds() * 1000
	if err == nil {
		err = failed
	}
	return rep, err
}
