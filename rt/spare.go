package rt

import (
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/internal/mailbox"
	"github.com/encorert/encorert/internal/runq"
)

// stepDown is how a spare worker retires when it is not needed any more. It returns when the worker is active again, or the
// runtime stops. Package park has what it owes before and after, and why.
func (w *worker) stepDown() {
	rt := w.rt
	w.beginIdle()
	invariant.Point("rt.stepDown")
	w.endSearch()
	w.unload()
	w.checkSent()
	if !rt.monitor.retire(w) {
		w.second()
		return
	}
	if rt.stopping.Load() {
		rt.lot.Retract(w.id)
		return
	}
	rt.unpin(w) // pairs with the look at post in pin: who pinned before that saw retired leaves it to this
	w.second()
	rt.checkQuiet()
	w.count.sleeps++
	rt.lot.Sleep(w.id)
	w.count.woken++
}

// second looks again for others, after the worker has left the searching state and moved its own.
func (w *worker) second() {
	if w.rt.anyShared() {
		w.wakeOne()
	}
}

// unload gives all that the worker has to others.
func (w *worker) unload() {
	rt := w.rt
	w.flush()
	w.releaseAll()
	for a := w.private.Pop(); a != nil; a = w.private.Pop() {
		w.giveUp(a)
		w.becomesShared(a)
		rt.inject.Push(a)
	}
	w.checkProbed()
	for a := w.shared.Pop(); a != nil; a = w.shared.Pop() {
		rt.inject.Push(a)
	}
	w.shared.Forget()
	for n := len(w.strands); n > 0 && rt.putStrand(w.strands[n-1]); n-- {
		w.strands[n-1] = nil
		w.strands = w.strands[:n-1]
	}
	w.nodes = mailbox.NewPool(&rt.depot)
	w.publish()
}

// unpin moves what waits for w alone to where all may take it.
func (rt *Runtime) unpin(w *worker) { rt.injectAll(&w.pinned) }

// injectAll moves what waits in a queue to where all may take it.
func (rt *Runtime) injectAll(q *runq.Inject[Actor]) {
	moved := false
	for a := q.Pop(); a != nil; a = q.Pop() {
		rt.inject.Push(a)
		moved = true
	}
	if moved {
		rt.wakeOne()
	}
}

// another returns a worker to run what w must not: one that is not stuck, if there is one. (From one that is, the monitor
// takes it away again.)
func (rt *Runtime) another(w *worker) *worker {
	all := rt.everyWorker()
	for i := 1; i < len(all); i++ {
		v := all[(w.id+i)%len(all)]
		if v.attention.Load()&attentionStuck == 0 && v.post.Load() == postActive {
			return v
		}
	}
	return all[(w.id+1)%rt.cfg.Workers]
}
