package messages

import (
	"time"
	"unsafe"

	"github.com/encorert/encorert/bench/goroutines"
)

// goReceiver is the receiver as a goroutine.
type goReceiver struct {
	goroutines.Actor
	got  int64
	all  int64
	done chan<- int64
}

// goSender is a sender as a goroutine.
type goSender struct {
	goroutines.Actor
	to    *goReceiver
	burst int64
	left  int64
	next  *goroutines.Behaviour // the burst of the kind that all are
}

// Descriptors of the messages; init breaks the cycle between them and what they call.
var (
	goTake     = goroutines.Behaviour{Name: "Take", Run: runTake}
	goCredit   = goroutines.Behaviour{Name: "Credit", Run: runCredit}
	chanBurst  = goroutines.Behaviour{Name: "Burst"} // by channel
	sliceBurst = goroutines.Behaviour{Name: "Burst"} // by slice
)

func init() {
	chanBurst.Run = func(a *goroutines.Actor, _ *goroutines.Message) {
		s := senderAt(a)
		for i := range s.take() {
			goroutines.SendChannel(a, &s.to.Actor, goroutines.Message{B: &goTake, W0: uint64(i)})
		}
		s.wait()
	}
	sliceBurst.Run = func(a *goroutines.Actor, _ *goroutines.Message) {
		s := senderAt(a)
		for i := range s.take() {
			goroutines.SendSlice(&s.to.Actor, goroutines.Message{B: &goTake, W0: uint64(i)})
		}
		s.wait()
	}
}

// The casts of generated code: each behaviour is sent to one type of actor, which begins with its Actor.
func senderAt(a *goroutines.Actor) *goSender { return (*goSender)(unsafe.Pointer(a)) }

func runTake(a *goroutines.Actor, _ *goroutines.Message) {
	r := (*goReceiver)(unsafe.Pointer(a))
	if r.got++; r.got == r.all {
		r.done <- r.got
	}
}

func runCredit(a *goroutines.Actor, m *goroutines.Message) {
	s := (*goSender)(m.P0)
	goroutines.Send(a, &s.Actor, goroutines.Message{B: s.next})
}

// take returns how many messages the next burst has.
func (s *goSender) take() int64 {
	n := min(s.burst, s.left)
	s.left -= n
	return n
}

// wait asks for credit if there is more to send.
func (s *goSender) wait() {
	if s.left > 0 {
		goroutines.Send(&s.Actor, &s.to.Actor, goroutines.Message{B: &goCredit, P0: unsafe.Pointer(s)})
	}
}

// runGoFanIn runs a repetition.
func runGoFanIn(p faninParams, kind goroutines.Kind) (count int64, took time.Duration) {
	done := make(chan int64, 1)
	to := &goReceiver{all: p.count(), done: done}
	burst := &chanBurst
	if kind == goroutines.Slice {
		burst = &sliceBurst
	}
	group := goroutines.NewGroup(kind)
	group.Start(&to.Actor, p.Senders*(p.Burst+1)) // all that can wait
	senders := make([]*goSender, p.Senders)
	for i := range senders {
		senders[i] = &goSender{to: to, burst: int64(p.Burst), left: p.Each, next: burst}
		group.Start(&senders[i].Actor, 2)
	}
	start := time.Now()
	for _, s := range senders {
		goroutines.Inject(&s.Actor, goroutines.Message{B: burst})
	}
	count = <-done
	took = time.Since(start)
	group.Stop()
	return count, took
}
