package rt

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/internal/mailbox"
)

// ErrSourceClosed is what an event source that was closed answers.
var ErrSourceClosed = errors.New("rt: the event source is closed")

// ErrSystematic is why a source cannot be opened in systematic mode (Config.Seed): its events come from other goroutines,
// in no order that a seed could give. Timers can.
var ErrSystematic = errors.New("rt: in systematic mode nothing comes from outside")

// outside says why what a goroutine outside does cannot come to the runtime, nil if it can.
func (ctx *Ctx) outside() error {
	if ctx.worker.rt.driver != nil {
		return ErrSystematic
	}
	return ctx.worker.rt.Err()
}

// source is what all event sources have in common: what can make things happen from outside, and holds the run open
// until it is closed. It contains an actor, and each event is a behaviour of that actor: events of one source run in
// order, one at a time, and one that waits (Await) lets the next begin.
//
// Events are kept by the source and not by the actor's mailbox; a message only says that there are some. So Close can
// take back all that have not begun, and whatever message is still under way then finds nothing: also when it is
// handled after the source was opened again.
//
//	state  | from          | to            | by
//	-------+---------------+---------------+------------------------------------------------------------------------
//	open   | false         | true          | begin: it is made, or a timer is Reset, or a Writer gets something to do
//	open   | true          | false         | end: Close, the last event has begun, or the Writer has nothing to do
//	told   | false         | true          | tell, or a behaviour that leaves events: a message is under way
//	told   | true          | false         | the behaviour that this message runs, before it takes an event
//
// Invariant: while an event is due, told is true.
type source struct {
	actor Actor      // first: a behaviour gets its source from it
	event *Behaviour // of the message that tells of events
	owner interface{ Close() int }

	mu   sync.Mutex // outside of sources.mu
	open bool       // guarded by mu
	told bool       // guarded by mu

	next, prev *source // in sources.first while open; guarded by sources.mu
}

// sources is what a runtime knows of its event sources. The list keeps them alive while they are open, and so what their
// functions capture: an actor with a live event is never collected.
type sources struct {
	mu     sync.Mutex
	first  *source
	open   int  // length of the list; guarded by mu
	closed bool // by Runtime.Close; guarded by mu

	dropped, missed atomic.Uint64 // Writers and Readers: any goroutine. For Stats

	posting sync.Mutex             // nothing inside of it may stop at an invariant.Point: timers would wait for it
	nodes   *mailbox.Pool[Message] // what goroutines outside push with; guarded by posting
}

// init makes a source that is not open yet. owner is the struct that it is part of.
func (s *source) init(ctx *Ctx, t *ActorType, event *Behaviour, owner interface{ Close() int }) {
	Flush(ctx) // an event must not overtake what its behaviour has sent before
	Spawn(ctx, &s.actor, t)
	s.event, s.owner = event, owner
}

// begin opens the source, or says why not. REQUIRES: mu, not open.
func (s *source) begin() error {
	rt := s.actor.rt
	if err := rt.Err(); err != nil {
		return err
	}
	l := &rt.sources
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return rt.Err() // it has stopped since
	}
	s.next, s.prev = l.first, nil
	if l.first != nil {
		l.first.prev = s
	}
	l.first = s
	l.open++
	rt.hold()
	s.open = true
	return nil
}

// end closes the source. The caller calls rt.release once it has given mu back. REQUIRES: mu, open.
func (s *source) end() {
	s.open = false
	l := &s.actor.rt.sources
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.next != nil {
		s.next.prev = s.prev
	}
	if s.prev != nil {
		s.prev.next = s.next
	} else {
		l.first = s.next
	}
	s.next, s.prev = nil, nil
	l.open--
}

// refusal says why an event cannot be taken, nil if it can. REQUIRES: mu.
func (s *source) refusal() error {
	if err := s.actor.rt.Err(); err != nil {
		return err
	}
	if !s.open {
		return ErrSourceClosed
	}
	return nil
}

// tell reports whether the caller, once it has given mu back, must call post. REQUIRES: mu, an event is due.
func (s *source) tell() bool {
	if s.told {
		return false
	}
	s.told = true
	return true
}

// post tells the actor that there are events. From any goroutine; never waits.
func (s *source) post() {
	invariant.Point("rt.post")
	rt := s.actor.rt
	if s.actor.push(Message{B: s.event}) {
		rt.inject.Push(&s.actor)
		rt.wakeOne()
	}
}

// push gives the actor a message, and reports whether the caller owns the actor then. From any goroutine.
func (a *Actor) push(m Message) (owner bool) {
	l := &a.rt.sources
	if a.box.Claim() { // most often; a node would take more room than the event
		l.posting.Lock()
		a.box.PushLocal(l.nodes, m)
		l.posting.Unlock()
		return true
	}
	l.posting.Lock()
	n := l.nodes.Node()
	l.posting.Unlock()
	m.writeTo(n.Slot())
	return a.box.PushRemote(n)
}

// again tells the running actor that there are more events, before the first of them runs: it may wait or panic.
func (s *source) again(ctx *Ctx) { Send(ctx, &s.actor, Message{B: s.event}) }

// closeSources closes all sources, and lets no new ones come. Called by Close, when no behaviour runs any more.
func (rt *Runtime) closeSources() {
	l := &rt.sources
	l.mu.Lock()
	l.closed = true
	for l.first != nil {
		s := l.first
		l.mu.Unlock() // it comes inside of a source's lock
		// After that s is not in the list, whoever has closed it, and cannot come back.
		s.owner.Close()
		l.mu.Lock()
	}
	l.mu.Unlock()
}

func (l *sources) stats() (open int, dropped, missed uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open, l.dropped.Load(), l.missed.Load()
}

// OpenSources names the event sources that are open, which hold the run open, in no order: "rt.Every.event", or "rt.Source.keys".
// From any goroutine; for reports, such as what a Shutdown waited for in vain.
func (rt *Runtime) OpenSources() []string {
	l := &rt.sources
	l.mu.Lock()
	defer l.mu.Unlock()
	names := make([]string, 0, l.open)
	for s := l.first; s != nil; s = s.next {
		names = append(names, s.actor.typ.Name+"."+s.event.Name)
	}
	return names
}

// stillOpen says for an error which sources are open, with how many of each name, "" if none is.
func (rt *Runtime) stillOpen() string {
	const most = 10
	count := map[string]int{}
	for _, name := range rt.OpenSources() {
		count[name]++
	}
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(count)) {
		if i == most {
			fmt.Fprintf(&b, ", and %d other names", len(count)-most)
			break
		}
		fmt.Fprintf(&b, ", %d %s", count[name], name)
	}
	return strings.Replace(b.String(), ",", "; still open:", 1)
}

// Source is an event source for goroutines outside: whatever they learn they Post, and it runs as a behaviour. It holds
// the run open until it is closed. All methods may be called from anywhere, inside or outside, and never wait.
type Source struct {
	source
	named  Behaviour              // with the source's name
	events fifo[func(cctx **Ctx)] // guarded by mu
}

var sourceType = ActorType{Name: "rt.Source"}

// NewSource opens a source. The name is for reports. A leaf. The error says why the runtime has stopped.
//
// The functions that are posted name actors by the handles they capture, and send to them as every behaviour does:
//
//	keys, err := rt.NewSource(ctx, "keys")
//	go func() {
//		defer keys.Close()
//		for key := range keyboard {
//			keys.Post(func(cctx **rt.Ctx) { editor.Key(*cctx, key) })
//		}
//	}()
//
// They must not capture objects of an actor's heap, which its collector would not find there.
func NewSource(ctx *Ctx, name string) (*Source, error) {
	if err := ctx.outside(); err != nil {
		return nil, err
	}
	s := &Source{named: Behaviour{Name: name, Run: runSource}}
	s.init(ctx, &sourceType, &s.named, s)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(); err != nil {
		return nil, err
	}
	return s, nil
}

// Post has f run as a behaviour, after all that the same goroutine has posted before. It queues without bound: who posts
// faster than is handled must wait for something himself. Returns ErrSourceClosed when the source is closed, and why the
// runtime has stopped when it has; f will not run then.
//
// A behaviour that has sent something before it posts calls Flush in between, if f must not overtake that. A panic in f is
// one in a one-way behaviour, of rt.Source and with the source's name.
func (s *Source) Post(f func(cctx **Ctx)) error {
	if f == nil {
		return errNoFunction
	}
	s.mu.Lock()
	if err := s.refusal(); err != nil {
		s.mu.Unlock()
		return err
	}
	s.events.push(f)
	first := s.tell()
	s.mu.Unlock()
	if first {
		s.post()
	}
	return nil
}

// Close ends the source: once it has returned, no event begins that had not begun. It reports how many it has so
// dropped (Stats counts them). One that has begun goes on. Calls after the first do nothing and return 0.
func (s *Source) Close() int {
	s.mu.Lock()
	if !s.open {
		s.mu.Unlock()
		return 0
	}
	n := s.events.drop()
	s.end()
	s.mu.Unlock()
	s.actor.rt.dropped(n)
	return n
}

// dropped ends the hold of a source that was closed with n events that had not begun.
func (rt *Runtime) dropped(n int) {
	rt.sources.dropped.Add(uint64(n))
	rt.release()
}

func runSource(cctx **Ctx, a *Actor, _ *Message) {
	s := (*Source)(unsafe.Pointer(a))
	s.mu.Lock()
	f := s.events.pop()
	s.told = s.events.len() > 0
	more := s.told
	s.mu.Unlock()
	if more {
		s.again(*cctx)
	}
	if f != nil {
		f(cctx)
	}
}
