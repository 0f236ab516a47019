package rt

import (
	"sync/atomic"
	"unsafe"

	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/internal/mailbox"
)

// ActorType describes the actors of one annotated type. Generated code holds one per type.
type ActorType struct {
	Name string // package and type, for reports: "bank.account"
	// Trace marks the heap objects that the actor's state names. nil: the state has none.
	Trace func(a *Actor, t *heap.Tracer)
	// MailboxLimit is how many messages may wait before those who send more are held back. 0: Config.MailboxLimit.
	// Negative: never.
	MailboxLimit int
}

// Actor is the runtime's part of an actor. Generated code embeds it first in a struct that ends with the state.
// An idle actor that nobody can reach is reclaimed by Go's collector, and its heap with it.
//
// Owner of all plain fields: whoever owns the mailbox (package mailbox).
type Actor struct {
	// What seldom changes comes first: senders read rt and the home of the box, and would wait for a line that the owner
	// writes with each message.
	typ  *ActorType
	rt   *Runtime   // the runtime that spawned it: homes are numbers of its workers
	heap *heap.Heap // nil until the actor first allocates
	// resume is the strand to go on with, when the actor is queued for that and not for its mailbox.
	resume *strand
	more   *extension
	// blocksOn is what Block waits for, while it may be looked through for deadlocks, see NoteBlock. Written seldom: only by
	// behaviours that block. Writers: the owner, by atomic stores. Readers: any goroutine.
	blocksOn unsafe.Pointer
	box      mailbox.Box[Message]
	rests    int32 // its place in the worker's resting, from 1; 0: it does not rest
}

// extension is what few actors need.
type extension struct {
	parked *strand // strands of this actor in Await or Suspend, linked by nextParked
	number uint64  // in order of spawning, in systematic mode
	kept   []unsafe.Pointer
	free   []Kept // empty places of kept
	// pressure is made once, and never changed after the actor's bit of pressure was first set: others read it then.
	pressure *pressure
}

// Type returns the actor's type.
func (a *Actor) Type() *ActorType { return a.typ }

// String names the actor for reports.
func (a *Actor) String() string { return a.typ.Name }

// Spawn makes a fresh actor known to the runtime. A leaf. REQUIRES: a is new and nobody else has seen it.
func Spawn(ctx *Ctx, a *Actor, t *ActorType) {
	ctx.CheckLeaf()
	if invariant.Enabled && a.typ != nil {
		panic("rt: Spawn of an actor that exists")
	}
	a.init(ctx.worker.rt, t)
	if d := a.rt.driver; d != nil {
		d.number(a)
	}
}

func (a *Actor) init(rt *Runtime, t *ActorType) {
	a.rt, a.typ = rt, t
	a.box.Init()
	limit := t.MailboxLimit
	if limit == 0 {
		limit = rt.cfg.MailboxLimit
	}
	if limit > 0 {
		a.box.SetLimit(uint32(min(limit, maxMailboxLimit)))
		a.pressured()
	}
}

// NoteBlock says what the running actor is about to Block on and cannot give up; nil takes that back. Of what kind it is, is
// agreed among those who note and look: package futures. A leaf.
func NoteBlock(ctx *Ctx, on unsafe.Pointer) {
	// Pairs with the load in BlocksOn: of several who note and then look, the last sees all.
	atomic.StorePointer(&ctx.self.blocksOn, on)
}

// BlocksOn is what the actor noted last. From any goroutine.
func (a *Actor) BlocksOn() unsafe.Pointer { return atomic.LoadPointer(&a.blocksOn) }

// Kept names an object that the running actor's heap must not free, see Keep.
type Kept int32

// Keep makes p a root of the running actor's heap until Unkeep: for what waits in a Go value that the collector cannot
// trace, such as a chained function. A leaf.
func Keep(ctx *Ctx, p unsafe.Pointer) Kept {
	ctx.CheckLeaf()
	x := ctx.self.extend()
	if n := len(x.free); n > 0 {
		k := x.free[n-1]
		x.free = x.free[:n-1]
		x.kept[k] = p
		return k
	}
	x.kept = append(x.kept, p)
	return Kept(len(x.kept) - 1)
}

// Unkeep ends Keep and returns what was kept. A leaf; the same actor must be running.
func Unkeep(ctx *Ctx, k Kept) unsafe.Pointer {
	ctx.CheckLeaf()
	x := ctx.self.more
	p := x.kept[k]
	x.kept[k] = nil
	x.free = append(x.free, k)
	return p
}

// extend gives the actor an extension, once: others may read the pointer after that.
func (a *Actor) extend() *extension {
	if a.more == nil {
		a.more = new(extension)
	}
	return a.more
}

// addParked remembers a strand whose frames are roots of a's heap.
func (a *Actor) addParked(s *strand) {
	x := a.extend()
	s.nextParked, s.prevParked = x.parked, nil
	if x.parked != nil {
		x.parked.prevParked = s
	}
	x.parked = s
}

func (a *Actor) removeParked(s *strand) {
	if s.prevParked != nil {
		s.prevParked.nextParked = s.nextParked
	} else {
		a.more.parked = s.nextParked
	}
	if s.nextParked != nil {
		s.nextParked.prevParked = s.prevParked
	}
	s.nextParked, s.prevParked = nil, nil
}
