package contend

import (
	"fmt"
	"time"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/rt"
)

//go:generate go tool encorert gen

// counter increments what all counters share.
//
//encore:actor
type counter struct{}

// Increment does it a number of times, under the lock.
//
//encore:behaviour
func (c *counter) Increment(cctx **rt.Ctx, s *shared, times int) error {
	for range times {
		if err := s.lock.Lock(cctx); err != nil {
			return err
		}
		s.total++
		s.lock.Unlock(*cctx)
	}
	return nil
}

// shared is the number, and the lock that guards it.
type shared struct {
	lock  rt.Mutex
	total int64
}

// actors runs a number of them at once, in a runtime of their own.
func (p params) actors(n int) harness.Repeat {
	return func() (harness.Repetition, error) {
		r, err := rt.New(rt.Config{Workers: p.Workers})
		if err != nil {
			return harness.Repetition{}, err
		}
		defer r.Close()
		var s shared
		start := time.Now()
		err = r.Run(func(cctx **rt.Ctx) {
			for range n {
				NewCounter(*cctx).Increment(*cctx, &s, p.Increments)
			}
		})
		took := time.Since(start)
		if err != nil {
			return harness.Repetition{}, err
		}
		if want := int64(n) * int64(p.Increments); s.total != want {
			return harness.Repetition{}, fmt.Errorf("contend: %d increments were lost", want-s.total)
		}
		return harness.Repetition{Millis: took.Seconds() * 1000, Count: s.total, Values: map[string]float64{
			valueWakes: float64(r.Stats().Sleeps),
		}}, nil
	}
}
