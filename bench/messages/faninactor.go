package messages

import (
	"context"
	"time"

	"github.com/encorert/encorert/rt"
)

// receiver is what all send to.
//
//encore:actor
type receiver struct {
	got  int64
	all  int64
	done chan<- int64 // gets the number of messages; has room for it
}

//encore:new
func (r *receiver) init(cctx **rt.Ctx, all int64, done chan<- int64) { r.all, r.done = all, done }

// Take is one message.
//
//encore:behaviour
func (r *receiver) Take(cctx **rt.Ctx, value uint64) {
	if r.got++; r.got == r.all {
		r.done <- r.got
	}
}

// Credit comes after a burst of a sender, which it allows the next.
//
//encore:behaviour
func (r *receiver) Credit(cctx **rt.Ctx, to Sender) { to.Burst(*cctx) }

// sender sends to the receiver.
//
//encore:actor
type sender struct {
	to    Receiver
	burst int64
	left  int64
}

//encore:new
func (s *sender) init(cctx **rt.Ctx, to Receiver, burst, all int64) {
	s.to, s.burst, s.left = to, burst, all
}

// Burst sends the next messages.
//
//encore:behaviour
func (s *sender) Burst(cctx **rt.Ctx) {
	ctx := *cctx
	n := min(s.burst, s.left)
	s.left -= n
	for i := range n {
		s.to.Take(ctx, uint64(i))
	}
	if s.left > 0 {
		s.to.Credit(ctx, s.Self(ctx))
	}
}

// runFanIn runs a repetition on a runtime of its own.
func runFanIn(p faninParams) (count int64, took time.Duration, _ error) {
	r, err := rt.New(rt.Config{Workers: p.Workers})
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	senders := make([]Sender, p.Senders)
	done := make(chan int64, 1)
	err = r.Run(func(cctx **rt.Ctx) {
		to := NewReceiver(*cctx, p.count(), done)
		for i := range senders {
			senders[i] = NewSender(*cctx, to, int64(p.Burst), p.Each)
		}
	})
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	err = r.Do(context.Background(), func(cctx **rt.Ctx) {
		for _, s := range senders {
			s.Burst(*cctx)
		}
	})
	if err != nil {
		return 0, 0, err
	}
	count, err = await(r, done)
	return count, time.Since(start), err
}
