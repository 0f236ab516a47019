package answers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

//go:generate go tool encorert gen

// account answers.
//
//encore:actor
type account struct{ balance int64 }

// Add adds to the balance and answers what it is then.
//
//encore:behaviour
func (a *account) Add(cctx **rt.Ctx, amount int64) int64 {
	a.balance += amount
	return a.balance
}

// trip asks the account once, in whatever way, and returns what it answers.
type trip func(cctx **rt.Ctx, a Account) (int64, error)

// plusNone is what chain chains: the least there is to do.
func plusNone(_ **rt.Ctx, v int64) (int64, error) { return v, nil }

// batch is how many questions ask has under way at once.
const batch = 100

// trips are the ways, for each question.
var trips = map[string]trip{
	variantGet:   func(cctx **rt.Ctx, a Account) (int64, error) { return a.AskAdd(*cctx, 1).Get(cctx) },
	variantAwait: func(cctx **rt.Ctx, a Account) (int64, error) { return a.AskAdd(*cctx, 1).Await(cctx) },
	variantChain: func(cctx **rt.Ctx, a Account) (int64, error) {
		return futures.Chain(*cctx, a.AskAdd(*cctx, 1), plusNone).Await(cctx)
	},
	variantSuspend: func(cctx **rt.Ctx, a Account) (int64, error) {
		f := a.AskAdd(*cctx, 1)
		for {
			if v, err, there := f.TryGet(*cctx); there {
				return v, err
			}
			if err := futures.Suspend(cctx); err != nil {
				return 0, err
			}
		}
	},
}

// one makes round trips, one after the other.
func (p params) one(t trip) harness.Repeat {
	return p.run(func(cctx **rt.Ctx, a Account) (last int64, err error) {
		for range p.Trips {
			if last, err = t(cctx, a); err != nil {
				return last, err
			}
		}
		return last, nil
	})
}

// many asks in batches, and reads all answers of a batch then.
func (p params) many() harness.Repeat {
	return p.run(func(cctx **rt.Ctx, a Account) (last int64, err error) {
		var fs [batch]futures.Future[int64]
		for left := p.Trips; left > 0; {
			n := min(left, batch)
			for i := range n {
				fs[i] = a.AskAdd(*cctx, 1)
			}
			for _, f := range fs[:n] {
				if last, err = f.Get(cctx); err != nil {
					return last, err
				}
			}
			left -= n
		}
		return last, nil
	})
}

// run runs body on an actor beside an account, in a runtime of their own. What the account has counted is the count.
func (p params) run(body func(cctx **rt.Ctx, a Account) (int64, error)) harness.Repeat {
	return func() (rep harness.Repetition, err error) {
		r, err := rt.New(rt.Config{Workers: p.Workers})
		if err != nil {
			return rep, err
		}
		defer r.Close()
		var failed error
		err = r.Do(context.Background(), func(cctx **rt.Ctx) {
			a := NewAccount(*cctx)
			start := time.Now()
			rep.Count, failed = body(cctx, a)
			rep.Millis = time.Since(start).Seconds() * 1e3
		})
		if err := errors.Join(err, failed); err != nil {
			return rep, fmt.Errorf("futures: %w", err)
		}
		return rep, nil
	}
}
