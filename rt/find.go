package rt

import (
	"runtime"
	"time"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/internal/park"
)

const (
	// injectEvery is how often the inject queue and the shared queue come first, so that actors that keep each other
	// busy cannot starve work from outside, or what was shared and nobody has stolen. Go's scheduler uses 61 as well.
	injectEvery = 61
	// searchRounds is how often a searcher goes round before it gives up, see Runtime.searchRounds. Picked; not measured.
	searchRounds = 4
	// giveWayEvery is how long a busy worker keeps its processor from other goroutines. Without it, where all processors
	// run workers, whoever waits for a Do waits for Go's own preemption: 20 ms at the median.
	giveWayEvery = 100 * time.Microsecond
)

// find returns the next actor to run, which the caller then owns, or nil when the runtime stops. It sleeps while there
// is nothing; package park has the protocol and its argument.
func (w *worker) find() *Actor {
	rt := w.rt
	for {
		w.step()
		if rt.stopping.Load() {
			w.endSearch()
			w.publish()
			return nil
		}
		if w.post.Load() == postLeaving {
			w.stepDown()
			continue
		}
		if a := w.take(); a != nil {
			w.foundWhileSearching()
			w.endIdle()
			return a
		}
		if len(w.resting) > 0 {
			w.releaseAll()
			continue // they may have got something meanwhile
		}
		w.beginIdle()
		if !w.searching {
			w.searching = rt.lot.BeginSearch()
		}
		if w.searching {
			if a := w.search(); a != nil {
				w.foundWhileSearching()
				w.endIdle()
				return a
			}
			w.endSearch()
		}
		w.sleep()
	}
}

// take looks where only this worker, or anybody without stealing, may take.
func (w *worker) take() *Actor {
	if w.seat != nil {
		w.seat.jumble()
	}
	w.tick++
	if !w.remote.Empty() {
		w.deliver()
	}
	if w.tick%injectEvery == 0 {
		w.flush()
		w.receive()
		w.rouseAll()
		if a := w.takeInjected(); a != nil {
			return a
		}
		if a := w.takeShared(); a != nil { // nobody may have stolen it, and private need never be empty
			return a
		}
		w.tidy()
	}
	if a := w.pinned.Pop(); a != nil {
		return a
	}
	if a := w.private.Pop(); a != nil {
		return a
	}
	if !w.out.Empty() || !w.inbox.Empty() || len(w.resting) > 0 {
		w.flush()
		w.receive()
		w.rouseAll()
		if a := w.private.Pop(); a != nil {
			return a
		}
	}
	if a := w.takeShared(); a != nil {
		return a
	}
	return w.takeInjected()
}

// takeShared takes from the worker's own shared queue.
func (w *worker) takeShared() *Actor {
	a := w.shared.Pop()
	if a != nil {
		w.wasShared(a)
	}
	return a
}

// takeInjected takes from the inject queue.
func (w *worker) takeInjected() *Actor {
	a := w.rt.inject.Pop()
	if a != nil {
		w.count.injected++
		w.wasShared(a)
	}
	return a
}

// search steals from the other workers, starting at a random one.
func (w *worker) search() *Actor {
	workers := w.rt.everyWorker()
	for range w.rt.searchRounds {
		from := int(w.ctx.Rand() % uint64(len(workers)))
		for i := range workers {
			victim := workers[(from+i)%len(workers)]
			if victim == w {
				continue
			}
			w.count.steals++
			n := victim.shared.Steal(w.loot[:])
			if n == 0 {
				continue
			}
			w.count.stealsWon++
			w.count.stolen += uint64(n)
			for _, a := range w.loot[1:n] {
				if !w.shared.Push(a) { // ours is empty, or take would not have come this far
					w.rt.inject.Push(a)
				}
			}
			a := w.loot[0]
			clear(w.loot[:n])
			w.wasShared(a)
			return a
		}
		if a := w.takeInjected(); a != nil {
			return a
		}
		for _, victim := range workers {
			if a := w.takeFromInbox(victim); a != nil {
				return a
			}
		}
		w.step()
		runtime.Gosched() // on few cores the worker that has the work may need this one
	}
	return nil
}

// takeFromInbox takes what was handed over to another worker, or to this one since it last looked.
func (w *worker) takeFromInbox(of *worker) *Actor {
	a := of.inbox.Pop()
	if a == nil {
		return nil
	}
	if of != w { // a look that finds nothing is one with that into the shared queue
		w.count.steals++
		w.count.stealsWon++
		w.count.stolen++
	}
	w.wasShared(a)
	return a
}

func (w *worker) endSearch() {
	if w.searching {
		w.searching = false
		w.rt.lot.EndSearch()
	}
}

// foundWhileSearching leaves the searching state and then, if there is still more, wakes the next searcher: a waker
// that saw this one searching has relied on that.
func (w *worker) foundWhileSearching() {
	if !w.searching {
		return
	}
	w.endSearch()
	if w.rt.anyShared() {
		w.wakeOne()
	}
}

// sleep announces, takes the last look, and sleeps.
func (w *worker) sleep() {
	rt := w.rt
	w.tidy()
	rt.lot.Announce(w.id)
	w.step()
	invariant.Point("rt.lastLook")
	w.checkSent()
	if rt.stopping.Load() || w.post.Load() == postLeaving || !w.pinned.Empty() || rt.anyShared() {
		if rt.lot.Retract(w.id) == park.Searcher {
			w.searching = true
		} else {
			w.searching = rt.lot.BeginSearch() // a last look that found work is a searcher if there is none
		}
		return
	}
	rt.checkQuiet()
	w.count.sleeps++
	w.searching = w.rest() == park.Searcher
	w.count.woken++
	if invariant.Unheard("rt.sleep") { // the last look finds again what the notice was for
		w.endSearch()
		w.sleep()
		return
	}
	if w.pinned.Empty() && !rt.anyShared() && !rt.stopping.Load() {
		w.count.wokeInVain++
	}
}

// anyShared looks at every place that more than one worker may take from.
func (rt *Runtime) anyShared() bool {
	if !rt.inject.Empty() {
		return true
	}
	for _, w := range rt.everyWorker() {
		if !w.shared.Empty() || !w.inbox.Empty() {
			return true
		}
	}
	return false
}

// pin hands an owned actor to one worker, and reports whether that had to be woken. The caller must not touch a again.
func (rt *Runtime) pin(a *Actor, worker int) (woke bool) {
	w := rt.everyWorker()[worker]
	invariant.Point("rt.pin")
	w.pinned.Push(a)
	invariant.Point("rt.pin")
	woke = rt.lot.WakeWorker(worker)
	if w.post.Load() == postRetired { // pairs with retire: it sets that and then empties the queue
		rt.unpin(w)
	}
	return woke
}

// tidy is what need not be done at once: it lets Go's collector have actors that others took, shows the counters, and
// gives way to other goroutines of the process.
func (w *worker) tidy() {
	w.shared.Forget()
	w.publish()
	if now := w.rt.clock.now(); now.Sub(w.gaveWay) > giveWayEvery {
		w.gaveWay = now
		runtime.Gosched()
	}
}
