package rt

import (
	"sync"
	"sync/atomic"
	"time"
)

// This file is what Stats says of actor types: how many messages wait for their actors, and how long ready actors wait
// until they run. Both are sampled, since a look at the clock costs as much as a short behaviour.

// The turns of a worker from one sample to the next: at random between half of these and one and a half of them, since
// actors often take turns regularly. Picked; see docs/rationale.md for what it costs.
const (
	depthEvery = 16 // how many messages wait
	probeEvery = 64 // an actor becomes ready: the time is noted
)

// due reports whether the turn for which a sample was planned has come.
func (w *worker) due(planned uint32) bool { return int32(w.tick-planned) >= 0 }

// plan returns the turn of the next sample.
func (w *worker) plan(every uint32) uint32 {
	return w.tick + every/2 + 1 + w.tick*0x9E3779B1>>16%every // Knuth's multiplicative hash
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

// becomesReady may note that a enters this worker's private queue now.
func (w *worker) becomesReady(a *Actor) {
	if w.probed == nil {
		w.probed, w.probedAt = a, w.rt.clock.now()
		w.nextProbe = w.plan(probeEvery)
	}
}

// becomesShared goes on measuring an actor that leaves the private queue, or may begin with one that others may take.
func (w *worker) becomesShared(a *Actor) {
	switch {
	case w.probed == a:
		w.probed = nil
		w.rt.probe.set(a, w.probedAt)
	case w.due(w.nextProbe):
		w.rt.probe.set(a, w.rt.clock.now())
		w.nextProbe = w.plan(probeEvery)
	}
}

// wasShared is called for an actor that this worker took from where others could have taken it.
func (w *worker) wasShared(a *Actor) {
	if since, ok := w.rt.probe.take(a); ok {
		w.types.waited(a.typ, w.rt.clock.now().Sub(since))
	}
}

// sample is called at the beginning of some turns of an owned actor: of those whose depth is looked at, and of the one
// that is measured.
func (w *worker) sample(a *Actor) {
	if w.probed == a {
		w.probed = nil
		w.types.waited(a.typ, w.rt.clock.now().Sub(w.probedAt))
	}
	if w.due(w.nextDepth) {
		w.nextDepth = w.plan(depthEvery)
		w.types.found(a.typ, a.box.Waiting(w.nodes))
	}
}

// typeTable has one worker's samples. Locked for each, which happens seldom, so that nothing has to be copied for readers.
type typeTable struct {
	mu sync.Mutex
	of map[*ActorType]*TypeStats // guarded by mu
}

func (t *typeTable) waited(typ *ActorType, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entry(typ).Waiting.add(uint64(max(d, 0)))
}

func (t *typeTable) found(typ *ActorType, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entry(typ).Depth.add(uint64(waiting))
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
