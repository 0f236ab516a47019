package rt

import "github.com/encorert/encorert/internal/invariant"

// This file is about actors that have run empty and rest at their worker. Most are sent to again soon, and to release one
// and claim it again takes four locked stores, a third of the time of a message that goes back and forth.
//
// A resting actor is owned, drained, and in no queue. What wakes it:
//
//	a message from an actor of this worker | send: the mailbox has no room while its actor rests (Box.Rest), so that the
//	                                       | shortest way of Send does not see it as any other
//	a message from elsewhere               | the worker itself, which looks at its mailbox: take, when nothing else is
//	                                       | ready and every so many turns
//
// A resting actor has no messages, hence not the bit of pressure. Nobody else may run it. So actors rest only while nobody is
// idle, or until what they sent is handed over: it must be before they are released, since whoever claims an idle actor may
// be another worker. They are released before their worker looks elsewhere for work, when others are idle, and when the
// monitor asks.

// restMost bounds the actors that rest at one worker. With 64, 250 pingers on two workers were a fifth slower: whoever must
// make room hands over what was sent, in small groups.
const restMost = 256

// rests lets an owned actor rest, if it may. After true the caller must not touch a again.
func (w *worker) rests(a *Actor) bool {
	if w.out.Empty() && w.rt.lot.Hungry() || !a.box.Drained() {
		return false
	}
	if len(w.resting) == restMost {
		w.flush()
		w.release(restMost / 2)
		if !a.box.Drained() { // that has brought something
			return false
		}
	}
	if invariant.Enabled && a.box.IsPressed() {
		panic("rt: an actor under pressure rests") // send would not see that it does
	}
	a.box.Rest()
	w.resting = append(w.resting, a)
	a.rests = int32(len(w.resting))
	return true
}

// rouse takes a resting actor off the list. It is owned as before.
func (w *worker) rouse(a *Actor) {
	n := len(w.resting) - 1
	last := w.resting[n]
	w.resting[a.rests-1], last.rests = last, a.rests
	w.resting[n] = nil
	w.resting = w.resting[:n]
	a.rests = 0
	a.box.Rouse()
}

// rouseAll makes those ready that have got messages.
func (w *worker) rouseAll() {
	// Backwards, since rouse puts the last in the place of one that goes; and to enqueue one may rouse others, see deliver.
	for i := len(w.resting) - 1; i >= 0; i-- {
		if i >= len(w.resting) {
			continue
		}
		if a := w.resting[i]; !a.box.Drained() {
			w.rouse(a)
			w.enqueue(a)
		}
	}
}

// releaseAll lets nobody rest any more.
func (w *worker) releaseAll() {
	if len(w.resting) == 0 {
		return
	}
	w.flush()
	w.release(len(w.resting))
}

// release releases as many resting actors, or makes those ready that have got messages. REQUIRES: the outbox is empty.
func (w *worker) release(n int) {
	w.closeRemote()
	for range min(n, len(w.resting)) {
		a := w.resting[0]
		w.rouse(a)
		if !a.box.Release(w.nodes) {
			w.makeReady(a) // and not enqueue, which may let others have it: no actor leaves two times
		}
	}
	w.remote.Reopen()
}
