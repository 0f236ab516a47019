package rt

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/internal/mailbox"
	"github.com/encorert/encorert/internal/runq"
)

// worker runs behaviours. It is a goroutine that drives strands, one at a time.
//
// Owner of all plain fields: the strand that the worker drives, or the worker's goroutine between two strands.
type worker struct {
	id   int
	home uint32 // id+1: what mailboxes call this worker
	rt   *Runtime
	ctx  Ctx

	private   runq.Private[Actor] // ready actors whose home is this worker
	nodes     *mailbox.Pool[Message]
	out       mailbox.Outbox[Message] // sent to actors that are not this worker's
	strands   []*strand               // idle ones, the warmest last
	tick      uint32
	gaveWay   time.Time
	handover  []*Actor
	held      int      // messages since the last flush while others were idle
	resting   []*Actor // see rest.go
	arrived   runq.Private[Actor]
	searching bool // counted as the searcher in rt.lot
	loot      [64]*Actor
	count     counters
	labels    labels // with Config.ProfileLabels; nil otherwise

	probed     *Actor // in the private queue, see sample.go
	probedAt   time.Time
	nextSample uint32 // the turn from which on one is due
	lastSample time.Time

	seat *seat // in systematic mode; nil otherwise

	_ [64]byte // from here on others read and write

	// attention says what others want of the worker at its next message boundary: bits, see attention.go. Writers: all, by
	// read-modify-write. Readers: the owner, with a plain-cost load after every message; so it has a line of its own,
	// which is hardly ever written.
	attention atomic.Uint32
	// post is what a spare worker is there for, see monitor. Writers: under the monitor's mu. Readers: all.
	post atomic.Uint32
	_    [56]byte

	// remote has messages to actors whose home is this worker. Writers: all push, the owner takes.
	remote mailbox.Remote[Message]

	shared runq.Shared[Actor] // ready actors without a home. Writers: the owner pushes, all take
	inbox  runq.Inject[Actor] // ready actors that were here last. Writers: all push and take
	pinned runq.Inject[Actor] // actors that only this worker may run next. Writers: all

	muted mutedList // by this worker. Writers: all

	publishing sync.Mutex
	published  counters // a copy of count for Stats; guarded by publishing
	types      typeTable
}

// A worker keeps some idle strands, the runtime more of them, and further ones end. Picked; not measured: one costs
// 320 ns to make and some 4 KB to keep.
const (
	keepStrands    = 64
	keepAllStrands = 512
)

func newWorker(rt *Runtime, id int) *worker {
	w := &worker{id: id, home: uint32(id + 1), rt: rt, nodes: mailbox.NewPool(&rt.depot)}
	w.ctx.worker = w
	if rt.cfg.ProfileLabels {
		w.labels = labels{}
	}
	w.ctx.random = mix(rt.cfg.Seed+uint64(id)) | 1 // a zero would stay one
	return w
}

// drive is the worker's goroutine, or in systematic mode its coroutine.
func (w *worker) drive() {
	ended := false
	defer func() {
		if !ended && w.seat == nil {
			go w.drive() // a behaviour left by Goexit and took this goroutine with it
		}
	}()
	s := w.takeStrand()
	for {
		s.incoming = &w.ctx
		d, ok := s.stack.Resume()
		switch {
		case !ok: // the runtime stops
			w.rt.forget(s)
			ended = true
			w.rt.running.Done()
			return
		case d.step:
			w.seat.pause()
		case d.parked:
			if w.attention.Load() != 0 {
				w.heed()
			}
			if w.commit(s) { // s must not be touched again
				s = w.takeStrand()
			}
		default:
			w.putStrand(s)
			s = d.target
		}
	}
}

// takeStrand returns an idle strand.
func (w *worker) takeStrand() *strand {
	if n := len(w.strands); n > 0 {
		s := w.strands[n-1]
		w.strands[n-1] = nil
		w.strands = w.strands[:n-1]
		return s
	}
	return w.rt.takeStrand()
}

func (w *worker) putStrand(s *strand) {
	if len(w.strands) < keepStrands {
		w.strands = append(w.strands, s)
		return
	}
	if w.rt.putStrand(s) {
		return
	}
	s.incoming = &w.ctx
	s.stack.Stop() // it was left between two actors, and returns from its loop
	w.rt.forget(s)
}

// enqueue makes an actor ready that the caller owns. Where nobody is idle, or the actor is what this worker runs
// next anyway, it stays private and keeps a home; a surplus goes where others can take it.
func (w *worker) enqueue(a *Actor) {
	if w.private.Len() == 0 || !w.rt.lot.Hungry() {
		w.makeReady(a)
		return
	}
	w.share(a)
}

// makeReady makes an owned actor ready at this worker, which is its home then.
func (w *worker) makeReady(a *Actor) {
	w.adopt(a)
	w.private.Push(a)
	if w.due() {
		w.becomesReady(a)
	}
}

// share puts an owned actor into the queue that others steal from. The caller must not touch a again.
func (w *worker) share(a *Actor) {
	w.flush()
	w.giveUp(a)
	invariant.Point("rt.share")
	w.becomesShared(a)
	if !w.shared.Push(a) {
		w.rt.inject.Push(a)
	}
	w.wakeOne()
}

// wakeOne is Lot.WakeOne, counted.
func (w *worker) wakeOne() {
	if w.rt.lot.WakeOne() {
		w.count.wakes++
	}
}

// holdMessages is how many messages a worker handles at most before it hands over what they have sent, while others are
// idle. Picked: 1 cost 25 pingers with 100 messages each a fifth of their rate on two workers.
const holdMessages = 8

// feed is called when others are idle. It hands over what was sent, and shares private actors: half of them, and at least
// one for each idle worker that finds nothing here to steal. What the caller is about to run may take long, and what is left in
// the private queue waits behind it. Half of them, since a thief with few actors finds that those it sends to are elsewhere,
// and soon has nothing to do.
func (w *worker) feed() {
	if !w.out.Empty() {
		// A message by itself costs several times as much as one of a group; but whoever it is for may be the idle one.
		if w.held++; w.held >= holdMessages || w.out.Due() {
			w.held = 0
			w.flush()
		}
	}
	if w.out.Empty() {
		w.releaseAll()
	}
	n := w.rt.lot.Idle() - w.shared.Len()
	if w.shared.Empty() {
		n = max(n, (w.private.Len()+1)/2)
	}
	for range min(n, w.private.Len()) {
		w.share(w.private.Pop())
	}
}

// yieldActor ends the turn of an owned actor. The caller must not touch a again.
func (w *worker) yieldActor(a *Actor) {
	if a.more != nil && w.attend(a) {
		w.mute(a)
		return
	}
	if w.rests(a) {
		return
	}
	if !w.letGo(a) {
		w.enqueue(a)
	}
}
