package rt

import (
	"errors"
	"os"
	"os/signal"
	"slices"
	"unsafe"
)

// Signals is an event source of operating system signals. It holds the run open until it is closed.
type Signals struct {
	source
	f      func(cctx **Ctx, s *Signals, sig os.Signal)
	came   fifo[os.Signal] // each at most once; guarded by mu
	caught chan os.Signal
	closed chan struct{}
}

var (
	signalsType  = ActorType{Name: "rt.Notify"}
	signalsEvent = Behaviour{Name: "signal", Run: runSignals}
)

// caughtSignals is how many different signals may come at once. More are waiting in the system.
const caughtSignals = 64

// Notify has f run, as a behaviour, for each of these signals that the process gets, until the source is closed. f is
// given the source, since it may run before Notify has returned. As in the system itself, a signal that comes while the
// same one has not been handled is one with it (Stats counts it as missed). What else os/signal.Notify says holds: the
// signals no longer end the process meanwhile. A leaf. The error says that f is nil or that there are no signals, or why
// the runtime has stopped. f names actors by the handles it captures; it must not capture objects of an actor's heap.
func Notify(ctx *Ctx, f func(cctx **Ctx, s *Signals, sig os.Signal), signals ...os.Signal) (*Signals, error) {
	switch err := ctx.outside(); {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, errNoFunction
	case len(signals) == 0: // to os/signal that is all of them, SIGURG too, by which Go's scheduler preempts
		return nil, errors.New("rt: Notify of no signals")
	case slices.Contains(signals, nil):
		return nil, errors.New("rt: Notify of a nil signal")
	}
	s := &Signals{f: f, caught: make(chan os.Signal, caughtSignals), closed: make(chan struct{})}
	s.init(ctx, &signalsType, &signalsEvent, s)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(); err != nil {
		return nil, err
	}
	signal.Notify(s.caught, signals...)
	go s.catch()
	return s, nil
}

func (s *Signals) catch() {
	for {
		select {
		case sig := <-s.caught:
			s.offer(sig)
		case <-s.closed:
			return
		}
	}
}

func (s *Signals) offer(sig os.Signal) {
	s.mu.Lock()
	if !s.open {
		s.mu.Unlock()
		s.actor.rt.sources.dropped.Add(1)
		return
	}
	if slices.Contains(s.came.waiting(), sig) {
		s.mu.Unlock()
		s.actor.rt.sources.missed.Add(1)
		return
	}
	s.came.push(sig)
	first := s.tell()
	s.mu.Unlock()
	if first {
		s.post()
	}
}

func runSignals(cctx **Ctx, a *Actor, _ *Message) {
	s := (*Signals)(unsafe.Pointer(a))
	s.mu.Lock()
	sig := s.came.pop()
	s.told = s.came.len() > 0
	more := s.told
	s.mu.Unlock()
	if more {
		s.again(*cctx)
	}
	if sig != nil {
		s.f(cctx, s, sig)
	}
}

// Close ends the source: once it has returned, no event begins that had not begun, and the signals do again what they
// did before Notify, unless somebody else has asked for them. It reports how many events it has so dropped (Stats counts
// them). One that has begun goes on. From anywhere; calls after the first do nothing and return 0.
func (s *Signals) Close() int {
	s.mu.Lock()
	if !s.open {
		s.mu.Unlock()
		return 0
	}
	signal.Stop(s.caught) // it has got all that it will get
	n := s.came.drop()
	for len(s.caught) > 0 {
		select {
		case <-s.caught:
			n++
		default: // catch was faster, and counts it
		}
	}
	close(s.closed)
	s.end()
	s.mu.Unlock()
	s.actor.rt.dropped(n)
	return n
}
