package gang

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/encorert/encorert/internal/invariant"
)

var (
	// ErrClosed is returned for a job that was not begun because the gang is closed.
	ErrClosed = errors.New("gang: closed")
	// ErrBusy is returned by Try for a job that was not begun because another one runs.
	ErrBusy = errors.New("gang: busy with another job")
	// ErrNoWorkers is returned by Delegate of a gang without workers.
	ErrNoWorkers = errors.New("gang: no workers to delegate to")
)

// MaxWorkers is the most workers that a gang can have.
const MaxWorkers = runningMask - 1

// Gang is a caller, whoever that is, and workers. All methods may be called from any goroutine, but not by a share of a job
// of the same gang.
type Gang struct {
	word word // the round
	_    [56]byte

	// job is what the shares of the round do; nil between rounds. Owner: who has the turn; participants read it while
	// they run a share.
	job func(*Share)
	// panicked is the first panic of a share of the round. Writers: participants, by CompareAndSwap from nil; who has the
	// turn takes it away. Without the swap a later panic could replace the one that caused it.
	panicked atomic.Pointer[Panic]
	// permit wakes the caller. There is room: one is sent by who clears the mark that the caller sleeps. Made before the gang is used.
	permit chan struct{}
	turn   sync.Mutex // held while a round runs
	// closed is true when no further round begins. Writers: Close. Readers: callers, once they have the turn: so Close, which
	// takes it afterwards, waits for a round that has not seen it.
	closed atomic.Bool
	shares []Share // by participant. Owner: each its own.
	alone  alone   // Owner: who has the turn.

	closing sync.Once
	crew    crew
}

// Share is a part of a job that a participant has claimed. Valid until the job's function returns.
//
// Owner: the participant.
type Share struct {
	// Participant is the number of who runs the share: 0 for the caller, 1 to Workers for the workers. Those that
	// run at the same time have different numbers.
	Participant int
	// Index is the number of the share. The shares that Run was called for have 0 to n-1, in the order in which they are claimed,
	// and added ones follow.
	Index int

	gang *Gang
}

// Panic is what Run panics with when a share has panicked. It is an error, and unwraps to the value if that is one.
//
// Owner: who made it, and then who catches it.
type Panic struct {
	Value any    // what the share panicked with
	Stack []byte // of the participant, at the panic
}

func (p *Panic) Error() string { return fmt.Sprintf("gang: share panicked: %v", p.Value) }

// Unwrap returns the value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// New makes a gang of a number of workers, 0 to MaxWorkers, none of which is started yet. Close it.
func New(workers int) *Gang {
	if workers < 0 || workers > MaxWorkers {
		panic(fmt.Sprintf("gang: %d workers, want 0 to %d", workers, MaxWorkers))
	}
	g := &Gang{
		permit: make(chan struct{}, 1),
		shares: make([]Share, workers+1),
	}
	for p := range g.shares {
		g.shares[p] = Share{Participant: p, gang: g}
	}
	g.crew.init(workers)
	return g
}

// Workers returns the number of workers.
func (g *Gang) Workers() int { return len(g.shares) - 1 }

// Run calls job for n shares and for those that these add, each once, on the calling goroutine and on workers, and returns
// when all have returned. A share must not wait for another to be begun: perhaps no worker comes. It waits while another job runs. The error is nil, or ErrClosed: then no share was begun. If a
// share panics the others run all the same, and then Run panics with the first *Panic.
func (g *Gang) Run(n int, job func(*Share)) error {
	g.turn.Lock()
	return g.round(n, job, true)
}

// Try is Run, but where another job runs it begins nothing and returns ErrBusy.
func (g *Gang) Try(n int, job func(*Share)) error {
	if !g.turn.TryLock() {
		return ErrBusy
	}
	return g.round(n, job, true)
}

// Delegate is Run, but the caller takes no share: it wakes workers and sleeps. It is what Run is compared with.
// A gang without workers returns ErrNoWorkers.
func (g *Gang) Delegate(n int, job func(*Share)) error {
	if g.Workers() == 0 {
		return ErrNoWorkers
	}
	g.turn.Lock()
	return g.round(n, job, false)
}

// round does a job. REQUIRES: the turn, which it gives back.
func (g *Gang) round(n int, job func(*Share), takePart bool) error {
	defer g.end() // by Goexit as well
	switch {
	case g.closed.Load():
		return ErrClosed
	case n < 0 || n > maxShares:
		panic(fmt.Sprintf("gang: job of %d shares, want 0 to %d", n, maxShares))
	case job == nil:
		panic("gang: job is nil")
	case n == 0:
		return nil
	}
	g.job = job
	if !takePart {
		g.word.open(n, false)
		g.summon(n)
		g.attend(none, false)
		return nil
	}
	woke := false
	g.alone.begin()
	g.word.open(n, true)
	if !g.alone.first {
		woke = g.summon(n - 1)
	}
	g.attend(0, true)
	g.alone.end(woke, g.word.shares())
	return nil
}

// attend returns when the round has ended. first is a share that the caller has claimed.
func (g *Gang) attend(first int, takePart bool) {
	left := true
	defer func() {
		if !left {
			return
		}
		// A share has ended this goroutine by Goexit: what others do must be waited for all the same, and nobody else may
		// be there for what is unclaimed.
		next := none
		if takePart {
			next = g.word.claim()
		}
		g.attend(next, takePart)
	}()
	g.workAsCaller(first)
	for !g.word.await(g.permit) {
		if takePart {
			g.workAsCaller(g.word.claim())
		}
	}
	left = false
}

// end makes way for the next round, and panics if a share has.
func (g *Gang) end() {
	invariant.Point("gang.end")
	g.job = nil
	p := g.panicked.Load()
	if p != nil {
		g.panicked.Store(nil)
	}
	invariant.Point("gang.end")
	g.turn.Unlock()
	invariant.Point("gang.ended")
	if p != nil {
		panic(p)
	}
}

// work runs a claimed share, and then others until none is unclaimed.
func (g *Gang) work(participant, index int) {
	for index != none {
		index = g.run(participant, index)
	}
}

// run runs a claimed share, and claims the next one.
func (g *Gang) run(participant, index int) (next int) {
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		if v != nil {
			g.panicked.CompareAndSwap(nil, &Panic{Value: v, Stack: debug.Stack()})
		}
		next = g.finish(v != nil) // this goroutine ends, if it was Goexit
	}()
	s := &g.shares[participant]
	s.Index = index
	g.job(s)
	returned = true
	return g.finish(true)
}

// finish ends a share, and claims the next one if the caller goes on. It must not touch the job again, but for that one.
func (g *Gang) finish(goesOn bool) (next int) {
	next, wake := g.word.finish(goesOn)
	if wake {
		g.permit <- struct{}{}
	}
	return next
}

// workAsCaller is work for the caller.
func (g *Gang) workAsCaller(index int) {
	for index != none {
		index = g.run(0, index)
		g.alone.ran++
		if index != none && g.alone.isLong() {
			g.summon(g.word.left())
		}
	}
}

// Add makes n more shares of the job, which anybody may claim at once. It reports false, and adds none, where there would be
// more than a round can count (64 million): the share then does by itself what there is to do. For the running share only.
func (s *Share) Add(n int) bool {
	g := s.gang
	ok, wake := g.word.add(n)
	if !ok {
		return false
	}
	if wake {
		g.permit <- struct{}{}
	}
	g.summon(n)
	return true
}

// Close refuses further jobs, those that wait for their turn included, waits for the one that runs, and ends the workers.
// Calls after the first wait for the same.
func (g *Gang) Close() {
	g.closing.Do(func() {
		g.closed.Store(true)
		invariant.Point("gang.close")
		g.turn.Lock()
		defer g.turn.Unlock()
		g.dismiss()
	})
	g.crew.alive.Wait()
}
