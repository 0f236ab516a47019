package spawn

import (
	"runtime"
	"sync"
	"time"

	"github.com/encorert/encorert/bench/harness"
)

// message has the size of encorert's.
type message struct {
	in    *tally
	words [5]uint64
}

// goroutines makes a goroutine for each message, which it is started with. That is less than an actor does, since nobody could
// send it another one; but it is what Go programs do.
func (p params) goroutines() (harness.Repetition, error) {
	var in tally
	var all sync.WaitGroup
	start := time.Now()
	all.Add(p.Actors)
	for range p.Actors {
		go func(m message) {
			m.in.handled.Add(1)
			all.Done()
		}(message{in: &in})
	}
	all.Wait()
	return harness.Repetition{Millis: time.Since(start).Seconds() * 1e3, Count: in.handled.Load()}, nil
}

// idleGoroutines makes goroutines with a channel each, on which they have received one message and wait for the next.
func (p params) idleGoroutines() (harness.Repetition, error) {
	var in tally
	var ended, handled sync.WaitGroup
	kept := make([]chan message, p.Idle)
	before := memory()
	start := time.Now()
	handled.Add(p.Idle)
	for i := range kept {
		mailbox := make(chan message)
		ended.Go(func() {
			for m := range mailbox {
				m.in.handled.Add(1)
				handled.Done()
			}
		})
		kept[i] = mailbox
		mailbox <- message{in: &in}
	}
	handled.Wait()
	took := time.Since(start)
	bytes := memory() - before
	for _, mailbox := range kept {
		close(mailbox)
	}
	ended.Wait()
	runtime.KeepAlive(kept)
	return p.idleRepetition(took, in.handled.Load(), bytes)
}
