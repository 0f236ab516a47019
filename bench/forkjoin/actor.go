package forkjoin

import (
	"errors"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

//go:generate go run ../../cmd/encorert gen .

// adder is an actor that computes one number: it asks another one for the first part, and computes the second itself.
//
//encore:actor
type adder struct{ calls int64 }

// total is a number and how many calls it took.
type total struct{ value, calls int64 }

//encore:behaviour
func (a *adder) Fib(cctx **rt.Ctx, n int) (total, error) {
	a.calls = 0
	value, err := a.fib(cctx, n)
	return total{value, a.calls}, err
}

func (a *adder) fib(cctx **rt.Ctx, n int) (int64, error) {
	a.calls++
	if n < 2 {
		return int64(n), nil
	}
	first := NewAdder(*cctx).AskFib(*cctx, n-1)
	second, err := a.fib(cctx, n-2)
	if err != nil {
		return 0, err
	}
	t, err := first.Await(cctx)
	a.calls += t.calls
	return t.value + second, err
}

// fibTasks does the same with tasks. Where the ring is full a call does both parts itself.
func fibTasks(cctx **rt.Ctx, n int) (total, error) {
	if n < 2 {
		return total{int64(n), 1}, nil
	}
	task, refused := futures.Async(cctx, "fib", func(cctx **rt.Ctx) (total, error) { return fibTasks(cctx, n-1) })
	second, err := fibTasks(cctx, n-2)
	if err != nil {
		return total{}, err
	}
	var first total
	switch {
	case refused == nil:
		first, err = task.Await(cctx)
	case errors.Is(refused, rt.ErrTaskWaits):
		first, err = fibTasks(cctx, n-1)
	default:
		err = refused
	}
	return total{first.value + second.value, first.calls + second.calls + 1}, err
}

// fibGoroutines does the same with goroutines: the answer comes over a channel.
func fibGoroutines(n int) total {
	if n < 2 {
		return total{int64(n), 1}
	}
	answer := make(chan total, 1)
	go func() { answer <- fibGoroutines(n - 1) }()
	second := fibGoroutines(n - 2)
	first := <-answer
	return total{first.value + second.value, first.calls + second.calls + 1}
}
