package rt

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/encorert/encorert/internal/invariant"
)

// The monitor finds workers that are stuck: whose behaviour has neither ended nor parked for some 10 ms, since it computes, or
// blocks in a system call or on a Go channel. It reports them, and starts a spare worker for each while nobody else is
// idle, so that Config.Workers behaviours run beside those that are stuck.
//
// It asks by a bit of worker.attention, and a worker answers at its next boundary by clearing it: that costs one load per
// message. It reads what a stuck worker runs without having been told, see glimpse.
//
// It ticks only while a worker is awake. When all sleep it leaves word in the lot (park.Lot.Watch), and the first wake-up
// starts it again: under the lot's lock there is either somebody awake, and it ticks, or whoever is woken next finds the
// word. So an idle runtime costs nothing, and no wake-up out of the idle state is missed.
//
// A spare is a worker like others, with a number from Config.Workers on. What it can take over is what any worker can:
// the inject queue, shared queues, idle actors that are sent to. Actors that wait in the private queue of a stuck worker
// stay there, since nobody else may look into it; StuckBehaviour.Waiting counts them.
//
//	spare's post | who                                           | to
//	-------------+-----------------------------------------------+---------------------------------------------------------
//	active       | monitor or back: more spares than stuck ones   | leaving
//	leaving      | monitor: it is stuck, or needed after all      | active
//	leaving      | the worker itself, in find                    | retired
//	retired      | monitor: needed                               | active
//
// All under mu. Invariant: the number of active spares is at most that of stuck workers, but for those that came back and
// have not passed a boundary yet.

const (
	// tick is how often the monitor looks, and so how long a behaviour takes at least before it counts as stuck. As Go's
	// own monitor, which takes processors from goroutines after 10 ms.
	tick = 10 * time.Millisecond
	// crowdedPatience is how long instead where every processor is busy: then a worker may be late only because others
	// run, and one more worker makes nothing faster, but only fairer. It doubles with each spare. Picked; not measured.
	crowdedPatience = 100 * time.Millisecond
)

// The posts of a worker. Those below Config.Workers stay at postActive.
const (
	postActive uint32 = iota
	postLeaving
	postRetired
)

// monitor watches the workers of one runtime.
type monitor struct {
	rt    *Runtime
	timer *time.Timer // calls look

	mu      sync.Mutex
	records []record  // by worker; guarded by mu
	stuck   int       // workers that are; guarded by mu
	spares  int       // active ones; guarded by mu
	started uint64    // spares, since New; guarded by mu
	last    time.Time // when the last one was started; guarded by mu
	closed  bool      // no further spares; guarded by mu
	over    bool      // no further looks; guarded by mu
	samples []metrics.Sample
}

// record is what the monitor knows of one worker.
type record struct {
	asked time.Time // the question that is open; zero: none
	stuck bool
	what  StuckBehaviour // while stuck
}

// StuckBehaviour is a behaviour that holds its worker.
type StuckBehaviour struct {
	Worker    int
	Actor     string    // type of the actor
	Behaviour string    // "" between two of them: in Config.OnPanic, a collection, or the start of a wait
	Since     time.Time // when the worker was asked for the first sign of life that it did not give
	Waiting   int       // actors that are ready, and that only this worker may run
}

// start begins to watch.
func (m *monitor) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.timer = time.AfterFunc(tick, m.look)
}

// look is one tick. Only one runs at a time: the timer is set at its end, or by a wake-up that this look has asked for.
func (m *monitor) look() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return
	}
	now := time.Now()
	var crowded *bool
	isCrowded := func() bool {
		if crowded == nil {
			crowded = new(m.crowded())
		}
		return *crowded
	}
	for _, w := range m.rt.everyWorker() {
		r := m.record(w)
		bits := w.attention.Load()
		switch {
		case r.stuck:
			m.rescue(w)
		case bits&attentionIdle != 0:
			r.asked = time.Time{}
		case r.asked.IsZero() || bits&attentionAsked == 0:
			r.asked = now
			w.attention.Or(attentionAsked) // pairs with the Swap at the worker's boundary
		case !isCrowded() || now.Sub(r.asked) >= crowdedPatience:
			m.declare(w, r)
		}
	}
	if m.stuck > m.spares && !m.closed && !m.rt.lot.Hungry() &&
		(!isCrowded() || now.Sub(m.last) >= crowdedPatience<<min(m.spares, 4)) {
		m.startSpare(now)
	}
	m.retireSurplus(nil)
	if !m.rt.lot.Watch(m.wake) {
		m.timer.Reset(tick)
	}
}

// wake is called by the first wake-up after all workers slept, with the lot's lock held.
func (m *monitor) wake() { m.timer.Reset(tick) }

// record returns what is known of w. REQUIRES: mu. The result is good until mu is released.
func (m *monitor) record(w *worker) *record {
	for len(m.records) <= w.id {
		m.records = append(m.records, record{})
	}
	return &m.records[w.id]
}

// declare makes w a stuck worker, unless it gives its sign of life just now. REQUIRES: mu.
func (m *monitor) declare(w *worker, r *record) {
	actor, behaviour, waiting := w.glimpse()
	// Pairs with the Swap at the worker's boundary: either that comes first and this fails, or the worker finds the bit and
	// calls back, which waits for mu. And after this, what the glimpse saw was what it runs: it has not ended since.
	bits := w.attention.Load()
	if bits&attentionAsked == 0 || bits&attentionIdle != 0 || !w.attention.CompareAndSwap(bits, bits|attentionStuck) {
		return
	}
	r.stuck = true
	r.what = StuckBehaviour{Worker: w.id, Since: r.asked, Waiting: waiting}
	if actor != nil {
		r.what.Actor = actor.Name
	}
	if behaviour != nil {
		r.what.Behaviour = behaviour.Name
	}
	m.stuck++
	if w.post.Load() == postLeaving {
		w.post.Store(postActive)
		m.spares++
	}
	m.rescue(w)
	if f := m.rt.cfg.OnStuck; f != nil {
		go f(r.what)
	}
}

// back is called by a worker that was stuck, at its next boundary.
func (m *monitor) back(w *worker) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(w)
	*r = record{}
	m.stuck--
	m.retireSurplus(w)
}

// rescue lets others have what lies at a stuck worker and is not private: in its inbox and its shared queue only those who search
// look, and who is never idle never does, be it a spare. In the mode that always migrates actors are pinned only to make them move;
// other pins are meant. The worker cannot count as asleep before it has called back, and so the run not end, while an
// actor is between two queues. REQUIRES: mu.
func (m *monitor) rescue(w *worker) {
	rt := m.rt
	rt.injectAll(&w.inbox)
	moved := false
	for range w.shared.Len() { // it may go on sharing
		a := w.shared.Pop()
		if a == nil {
			break
		}
		rt.inject.Push(a)
		moved = true
	}
	if moved {
		rt.wakeOne()
	}
	if rt.cfg.AlwaysMigrate {
		rt.unpin(w)
	}
}

// startSpare makes one more worker active. REQUIRES: mu.
func (m *monitor) startSpare(now time.Time) {
	rt := m.rt
	for _, w := range rt.everyWorker() {
		if w.post.Load() == postLeaving { // it need not even go
			w.post.Store(postActive)
			m.spares++
			return
		}
	}
	id, again := rt.lot.Activate()
	if again {
		w := rt.everyWorker()[id]
		w.post.Store(postActive)
	} else {
		var room bool
		if id, room = rt.lot.Add(); !room {
			return
		}
		w := newWorker(rt, id)
		workers := append(append([]*worker(nil), rt.everyWorker()...), w)
		rt.workers.Store(&workers) // before it can push anything, see everyWorker
		rt.running.Add(1)          // not after Wait: closed is set before that, under mu
		go w.drive()
	}
	m.spares++
	m.started++
	m.last = now
}

// retireSurplus sends spares away that are not needed any more: w, if it is one, or else one that is idle. REQUIRES: mu.
func (m *monitor) retireSurplus(w *worker) {
	for m.spares > m.stuck {
		if w == nil || w.id < m.rt.cfg.Workers || w.post.Load() != postActive {
			w = m.dispensable()
		}
		w.post.Store(postLeaving)
		m.spares--
		invariant.Point("rt.leaving")
		m.rt.wakeWorker(w.id) // after the flag: its last look sees that, or it is announced and this finds it
	}
}

// dispensable returns an active spare that is not stuck; there is one if there are more than stuck workers. REQUIRES: mu.
func (m *monitor) dispensable() (best *worker) {
	for _, w := range m.rt.everyWorker()[m.rt.cfg.Workers:] {
		if w.post.Load() == postActive && !m.record(w).stuck {
			if best = w; w.attention.Load()&attentionIdle != 0 {
				break
			}
		}
	}
	return best
}

// retire puts a leaving spare into the reserve; false if it is needed after all.
func (m *monitor) retire(w *worker) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if w.post.Load() != postLeaving {
		return false
	}
	w.post.Store(postRetired)
	m.rt.lot.Retire(w.id)
	return true
}

// noMoreSpares comes before the wait for the end of all workers.
func (m *monitor) noMoreSpares() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
}

// end comes after that.
func (m *monitor) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
	if m.timer != nil {
		m.timer.Stop()
	}
}

// crowded says whether Go has no processor left: the goroutines that run, but for this one, and those that could are as many
// as there are. REQUIRES: mu.
func (m *monitor) crowded() bool {
	if m.samples == nil {
		m.samples = []metrics.Sample{{Name: "/sched/goroutines/running:goroutines"}, {Name: "/sched/goroutines/runnable:goroutines"}}
	}
	metrics.Read(m.samples)
	return m.samples[0].Value.Uint64()+m.samples[1].Value.Uint64() > uint64(runtime.GOMAXPROCS(0))
}

// glimpse reads what a worker runs while it runs. These are races, of single words: each read gives some value that was
// written. The caller finds out whether they belong together (declare); the detector of races is told to look away.
//
//go:norace
func (w *worker) glimpse() (actor *ActorType, behaviour *Behaviour, waiting int) {
	if s := w.ctx.strand; s != nil {
		if a := s.actor; a != nil {
			actor = a.typ
		}
		behaviour = s.current
	}
	return actor, behaviour, w.private.Len()
}

// Stuck reports the behaviours that hold their worker now: see StuckBehaviour. From any goroutine. A behaviour is in the
// report some 10 ms after it began, or later where the machine is busy.
func (rt *Runtime) Stuck() (all []StuckBehaviour) {
	m := &rt.monitor
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.records {
		if r := &m.records[i]; r.stuck {
			all = append(all, r.what)
		}
	}
	return all
}

// counts are for Stats.
func (m *monitor) counts() (stuck int, started uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stuck, m.started
}
