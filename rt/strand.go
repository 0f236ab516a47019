package rt

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"unsafe"

	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/invariant"
	coroutine "github.com/encorert/encorert/internal/strand"
)

// strand is a stack that runs behaviours: find an actor, run a batch of its messages, find the next. A behaviour that
// must wait parks its whole strand; the worker goes on with another.
//
// Owner of all fields, unless said otherwise: whoever drives it. While it runs that is its worker; while it is parked,
// whoever got it from Unpark; while it is in a pool, the pool.
type strand struct {
	cell     *Ctx // the context cell: every cctx on this stack points here
	incoming *Ctx // Writers: the worker that is about to resume. Readers: land
	stack    *coroutine.Coroutine[departure]
	yield    func(departure) bool
	shadow   heap.Shadow

	// The activation: what this strand runs or has parked.
	actor   *Actor
	current *Behaviour     // nil between behaviours
	reply   unsafe.Pointer // its promise, if it has one

	// The wait. Writers: the strand before it is left. Readers: the worker that commits; after that whoever unparks,
	// and the report of blocked actors while all workers sleep.
	waiter Waiter
	wait   Wait
	mode   waitMode // running: it does not wait
	left   int      // the worker that it left, for the mode that always migrates

	nextParked, prevParked *strand // in the actor's list; Owner: the actor's
	index                  int     // in Runtime.strands; guarded by its mutex
	goroutine              int64   // in invariant builds
}

// waitMode says how a strand waits.
type waitMode uint8

const (
	running   waitMode = iota
	blocked            // Block: the actor's mailbox is closed meanwhile
	awaiting           // Await: other behaviours of the actor run meanwhile
	suspended          // Suspend: it goes on behind the messages that wait now
)

// departure is why a strand is left.
type departure struct {
	parked bool
	step   bool    // nothing has happened: the driver of all workers may go on with another, see systematic.go
	target *strand // not parked: resume this one instead
}

func newStrand() *strand {
	s := new(strand)
	s.waiter.strand = s
	s.stack = coroutine.New(s.body)
	return s
}

// body is the scheduling loop. It returns when the runtime stops.
func (s *strand) body(yield func(departure) bool) {
	s.yield = yield
	s.goroutine = invariant.Goroutine()
	s.land()
	if s.cell.worker.seat != nil {
		defer steppingOn(s)()
	}
	ended := false
	defer func() {
		if !ended {
			s.lost()
		}
	}()
	if s.cell.worker.rt.cfg.Guard {
		debug.SetPanicOnFault(true) // of this goroutine: the use of a freed object is the behaviour's panic
	}
	for {
		a := s.cell.worker.find()
		if a == nil {
			ended = true
			return
		}
		if seat := s.cell.worker.seat; seat != nil {
			seat.turn(a)
		}
		if target := s.run(a); target != nil {
			if !s.leave(departure{target: target}) {
				ended = true
				return
			}
		}
	}
}

// lost is the end of a strand whose stack is left by Goexit: of a behaviour, of Config.OnPanic, or when it unwinds. The
// worker's goroutine is lost with it (see drive); the actor is not.
func (s *strand) lost() {
	ctx, a := s.cell, s.actor
	rt := ctx.worker.rt
	if a != nil {
		ctx.leave(a)
		s.actor = nil
		if !rt.unwinding.Load() {
			ctx.worker.yieldActor(a)
		}
	}
	rt.forget(s)
}

// leave goes back to the worker and returns when the strand is resumed, on whatever worker that is; false: unwind.
func (s *strand) leave(d departure) bool {
	if invariant.Enabled {
		s.cell.goroutine = 0 // nobody may use the context until a strand lands
	}
	ok := s.yield(d)
	s.land()
	return ok
}

// land stores the context of the worker that drives the strand now: the one write through a context cell, and so the
// one refresh that every cctx on this stack sees.
func (s *strand) land() {
	s.cell = s.incoming
	ctx := s.cell
	ctx.Shadow = &s.shadow
	ctx.strand = s
	if invariant.Enabled {
		ctx.goroutine = s.goroutine
	}
}

// memoryFault is what a bad address panics with under debug.SetPanicOnFault.
type memoryFault interface {
	error
	Addr() uintptr
}

// guard ends a batch that did not end by itself: it tells panic, Goexit and unwinding apart. Runs deferred, on the
// strand, so that the stack it records is the behaviour's.
func (s *strand) guard(end *batchEnd) {
	if *end != batchBroken {
		return
	}
	value := recover()
	ctx := s.cell
	rt := ctx.worker.rt
	s.shadow.Top = 0
	if w := ctx.worker; w.attention.Load() != 0 {
		w.heed()
	}
	b, reply := s.current, s.reply
	s.current, s.reply = nil, nil
	if value == nil && rt.unwinding.Load() {
		if b != nil && b.Fail != nil {
			b.Fail(ctx, reply, ErrClosed)
		}
		return // the Goexit goes on, see lost
	}
	if value == nil {
		value = ErrGoexit
	}
	if err, ok := value.(error); ok && rt.cfg.Guard {
		if fault, ok := errors.AsType[memoryFault](err); ok { // perhaps in a share of the gang
			value = fmt.Errorf("%w: %s", err, heap.Describe(fault.Addr()))
		}
	}
	err := &PanicError{Actor: s.actor.typ.Name, Value: value, Stack: debug.Stack()}
	if b != nil {
		err.Behaviour = b.Name
	}
	if b != nil && b.Fail != nil {
		b.Fail(ctx, reply, err)
	} else if h := rt.cfg.OnPanic; h != nil {
		h(err)
	} else {
		rt.stop(err)
	}
}

// unwind runs the deferred functions of a parked strand and ends it. By Goexit and not by a panic, which user code
// could recover. Called on a goroutine that may end with it.
func (s *strand) unwind(closing *Ctx) {
	s.incoming = closing
	s.stack.Stop()
}

// exit is the other side of unwind: the wait that was parked ends here.
func (s *strand) exit() {
	s.cell.enter(s.actor)
	runtime.Goexit()
}
