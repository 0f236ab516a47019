package rt

import (
	"unsafe"

	"github.com/encorert/encorert/internal/invariant"
)

// This file is the door through which package futures (or any other synchronisation object) makes a behaviour wait,
// as Go's channels do through gopark.

// Wait is what a behaviour waits for.
type Wait interface {
	// Describe says it in a report: "the future of bank.account.Balance".
	Describe() string
	// Commit publishes w, so that somebody will call Unpark with it, exactly once; or returns false if there is
	// nothing to wait for any more. It runs on the worker after the strand was left, so that the strand may be
	// resumed elsewhere before Commit has returned: after publishing, it must not touch w again.
	Commit(w *Waiter) bool
}

// Waiter stands for one parked strand. Owner: the strand; from a Commit that returns true to Unpark, the wait.
type Waiter struct {
	Next   *Waiter // free for the wait to link waiters with
	strand *strand
}

// Strand reports whether w stands for a parked strand. A wait may have other waiters in the same list, made of structs
// that start with a Waiter of their own; those are not for Unpark.
func (w *Waiter) Strand() bool { return w.strand != nil }

// Block parks the behaviour with the actor's mailbox closed: no other behaviour of the actor runs until Unpark. The
// worker goes on with other actors. Returns ErrClosed when the runtime is closing.
func Block(cctx **Ctx, wait Wait) error { return (*cctx).strand.park(blocked, wait) }

// Await parks the behaviour with the mailbox open: other behaviours of the actor run meanwhile, one at a time, and the
// parked one goes on by a message of its own. Returns ErrClosed when the runtime is closing.
func Await(cctx **Ctx, wait Wait) error { return (*cctx).strand.park(awaiting, wait) }

// Suspend lets the messages that wait now run first, then goes on. Returns ErrClosed when the runtime is closing.
func Suspend(cctx **Ctx) error { return (*cctx).strand.park(suspended, nil) }

// Unpark ends the wait of w. A leaf. The caller must not touch w again. It panics if the strand is of another runtime.
func Unpark(ctx *Ctx, w *Waiter) {
	ctx.CheckLeaf()
	invariant.Point("rt.Unpark")
	s := w.strand
	a := s.actor
	if s.mode == blocked {
		if a.rt != ctx.worker.rt {
			misdirected(a)
		}
		// The blocked strand owned the actor; now we do. resume was set before Commit published w.
		ctx.worker.enqueue(a)
		return
	}
	if a == nil { // Close has unwound the strand, and unwinds the caller's
		return
	}
	Send(ctx, a, Message{B: &resumption, P0: unsafe.Pointer(s)})
}

// park leaves the strand until it is resumed, perhaps on another worker.
func (s *strand) park(mode waitMode, wait Wait) error {
	ctx := s.cell
	rt := ctx.worker.rt
	ctx.CheckLeaf()
	if rt.unwinding.Load() {
		return ErrClosed
	}
	a := s.actor
	if rt.cfg.CollectAlways && a.heap != nil {
		s.collect()
	}
	invariant.Point("rt.park")
	ctx.leave(a)
	s.mode, s.wait, s.left = mode, wait, ctx.worker.id
	if mode == blocked {
		a.resume = s
	} else {
		a.addParked(s)
	}
	ok := s.leave(departure{parked: true}) // the worker calls commit
	s.mode, s.wait = running, nil
	if mode != blocked {
		a.removeParked(s)
	}
	if !ok {
		s.exit()
	}
	s.cell.enter(a)
	return nil
}

// commit runs on the worker's goroutine once the strand was left. It reports whether the strand stays parked; if not
// the caller resumes it at once. After true neither the strand nor, when it blocks, its actor may be touched again.
func (w *worker) commit(s *strand) bool {
	invariant.Point("rt.commit")
	w.flush()
	a := s.actor
	switch s.mode {
	case suspended:
		w.count.parks++
		w.deliver()
		a.box.PushLocal(w.nodes, Message{B: &resumption, P0: unsafe.Pointer(s)})
		w.yieldActor(a)
		return true
	case awaiting:
		if !s.wait.Commit(&s.waiter) {
			return false
		}
		// The actor is still ours: an Unpark that has happened already only put its message into the mailbox.
		invariant.Point("rt.committed")
		w.count.parks++
		w.yieldActor(a)
		return true
	default:
		if w.leaves(a) {
			a.box.GiveUpHome() // whoever unparks owns the actor next
		} else {
			w.giveUpUnpressed(a)
		}
		if !s.wait.Commit(&s.waiter) {
			a.resume = nil
			a.box.SetHome(w.home)
			return false
		}
		w.count.parks++
		return true
	}
}

// giveUpUnpressed is giveUp of an actor that will handle nothing for a while. It must not keep those back that are muted on it: it may
// wait for one of them.
func (w *worker) giveUpUnpressed(a *Actor) {
	w.closeRemote()
	for a.box.IsPressed() {
		w.remote.Reopen()
		w.ease(a, &w.count.unmutedBlocked)
		w.closeRemote() // which may bring as much again
	}
	a.box.GiveUpHome()
	w.remote.Reopen()
}
