package rt

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/encorert/encorert/internal/invariant"
)

// This file is what Stats says of actor types: for how long ready actors wait until they run, and how many messages
// they then have. Both are sampled, since a look at the clock costs as much as a short behaviour.

// A worker samples an actor that becomes ready in about one of so many turns, at random from half of that to one and a half
// of it, since actors often take turns regularly. Where turns are rare it samples more of them. Picked: a sample takes
// some 200 ns, so they cost below 1 ns a turn.
const (
	sampleEvery   = 256
	sampleSlow    = 8
	sampleSlowGap = time.Millisecond // between two samples
)

// due reports whether the turn that was planned for a sample has come.
func (w *worker) due() bool { return int32(w.tick-w.nextSample) >= 0 }

// plan takes the time of a sample and plans the turn of the next.
func (w *worker) plan() (now time.Time) {
	now = w.rt.clock.now()
	every := uint32(sampleEvery)
	if now.Sub(w.lastSample) > sampleSlowGap {
		every = sampleSlow
	}
	w.lastSample = now
	w.nextSample = w.tick + every/2 + 1 + w.tick*0x9E3779B1>>16%every // Knuth's multiplicative hash
	return now
}

// probe is one actor that waits to be run, and since when. The zero value holds none.
//
//	state | meaning             | who                                         | to
//	------+---------------------+---------------------------------------------+-----
//	0     | free                | any worker, or who starts a root            | 1
//	1     | being set           | the same                                    | 2
//	2     | actor and since are | whoever has taken the actor from its queue   | 0
//
// It is set before the actor enters the queue, and whoever takes that out owns it, so that only one can clear it.
type probe struct {
	state atomic.Uint32
	// actor is the one that waits. Writers: as in the table. Readers: any worker, which relies on it only for an actor
	// that it owns.
	actor atomic.Pointer[Actor]
	since time.Time // Owner: the setter; after state 2 the owner of the actor
}

// set begins to measure, unless another actor is measured. REQUIRES: the caller owns a.
func (p *probe) set(a *Actor, since time.Time) {
	if p.state.Load() != 0 || !p.state.CompareAndSwap(0, 1) {
		return
	}
	p.since = since
	p.actor.Store(a)
	p.state.Store(2)
}

// take ends it for an actor that was taken from a queue. REQUIRES: the caller owns a.
func (p *probe) take(a *Actor) (since time.Time, ok bool) {
	if p.actor.Load() != a {
		return time.Time{}, false
	}
	since = p.since
	p.actor.Store(nil)
	p.state.Store(0)
	return since, true
}

// becomesReady notes that a enters this worker's private queue now. Called when a sample is due.
func (w *worker) becomesReady(a *Actor) {
	if w.probed == nil {
		w.probedAt = w.plan()
		w.probed = a
	}
}

// becomesShared goes on measuring an actor that leaves the private queue, or begins with one that others may take.
func (w *worker) becomesShared(a *Actor) {
	switch {
	case w.probed == a:
		w.probed = nil
		w.rt.probe.set(a, w.probedAt)
	case w.due():
		w.rt.probe.set(a, w.plan())
	}
}

// wasShared is called for an actor that this worker took from where others could have taken it.
func (w *worker) wasShared(a *Actor) {
	if since, ok := w.rt.probe.take(a); ok {
		w.sample(a, since)
	}
}

// wasHandedOver goes on measuring an actor that another worker has handed to this one, in the private queue.
func (w *worker) wasHandedOver(a *Actor) {
	if since, ok := w.rt.probe.take(a); ok && w.probed == nil {
		w.probed, w.probedAt = a, since
	}
}

// sampleProbed is called when the turn of the actor begins that is measured.
func (w *worker) sampleProbed() {
	a := w.probed
	w.probed = nil
	w.sample(a, w.probedAt)
}

// checkProbed panics in invariant builds if the worker, whose private queue is empty, still measures an actor: that would keep it and
// its heap alive.
func (w *worker) checkProbed() {
	if invariant.Enabled && w.probed != nil {
		panic("rt: a worker measures an actor that is not in its private queue")
	}
}

// sample takes down what an owned actor that became ready at since has to tell.
func (w *worker) sample(a *Actor, since time.Time) {
	w.types.add(a.typ, w.rt.clock.now().Sub(since), a.box.Waiting(w.nodes))
}

// typeTable has one worker's samples. Locked for each, which happens seldom, so that nothing has to be copied for readers.
type typeTable struct {
	mu sync.Mutex
	of map[*ActorType]*TypeStats // guarded by mu
}

func (t *typeTable) add(typ *ActorType, waited time.Duration, depth int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.entry(typ)
	s.Waiting.add(uint64(max(waited, 0)))
	s.Depth.add(uint64(depth))
}

// entry returns the entry of a type. REQUIRES: mu.
func (t *typeTable) entry(typ *ActorType) *TypeStats {
	s := t.of[typ]
	if s == nil {
		if t.of == nil {
			t.of = map[*ActorType]*TypeStats{}
		}
		s = &TypeStats{Name: typ.Name}
		t.of[typ] = s
	}
	return s
}

// addTo adds the samples to those of other workers, by the types' names.
func (t *typeTable) addTo(all map[string]*TypeStats) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.of {
		sum := all[s.Name]
		if sum == nil {
			sum = &TypeStats{Name: s.Name}
			all[s.Name] = sum
		}
		sum.Depth.merge(&s.Depth)
		sum.Waiting.merge(&s.Waiting)
	}
}
