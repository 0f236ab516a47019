package rt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/encorert/encorert/internal/invariant"
)

// root is the actor that a function from outside runs on.
type root struct {
	Actor
	f func(cctx **Ctx)
	// state: pending, then either started and ended (by the worker) or given up (by the caller whose time is over).
	// Pairs with itself: f is called only if the caller has not given up. Readers of ended: the driver of a systematic
	// runtime.
	state  atomic.Uint32
	done   chan error
	inside bool // who waits for Do is a behaviour itself; see held in task.go
}

const (
	rootPending uint32 = iota
	rootStarted
	rootEnded
	rootGivenUp
)

var (
	mainType = ActorType{Name: "rt.Run", MailboxLimit: -1}
	doType   = ActorType{Name: "rt.Do", MailboxLimit: -1}
	runMain  = Behaviour{Name: "main", Run: runRoot}
	runDo    = Behaviour{Name: "do", Run: runRoot, Fail: failRoot}
	runDone  = Behaviour{Name: "done", Run: runRootDone}
)

func runRoot(cctx **Ctx, _ *Actor, m *Message) {
	r := (*root)(m.P1)
	m.P1 = nil
	if r.state.CompareAndSwap(rootPending, rootStarted) {
		r.f(cctx)
		Flush(*cctx)      // who waits for Do may send by another one
		if r.pressing() { // it may be muted now: then it is done when it handles a message again
			r.done <- errHeld
			Send(*cctx, &r.Actor, Message{B: &runDone, P1: unsafe.Pointer(r)})
			return
		}
		r.answer(nil)
	}
}

func runRootDone(_ **Ctx, _ *Actor, m *Message) {
	r := (*root)(m.P1)
	m.P1 = nil
	r.answer(nil)
}

// errHeld is a first answer: f has returned, and another answer will come when the actor may go on.
var errHeld = errors.New("rt: held back")

var errNoFunction = errors.New("rt: the function to run is nil")

func failRoot(ctx *Ctx, reply unsafe.Pointer, err error) {
	Flush(ctx) // see runRoot
	(*root)(reply).answer(err)
}

func (r *root) answer(err error) {
	r.state.Store(rootEnded)
	r.done <- err
}

// Run calls main as a behaviour on an actor of its own and waits for the end of the run: no actor can run any more and
// nothing holds the run open. Then it returns nil; or a *BlockedError that names the behaviours that still wait; or,
// at once, the *PanicError that ended the run or ErrClosed. It may be called again after nil or a *BlockedError. Inside a
// behaviour it returns ErrInside.
func (rt *Runtime) Run(main func(cctx **Ctx)) error {
	if main == nil {
		return errNoFunction
	}
	if inside() {
		return ErrInside
	}
	end := rt.untilQuiet(func() { rt.start(&root{f: main, done: make(chan error, 2)}, &mainType, &runMain) })
	select {
	case err := <-end:
		return err
	case <-rt.stopped:
		return rt.Err()
	}
}

// untilQuiet calls begin and returns where the end of the run will be told, which is not before begin has returned.
func (rt *Runtime) untilQuiet(begin func()) <-chan error {
	end := make(chan error, 1)
	hold := rt.Hold() // what begin starts is not yet where checkQuiet looks
	rt.mu.Lock()
	rt.quiet = append(rt.quiet, end)
	rt.mu.Unlock()
	begin()
	hold.Release()
	return end
}

// Shutdown waits until no actor can run any more and nothing holds the run open, and then closes the runtime. If stdctx
// ends first, it closes at once what then still runs, as Close, and returns stdctx's error, which then names the event
// sources that are open; else what Run would return. Do may still be called meanwhile, and prolongs the wait. Inside a
// behaviour it does nothing and returns ErrInside.
func (rt *Runtime) Shutdown(stdctx context.Context) error {
	if inside() {
		return ErrInside
	}
	var err error
	select {
	case err = <-rt.untilQuiet(func() {}):
	case <-stdctx.Done():
		err = fmt.Errorf("rt: Shutdown: %w%s", stdctx.Err(), rt.stillOpen())
	case <-rt.stopped:
		err = rt.Err()
	}
	rt.Close()
	return err
}

// Do calls f as a behaviour on an actor of its own and waits until f has returned, not for what f has sent. A panic in
// f is returned as a *PanicError. If stdctx ends first, Do returns its error: f has then either not been called and
// never will be, or goes on by itself. If the runtime stops first, Do returns why: f has then not been called, or waits
// for something, which Close will end, or has returned and is held back.
//
// If f has sent to an actor that has too many messages (Config.MailboxLimit), Do returns when that one has worked off
// what is needed, so that goroutines outside feel the pressure as actors do.
//
// Inside a behaviour Do holds the worker, so that it is for calls to other runtimes, and for actors of this one a send is
// better. A behaviour that has sent something before calls Flush in between, if f must not overtake that. f runs on another
// worker, or on a spare one after a while; where there can be none (Config.Spares), Do returns
// ErrInside. If the runtime stops, Do does not wait for an f that has been called; nor is it held back.
func (rt *Runtime) Do(stdctx context.Context, f func(cctx **Ctx)) error {
	if f == nil {
		return errNoFunction
	}
	if err := stdctx.Err(); err != nil {
		return fmt.Errorf("rt: Do: %w", err)
	}
	if err := rt.Err(); err != nil {
		return err
	}
	within := inside()
	if rt.cfg.Spares == 0 && within {
		return ErrInside
	}
	r := &root{f: f, done: make(chan error, 2), inside: within}
	rt.start(r, &doType, &runDo)
	over := rt.stopped
	for {
		select {
		case err := <-r.done:
			switch {
			case err != errHeld:
				return err
			case inside(): // what the behaviour waits for may wait for the behaviour
				return nil
			}
			continue
		case <-stdctx.Done():
			r.state.CompareAndSwap(rootPending, rootGivenUp)
			return fmt.Errorf("rt: Do: %w", stdctx.Err())
		case <-over:
		}
		if !r.state.CompareAndSwap(rootPending, rootGivenUp) && over == rt.stopped && !inside() {
			over = rt.ended // f has begun. If not, a behaviour may wait for this goroutine: then all workers do not end before
			continue
		}
		select {
		case err := <-r.done:
			if err != errHeld {
				return err
			}
		default:
		}
		return rt.Err()
	}
}

// start makes a root actor ready. From any goroutine.
func (rt *Runtime) start(r *root, t *ActorType, b *Behaviour) {
	a := &r.Actor
	a.init(rt, t)
	a.box.Claim() // nobody else knows the actor
	a.box.PushLocal(nil, Message{B: b, P1: unsafe.Pointer(r)})
	if rt.driver != nil {
		rt.driver.post(r)
		return
	}
	rt.probe.set(a, rt.clock.now())
	rt.inject.Push(a)
	rt.wakeOne()
}

// wakeOne and wakeWorker are the lot's, counted, for what is no worker.
func (rt *Runtime) wakeOne() {
	if rt.lot.WakeOne() {
		rt.wakes.Add(1)
	}
}

func (rt *Runtime) wakeWorker(w int) {
	if rt.lot.WakeWorker(w) {
		rt.wakes.Add(1)
	}
}

// Hold keeps the run open for something outside that will still send: a goroutine that calls Do later.
type Hold struct {
	rt       *Runtime
	released atomic.Bool
}

// Hold keeps every Run from ending until the hold is released.
func (rt *Runtime) Hold() *Hold {
	rt.hold()
	return &Hold{rt: rt}
}

func (rt *Runtime) hold() { rt.holds.Add(1) }

// release takes one hold back, and looks for the end of the run if it was the last.
func (rt *Runtime) release() {
	if rt.holds.Add(-1) == 0 {
		rt.checkQuiet() // the workers may all have gone to sleep before
	}
}

// Release ends the hold. Calls after the first do nothing.
func (h *Hold) Release() {
	if h.released.CompareAndSwap(false, true) {
		h.rt.release()
	}
}

// checkQuiet ends the run if nothing can happen any more: every worker is announced asleep and cannot be woken while
// this looks, nothing is queued, and nothing outside holds the run open. Called by every worker whose last look found
// nothing, hence by the last one too, and when the last hold is released.
//
// A worker that still takes its last look counts as asleep; if that look is to find something, it is still in a queue
// here, since it is taken only after the announcement was taken back.
func (rt *Runtime) checkQuiet() {
	rt.lot.AllAsleep(func() {
		if rt.anythingDue() { // most often; then mu is left alone
			return
		}
		invariant.PointUnderLock("rt.checkQuiet")
		rt.mu.Lock() // inside of the lot's lock: nobody may sleep, wake or announce with mu held
		defer rt.mu.Unlock()
		// Once more, now that the list is fixed: a Run that is in it has a hold, its main in a queue, or a worker awake,
		// but one that came after the first look must not be told of what that found.
		if len(rt.quiet) == 0 || rt.anythingDue() {
			return
		}
		err := rt.blockedError()
		for _, end := range rt.quiet {
			end <- err
		}
		rt.quiet = nil
	})
}

// anythingDue looks at all that keeps a run open while every worker sleeps.
func (rt *Runtime) anythingDue() bool {
	if rt.holds.Load() != 0 || rt.anyShared() || rt.driver != nil && rt.driver.anyPosted() {
		return true
	}
	for _, w := range rt.everyWorker() {
		if !w.pinned.Empty() {
			return true
		}
	}
	return false
}

// Main runs main on a runtime with the default config, and ends the process: with status 0, 2 after a panic in a
// behaviour, or 1 after another error, which it prints. It is the only function of this package that ends the process.
func Main(main func(cctx **Ctx)) { os.Exit(mainStatus(main)) }

func mainStatus(main func(cctx **Ctx)) int {
	rt, err := New(Config{})
	if err == nil {
		err = rt.Run(main)
		rt.Close()
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	if p, ok := errors.AsType[*PanicError](err); ok {
		fmt.Fprintf(os.Stderr, "\n%s", p.Stack)
		return 2
	}
	return 1
}
