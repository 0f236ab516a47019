package rt

import (
	"fmt"
	"unsafe"

	"github.com/encorert/encorert/internal/invariant"
)

// taskWait is a behaviour that waits for slots, or for an epoch.
type taskWait struct {
	rt     *Runtime
	slots  int    // 0: for the epoch
	epoch  uint64 // that is waited for
	label  string
	next   *taskWait // guarded by tasks.mu
	waiter *Waiter   // guarded by tasks.mu
}

// Describe says what a report of blocked behaviours says (interface Wait).
func (w *taskWait) Describe() string {
	if w.slots == 0 {
		return "an epoch of tasks"
	}
	return fmt.Sprintf("%d of %d slots for the task %q", w.slots, w.rt.cfg.Tasks, w.label)
}

// ready reports whether to look again instead of waiting: there is what it waits for, or there will never be.
func (w *taskWait) ready() bool {
	r := w.rt.table()
	if w.slots == 0 {
		return r.Reached(w.epoch)
	}
	horizon := r.Horizon() // before the look for room
	return r.Room(w.slots) || !r.CanFree(w.slots, horizon)
}

// Commit counts the strand as waiting, unless there is nothing to wait for any more (interface Wait).
func (w *taskWait) Commit(waiter *Waiter) bool {
	t := &w.rt.tasks
	invariant.Lock(&t.mu)
	defer t.mu.Unlock()
	t.waiting.Add(1) // before the look, see tasks.waiting
	invariant.Point("rt.taskWait")
	if w.ready() {
		t.waiting.Add(-1)
		return false
	}
	w.waiter = waiter
	if t.oldest == nil {
		t.oldest = w
	} else {
		t.newest.next = w
	}
	t.newest = w
	return true
}

// tell is called when the horizon has moved. All that wait for slots look again, in order of arrival, also those for whom
// there is no room yet: perhaps no epoch is in flight any more, and nobody would tell them later.
func (rt *Runtime) tell(ctx *Ctx) {
	t := &rt.tasks
	if t.waiting.Load() == 0 { // see there; after the horizon has moved
		return
	}
	Flush(ctx) // who goes on may send
	first := t.takeReached(rt.table().Reached)
	for w := first; w != nil; {
		next := w.next // before it is unparked: then it is its strand's
		w.next = nil
		Unpark(ctx, w.waiter)
		w = next
	}
}

// takeReached takes those out of the list that are to be told.
func (t *tasks) takeReached(reached func(epoch uint64) bool) (first *taskWait) {
	invariant.Lock(&t.mu)
	defer t.mu.Unlock()
	last, kept := &first, &t.oldest
	w := t.oldest
	t.newest = nil
	for w != nil {
		next := w.next
		if w.slots != 0 || reached(w.epoch) {
			*last, last = w, &w.next
			t.waiting.Add(-1)
		} else {
			*kept, kept = w, &w.next
			t.newest = w
		}
		w = next
	}
	*last, *kept = nil, nil
	return first
}

// taskAt and rootOf return what the actor is part of. REQUIRES: a's type is taskType; mainType or doType.
func taskAt(a *Actor) *task { return (*task)(unsafe.Pointer(a)) }
func rootOf(a *Actor) *root { return (*root)(unsafe.Pointer(a)) }
