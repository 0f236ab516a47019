package answers

import (
	"time"

	"github.com/encorert/encorert/bench/harness"
)

// request is a message of the size of encorert's, and where its answer goes.
type request struct {
	words [5]uint64
	reply chan int64
}

// channels asks a goroutine over its channel. There is one channel for all answers, which is the cheapest in Go; a future is
// for one answer. Both channels have room for one message: the one who asks need not wait until it is taken.
func (p params) channels() harness.Repeat {
	return func() (harness.Repetition, error) {
		requests := make(chan request, 1)
		go func() {
			var balance int64
			for q := range requests {
				balance += int64(q.words[0])
				q.reply <- balance
			}
		}()
		defer close(requests)
		reply := make(chan int64, 1)
		var last int64
		start := time.Now()
		for range p.Trips {
			q := request{reply: reply}
			q.words[0] = 1
			requests <- q
			last = <-reply
		}
		return harness.Repetition{Millis: time.Since(start).Seconds() * 1e3, Count: last}, nil
	}
}
