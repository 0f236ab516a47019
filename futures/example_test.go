package futures_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

// An account is asked twice; AskDeposit is what encorert gen makes of a behaviour with a result.
func Example() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	err = r.Run(func(cctx **rt.Ctx) {
		a := newAccount(*cctx)
		first := a.AskDeposit(*cctx, 100) // sends, and does not wait
		second := a.AskDeposit(*cctx, 20)
		v, err := first.Get(cctx) // this actor waits, its worker does not
		fmt.Println(v, err)
		v, err = second.Await(cctx) // other behaviours of this actor would run meanwhile
		fmt.Println(v, err)
	})
	fmt.Println("run:", err)
	// Output:
	// 100 <nil>
	// 120 <nil>
	// run: <nil>
}

// A promise by hand: whoever has it may answer, once.
func ExamplePromise() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	var p futures.Promise[string]
	_ = r.Do(context.Background(), func(cctx **rt.Ctx) {
		p = futures.NewPromise[string](*cctx, nil)
		fmt.Println(p.Fulfil(*cctx, "the answer"))
		fmt.Println(p.Fail(*cctx, errors.New("too late")))
	})
	v, err := p.Future().Wait(context.Background()) // outside the runtime
	fmt.Println(v, err)
	// Output:
	// <nil>
	// futures: the promise is already fulfilled
	// the answer <nil>
}

// Functions are chained without waiting; an error goes past those that come after it.
func ExampleChain() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	_ = r.Run(func(cctx **rt.Ctx) {
		balance := newAccount(*cctx).AskDeposit(*cctx, 70)
		check := func(least int64) futures.Future[string] {
			checked := futures.Chain(*cctx, balance, func(_ **rt.Ctx, v int64) (int64, error) {
				if v < least {
					return 0, fmt.Errorf("%d is less than %d", v, least)
				}
				return v, nil
			})
			return futures.Chain(*cctx, checked, func(_ **rt.Ctx, v int64) (string, error) {
				return fmt.Sprint("a balance of ", v), nil
			})
		}
		poor, rich := check(50), check(100)
		text, err := poor.Await(cctx)
		fmt.Printf("%q %v\n", text, err)
		text, err = rich.Await(cctx)
		fmt.Printf("%q %v\n", text, err)
	})
	// Output:
	// "a balance of 70" <nil>
	// "" 70 is less than 100
}

// A function that needs a heap object takes it as an argument: what a closure captures cannot be traced.
func ExampleChainWith() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	_ = r.Run(func(cctx **rt.Ctx) {
		list := newCons(*cctx, newCons(*cctx, nil, 2), 1)
		deposit := newAccount(*cctx).AskDeposit(*cctx, 10)
		sum := futures.ChainWith(*cctx, deposit, list, func(_ **rt.Ctx, v int64, list *cons) (int64, error) {
			for c := list; c != nil; c = c.next {
				v += c.value
			}
			return v, nil
		})
		gc.Collect(cctx) // list is kept for the function
		fmt.Println(sum.Await(cctx))
	})
	// Output: 13 <nil>
}

// A function that belongs to no actor runs beside the one that chained it.
func ExampleChainDetached() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	_ = r.Run(func(cctx **rt.Ctx) {
		deposit := newAccount(*cctx).AskDeposit(*cctx, 6)
		squared := futures.ChainDetached(*cctx, deposit, func(_ **rt.Ctx, v int64) (int64, error) { return v * v, nil })
		fmt.Println(squared.Get(cctx)) // which would be a deadlock for a function chained with Chain
	})
	// Output: 36 <nil>
}

// A function that belongs to no actor runs as a task, which has an id.
func ExampleAsync() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	_ = r.Run(func(cctx **rt.Ctx) {
		task, err := futures.Async(cctx, "sum", func(**rt.Ctx) (int, error) { return 40 + 2, nil })
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(task.Get(cctx))
		info, there := r.Task(task.ID) // from any goroutine
		fmt.Println(info.Label, info.State, there)
	})
	// Output:
	// 42 <nil>
	// sum ended true
}

// Tasks that are submitted together have ids that follow each other.
func ExampleAsyncEach() {
	r, err := rt.New(rt.Config{Tasks: 8})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	_ = r.Run(func(cctx **rt.Ctx) {
		square := func(_ **rt.Ctx, i int) (int, error) { return i * i, nil }
		tasks, err := futures.AsyncEach(cctx, "squares", 4, square)
		if err != nil {
			log.Fatal(err)
		}
		for _, task := range tasks {
			v, _ := task.Await(cctx)
			fmt.Println(task.ID, v)
		}
		_, err = futures.AsyncEach(cctx, "squares", 9, square)
		fmt.Println(err)
	})
	// Output:
	// 1 0
	// 2 1
	// 3 4
	// 4 9
	// rt: submitting "squares", 9 of 8 slots (Config.Tasks): more than the ring has
}

// A parallel collection: what is there and what will be, in one order; functions are called as their values come.
func ExamplePar() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	err = r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		a := newAccount(ctx)
		p := futures.Merge(futures.Lift(a.AskDeposit(ctx, 100)), futures.Each([]int64{3, 4}), futures.Lift(a.AskDeposit(ctx, 20)))
		squares := futures.Map(ctx, p, func(_ **rt.Ctx, v int64) (int64, error) { return v * v, nil })
		all, err := futures.Extract(ctx, squares).Get(cctx)
		fmt.Println(all, err)
		add := func(_ **rt.Ctx, a, b int64) (int64, error) { return a + b, nil }
		fmt.Println(futures.Reduce(*cctx, squares, 0, add).Get(cctx))
		fmt.Println(futures.First(*cctx, p).Get(cctx)) // whichever of p is there first: here those that were never awaited
	})
	fmt.Println("run:", err)
	// Output:
	// [10000 9 16 14400] <nil>
	// 24425 <nil>
	// 3 <nil>
	// run: <nil>
}

// A wait that gives up: the future stays, and can be waited for again.
func ExampleFuture_AwaitWithin() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	_ = r.Run(func(cctx **rt.Ctx) {
		p := futures.NewPromise[string](*cctx, nil)
		_, err := p.Future().AwaitWithin(cctx, time.Millisecond)
		var late *futures.DeadlineError
		fmt.Println(errors.As(err, &late), errors.Is(err, os.ErrDeadlineExceeded))
		_ = p.Fulfil(*cctx, "late")
		fmt.Println(p.Future().AwaitWithin(cctx, time.Millisecond))
	})
	// Output:
	// true true
	// late <nil>
}

// Nobody wants the answer any more: what has not begun does not run.
func ExampleFuture_Cancel() {
	r, err := rt.New(rt.Config{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	_ = r.Run(func(cctx **rt.Ctx) {
		a := newAccount(*cctx)
		deposit := a.AskDeposit(*cctx, 100)
		fmt.Println(deposit.Cancel(*cctx))
		_, err := deposit.Get(cctx)
		fmt.Println(errors.Is(err, futures.ErrCanceled))
		fmt.Println(a.AskDeposit(*cctx, 1).Get(cctx))
	})
	// Output:
	// true
	// true
	// 1 <nil>
}

// Several futures become one.
func ExampleAll() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	_ = r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		a, b := newAccount(ctx), newAccount(ctx)
		fmt.Println(futures.All(ctx, a.AskDeposit(ctx, 1), b.AskDeposit(ctx, 2)).Get(cctx))
		ctx = *cctx
		never, soon := futures.NewPromise[int64](ctx, nil), a.AskDeposit(ctx, 10)
		fmt.Println(futures.Race(ctx, never.Future(), soon).Get(cctx))
	})
	// Output:
	// [1 2] <nil>
	// 11 <nil>
}

// Two that get from each other: the one who closes the circle is told, and so the other goes on.
func ExampleDeadlockError() {
	r, err := rt.New(rt.Config{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	_ = r.Run(func(cctx **rt.Ctx) {
		a, b := spawn(*cctx), spawn(*cctx)
		var found error
		answer := ask(*cctx, a, func(cctx **rt.Ctx) (string, error) {
			return ask(*cctx, b, func(cctx **rt.Ctx) (string, error) {
				_, found = ask(*cctx, a, echo("hello")).Get(cctx)
				return "found", nil
			}).Get(cctx)
		})
		v, err := answer.Get(cctx)
		fmt.Println(v, err)
		fmt.Println(found)
	})
	// Output:
	// found <nil>
	// futures: deadlock: test.clerk.Ask gets the future of test.clerk.Ask, while test.clerk gets the future of test.clerk.Ask: a circle (one of them must await)
}

// A promise that gets lost.
func ExampleNewWatchedPromise() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	waiting := make(chan error)
	_ = r.Do(context.Background(), func(cctx **rt.Ctx) {
		spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
			_, answer := futures.NewWatchedPromise[int](*cctx) // nobody keeps the promise
			_, err := answer.Await(cctx)
			waiting <- err
		})
	})
	fmt.Println(<-waiting) // after a collection, which comes within a second or two
	// Output: futures: nobody holds the promise any more, and so nobody can answer
}

// A producer yields values; whoever reads them may be slower, and the producer then waits.
func ExampleStream() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	err = r.Run(func(cctx **rt.Ctx) {
		s := futures.Produce(*cctx, 4, func(cctx **rt.Ctx, y futures.Yield[int]) error {
			for a, b := 1, 1; a < 5; a, b = b, a+b {
				if err := y.Yield(cctx, a); err != nil {
					return err
				}
			}
			return nil
		})
		for v, err := range s.All(cctx) {
			fmt.Println(v, err)
		}
	})
	fmt.Println("run:", err)
	// Output:
	// 1 <nil>
	// 1 <nil>
	// 2 <nil>
	// 3 <nil>
	// run: <nil>
}

// A producer that is a behaviour of an actor is given a Yield, and ends it.
func ExampleNewStream() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	err = r.Run(func(cctx **rt.Ctx) {
		y, s := futures.NewStream[string](*cctx, 1)
		clerk := spawn(*cctx)
		clerk.do(*cctx, func(cctx **rt.Ctx) {
			defer func() { y.End(*cctx, nil) }()
			for _, word := range []string{"one", "two"} {
				if y.Yield(cctx, word) != nil {
					return
				}
			}
		})
		first, err := s.Get(cctx)
		fmt.Println(first, err)
		s, err = s.Next(cctx)
		fmt.Println(err)
		fmt.Println(s.Get(cctx))
	})
	fmt.Println("run:", err)
	// Output:
	// one <nil>
	// <nil>
	// two <nil>
	// run: <nil>
}
