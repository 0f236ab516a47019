package rt

import (
	"unsafe"

	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/invariant"
)

// Ctx is the execution context of one worker. Functions that take a *Ctx are leaves: they never switch threads and
// never collect, so the context they were given is still good afterwards. Everything else takes a **Ctx, the cell of
// the strand it runs on, and loads the context anew after a call that took the cell.
//
// A Ctx may be used only by code that the worker runs at that moment: never from another goroutine.
type Ctx struct {
	// Cursor and Shadow are for package gc and generated code. Owner: the strand that the worker drives.
	Cursor heap.Cursor
	Shadow *heap.Shadow

	worker *worker
	strand *strand
	self   *Actor
	random uint64
	// goroutine is the strand's, in invariant builds: what a leaf compares itself with.
	goroutine int64
}

// Self returns the running actor.
func (ctx *Ctx) Self() *Actor { return ctx.self }

// Behaviour returns the behaviour that runs, nil between two of them.
func (ctx *Ctx) Behaviour() *Behaviour { return ctx.strand.current }

// Reply returns the promise of the message whose behaviour runs, as it travelled in P1; nil where it has none.
func (ctx *Ctx) Reply() unsafe.Pointer {
	if s := ctx.strand; s.current != &runDo { // whose P1 is no promise
		return s.reply
	}
	return nil
}

// Runtime returns the runtime that the worker belongs to.
func (ctx *Ctx) Runtime() *Runtime { return ctx.worker.rt }

// Worker returns the worker's number, from 0. For statistics and tests: it changes with every switch.
func (ctx *Ctx) Worker() int { return ctx.worker.id }

// Space returns the off-heap memory of the runtime.
func (ctx *Ctx) Space() *heap.Space { return ctx.worker.rt.space }

// Heap returns the running actor's heap, made when it is first asked for.
func (ctx *Ctx) Heap() *heap.Heap {
	ctx.CheckLeaf()
	a := ctx.self
	if a.heap == nil {
		a.heap = heap.New(ctx.worker.rt.space)
		ctx.worker.rt.owners.add(a)
		if d := ctx.worker.rt.driver; d != nil {
			d.keep(a)
		}
		a.heap.Enter(&ctx.Cursor)
	}
	return a.heap
}

// Rand returns the next number of the worker's generator (xorshift64*, Vigna 2016). Not for cryptography.
func (ctx *Ctx) Rand() uint64 {
	x := ctx.random
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	ctx.random = x
	return x * 0x2545F4914F6CDD1D
}

// CheckLeaf panics when ctx is not the context of the strand that calls, which is how a context that was kept across
// a switch shows. It does nothing in ordinary builds.
func (ctx *Ctx) CheckLeaf() {
	if invariant.Enabled {
		if g := invariant.Goroutine(); ctx.goroutine != g {
			panic("rt: stale context: it was taken before a call that may switch, or belongs to another goroutine")
		}
	}
}

// enter makes a the running actor.
func (ctx *Ctx) enter(a *Actor) {
	ctx.self = a
	if a.heap != nil {
		a.heap.Enter(&ctx.Cursor)
	}
}

// leave ends that. Must come before the actor is released or queued: its next owner loads the cursor.
func (ctx *Ctx) leave(a *Actor) {
	if a.heap != nil {
		a.heap.Leave(&ctx.Cursor)
	}
	ctx.self = nil
}
