package rt

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/internal/park"
	coroutine "github.com/encorert/encorert/internal/strand"
)

// The systematic mode (Config.Seed): one goroutine, the driver, runs all workers in turns. Each worker is a coroutine
// that does what its goroutine does otherwise; it comes back to the driver at steps: before it takes an actor, between
// its announcement of sleep and its last look, while it sleeps, and in invariant builds at every invariant.Point. The
// driver chooses who goes on, see schedule.go. Nothing else moves: what comes from outside waits in a list of the driver's
// until no worker can go on, so that it comes at the same place each time.

// driver runs the workers of one runtime. Owner of all plain fields: the driver's goroutine, or the coroutine that it
// has resumed.
type driver struct {
	rt       *Runtime
	seats    []*seat
	seat     *seat   // the one that was resumed last
	ready    []*seat // room for choose
	live     int     // seats that have not ended
	spawned  uint64  // actors that have a number
	busy     int     // steps since the driver last looked at posted
	schedule schedule
	clock    logicalClock
	roots    []*root  // of Do calls, accepted and perhaps not yet answered
	kept     []*Actor // those with heaps, to the end of the run: nothing may depend on when Go's collector finds them dead

	// Writers: the driver. Readers: all.
	signature atomic.Uint64

	// told has room for one: somebody has posted, or given a permit.
	told chan struct{}

	mu     sync.Mutex
	posted []*root // from outside, not yet among the workers; guarded by mu
	// due is how many of those there are. It goes down after they were put into a queue, so that checkQuiet sees them in
	// one place or the other. Writers: post, accept. Readers: checkQuiet.
	due atomic.Int64
}

// seat is the driver's side of one worker.
type seat struct {
	driver *driver
	worker *worker
	stack  *coroutine.Coroutine[struct{}]
	yield  func(struct{}) bool
	asleep bool // it goes on when it has a permit
	ended  bool

	priority int // see schedule
}

// busyLimit is after how many steps the driver takes up what came from outside although workers can still go on: in a
// run that is never idle, it would wait for ever. From there on the order depends on when it came. Picked.
const busyLimit = 10_000

// Turn is one message, or the resumption of a behaviour that waited.
type Turn struct {
	Worker    int
	Number    uint64 // of the actor, in order of spawning, from 1
	Actor     string // its type
	Behaviour string
}

func (rt *Runtime) startDriver() {
	workers := rt.everyWorker()
	d := &driver{rt: rt, told: make(chan struct{}, 1), live: len(workers)}
	d.schedule = newSchedule(rt.cfg.Seed, len(workers))
	d.clock.time = logicalEpoch
	d.signature.Store(emptySignature)
	for _, w := range workers {
		s := &seat{driver: d, worker: w, priority: d.schedule.priority(w.id)}
		s.renew()
		w.seat = s
		d.seats = append(d.seats, s)
	}
	rt.driver = d
	rt.clock = &d.clock
	rt.lot.Tell(d.told)
	if invariant.Enabled {
		invariant.OnStep(stepHere)
	}
	rt.running.Add(1)
	go d.run()
}

// run is the driver's goroutine.
func (d *driver) run() {
	ended := false
	defer func() {
		if !ended { // a behaviour left by Goexit and took its worker's coroutine and this goroutine with it
			d.seat.renew()
			go d.run()
		}
	}()
	for d.live > 0 {
		s := d.choose()
		if s == nil {
			d.wait()
			continue
		}
		d.seat = s
		d.clock.pass(d.schedule.pace)
		if _, ok := s.stack.Resume(); !ok { // the runtime stops
			s.ended = true
			d.live--
		}
		if d.busy++; d.busy > busyLimit {
			d.accept()
		}
	}
	ended = true
	d.rt.running.Done()
}

// choose returns who goes on, or nil when nobody can.
func (d *driver) choose() *seat {
	d.ready = d.ready[:0]
	for _, s := range d.seats {
		if !s.ended && (!s.asleep || d.rt.lot.Permitted(s.worker.id)) {
			d.ready = append(d.ready, s)
		}
	}
	if len(d.ready) == 0 {
		return nil
	}
	return d.schedule.choose(d.ready)
}

// timePasses is how long nothing must come from outside before logical time passes although no call from outside waits:
// somebody may wait for what a timer brings in a way that the runtime does not know. Picked.
const timePasses = 20 * time.Millisecond

// wait returns when something has happened that a worker may go on with. All sleep, and the last has looked whether the
// run has ended.
//
// Time passes while somebody outside waits for an answer. If nobody does, the next call is on its way, or another
// goroutine is about to make it: it comes before what a timer would bring, every time.
func (d *driver) wait() {
	switch {
	case d.accept():
	case d.awaited():
		if !d.clock.skip() {
			<-d.told
		}
	default:
		select {
		case <-d.told:
		case <-time.After(timePasses):
			if !d.clock.skip() {
				<-d.told
			}
		}
	}
}

// awaited reports whether a Run or a Do has not been answered.
func (d *driver) awaited() bool {
	d.roots = slices.DeleteFunc(d.roots, func(r *root) bool { return r.state.Load() >= rootEnded })
	d.rt.mu.Lock()
	defer d.rt.mu.Unlock()
	return len(d.roots) > 0 || len(d.rt.quiet) > 0
}

// post makes a root ready. From any goroutine.
func (d *driver) post(r *root) {
	d.mu.Lock()
	d.posted = append(d.posted, r)
	d.due.Add(1)
	d.mu.Unlock()
	select {
	case d.told <- struct{}{}:
	default: // one is there already, and the driver will look
	}
}

func (d *driver) anyPosted() bool { return d.due.Load() != 0 }

// accept puts what came from outside where workers take it, and reports whether there was anything.
func (d *driver) accept() bool {
	d.busy = 0
	d.mu.Lock()
	posted := d.posted
	d.posted = nil
	d.mu.Unlock()
	for _, r := range posted {
		if r.typ == &doType { // the others are in rt.quiet
			d.roots = append(d.roots, r)
		}
		d.number(&r.Actor)
		d.rt.inject.Push(&r.Actor)
		d.rt.wakeOne()
		d.due.Add(-1)
	}
	return posted != nil
}

// number gives an actor the next number.
func (d *driver) number(a *Actor) {
	d.spawned++
	a.extend().number = d.spawned
}

// renew gives the worker a coroutine.
func (s *seat) renew() {
	s.stack = coroutine.New(func(yield func(struct{}) bool) {
		s.yield = yield
		defer steppingOn(s)()
		s.worker.drive()
	})
}

// pause goes back to the driver and returns when it is this worker's turn. Called on the worker's coroutine.
func (s *seat) pause() bool {
	s.yield(struct{}{})
	return true
}

// pause does the same for a strand, and returns false when it unwinds. REQUIRES: the strand runs, on its own goroutine.
func (s *strand) pause() bool {
	if s.cell.worker.seat == nil { // only the context of unwindAll has none
		return false
	}
	s.leave(departure{step: true})
	return true
}

// step is where the worker may have to wait for its turn, in systematic mode. REQUIRES: called on its strand, which owns
// no actor.
func (w *worker) step() {
	if w.seat != nil {
		w.ctx.strand.pause()
	}
}

// rest is lot.Sleep, which in systematic mode must not stop the driver.
func (w *worker) rest() park.Role {
	if w.seat == nil {
		return w.rt.lot.Sleep(w.id)
	}
	for {
		if role, ok := w.rt.lot.TrySleep(w.id); ok {
			w.seat.asleep = false
			return role
		}
		w.seat.asleep = true
		w.step()
	}
}

// turn notes which actor the worker has taken. REQUIRES: the caller owns it.
func (s *seat) turn(a *Actor) {
	t := Turn{Worker: s.worker.id, Actor: a.typ.Name}
	if a.more != nil {
		t.Number = a.more.number
	}
	if a.resume != nil {
		t.Behaviour = resumption.Name
	} else if m := a.box.First(s.worker.nodes); m != nil {
		t.Behaviour = m.B.Name
	}
	d := s.driver
	d.signature.Store(t.addTo(d.signature.Load()))
	if f := d.rt.cfg.OnTurn; f != nil {
		f(t)
	}
}

// Signature is a hash over all turns that a systematic runtime has taken: which worker, which actor, which behaviour. Two
// runs with the same signature went the same way. 0 where Config.Seed is 0. From any goroutine; to compare, read it when
// nothing runs.
func (rt *Runtime) Signature() uint64 {
	if rt.driver == nil {
		return 0
	}
	return rt.driver.signature.Load()
}

// Signatures are FNV-1a (Fowler, Noll, Vo).
const (
	emptySignature = 0xcbf29ce484222325
	signaturePrime = 0x100000001b3
)

func (t *Turn) addTo(signature uint64) uint64 {
	add := func(b byte) { signature = (signature ^ uint64(b)) * signaturePrime }
	for x := range 8 {
		add(byte(t.Number >> (8 * x)))
	}
	add(byte(t.Worker))
	add(byte(t.Worker >> 8))
	for _, name := range []string{t.Actor, t.Behaviour} {
		for i := range len(name) {
			add(name[i])
		}
		add(0)
	}
	return signature
}

// stepping holds, in invariant builds, what each coroutine of a systematic runtime is for: goroutine to pauser.
var stepping sync.Map

type pauser interface{ pause() bool }

// steppingOn makes points that the calling goroutine passes steps, and returns what ends that.
func steppingOn(p pauser) (end func()) {
	if !invariant.Enabled {
		return func() {}
	}
	g := invariant.Goroutine()
	stepping.Store(g, p)
	return func() { stepping.Delete(g) }
}

// stepHere is what every invariant.Point calls; it does nothing on goroutines that are none of ours, and returns false.
func stepHere() bool {
	p, ok := stepping.Load(invariant.Goroutine())
	return ok && p.(pauser).pause()
}
