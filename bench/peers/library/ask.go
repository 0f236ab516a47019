package library

import (
	"sync"
	"time"

	"github.com/encorert/encorert/bench/harness"
)

// Count is how often ask and spawn do what they do.
type Count struct {
	Times   int `json:"times"`
	Workers int `json:"workers"`
}

// Messages of ask and spawn.
type (
	question struct{ k int }
	askAll   struct{ done chan<- error }
	hello    struct{}
)

// ask lets one actor ask another, one question after the other, and wait for each answer.
func (l Library) ask(p Count) harness.Repeat {
	return l.repeat(func(s System) (harness.Repetition, error) {
		answerer, err := s.Spawn(func(c Context, message any) {
			if q, ok := message.(*question); ok {
				c.Respond(q)
			}
		})
		if err != nil {
			return harness.Repetition{}, err
		}
		var answers int64
		asker, err := s.Spawn(func(c Context, message any) {
			m, ok := message.(*askAll)
			if !ok {
				return
			}
			q := &question{}
			for range p.Times {
				answer, err := c.Ask(answerer, q)
				if err != nil {
					m.done <- err
					return
				}
				if answer == any(q) {
					answers++
				}
			}
			m.done <- nil
		})
		if err != nil {
			return harness.Repetition{}, err
		}
		done := make(chan error, 1)
		start := time.Now()
		s.Send(asker, &askAll{done})
		err = <-done
		return repetition(answers, time.Since(start)), err
	})
}

// spawn starts actors that handle one message and stop.
func (l Library) spawn(p Count) harness.Repeat {
	return l.repeat(func(s System) (harness.Repetition, error) {
		var greeted sync.WaitGroup
		greeted.Add(p.Times)
		receive := func(c Context, message any) {
			if _, ok := message.(*hello); ok {
				c.StopSelf()
				greeted.Done()
			}
		}
		start := time.Now()
		for range p.Times {
			ref, err := s.Spawn(receive)
			if err != nil {
				return harness.Repetition{}, err
			}
			s.Send(ref, &hello{})
		}
		greeted.Wait()
		return repetition(int64(p.Times), time.Since(start)), nil
	})
}
