// Package rt runs actors: objects with a mailbox whose behaviours run one at a time, on a fixed number of workers.
//
// Most users never call it directly: they annotate types and run `encorert gen`, or have a compiler emit the same
// glue. What they do use is Runtime (New, Run, Do, Close), Main, and the two kinds of context.
//
// # Terms
//
//	worker     a goroutine that runs behaviours; there are Config.Workers of them
//	strand     the stack that behaviours run on: a coroutine that a worker drives. A behaviour that waits parks its
//	           whole strand, and the worker goes on with another
//	Ctx        the execution context of one worker: its running actor, its queues, the allocation cursor
//	cell       where a strand keeps the Ctx of the worker that drives it; every cctx points to one
//	actor      a mailbox, a type, perhaps a heap, and (in generated code) the state
//	behaviour  a method that runs as the answer to one message
//	batch      up to Config.Batch messages that an actor handles before others get their turn
//	home       the worker that owns an actor privately, so that it may push to the mailbox with plain stores
//	leaf       a function that takes *Ctx: it never switches threads and never collects
//	muted      held back: the actor has sent to one with too many messages, and handles none until that one has fewer
//
// # Two kinds of context
//
// Leaves take a *Ctx because they leave it good, so a caller may load it once and use it for many; everything that may
// switch threads or collect takes the **Ctx, because afterwards the context must be loaded anew:
//
//	ctx := *cctx
//	f := account.AskBalance(ctx) // a leaf: ctx is still good
//	n, err := f.Get(cctx)        // may switch: ctx is stale
//	ctx = *cctx                  // and this one is good again
//
// A cctx is passed down as an argument and goes nowhere else: not into a field, a global, a channel, a goroutine, or a
// closure that outlives the call. Then a function's signature is its whole effect. The cell is written in one place,
// strand.land; a test of the module finds no other.
//
// # What a behaviour must not do
//
// A behaviour that blocks in a system call or on a Go channel holds its worker meanwhile, unless it does so inside of
// Blocking; one that locks a sync.Mutex for long as well, see Mutex. A spare worker takes its place after a while, but actors that
// were queued behind it wait: see Runtime.Stuck. runtime.LockOSThread must not
// be held across anything that takes a **Ctx, nor by the goroutine that calls New: Go ends the process when a coroutine
// is resumed on another thread than it is locked to.
//
// # What comes from outside
//
// Do calls a function inside and waits for it. An event source makes things happen inside, again and again, and holds the
// run open until it is closed: After and Every (timers), Notify (signals), ReadFrom and WriteTo (whatever blocks), and
// NewSource, to which any goroutine may Post. Their events are behaviours, of an actor that each source has for itself,
// and send to others by the handles that they capture.
//
// # Reading order
//
// One message from send to reply: send.go, package mailbox, worker.go (enqueue), find.go, strand.go (body),
// dispatch.go, rest.go. Waiting: park.go, worker.go (drive); built on it are blocking.go and mutex.go. Events from
// outside: source.go, timer.go. Tasks: task.go, taskwait.go, package ring. Back-pressure: pressure.go. Sleep and wake: find.go (sleep), package park.
// Behaviours that hold their worker: monitor.go, attention.go, spare.go. The ends: panic.go,
// strand.go (guard, unwind), run.go (checkQuiet), close.go, inside.go. All workers on one goroutine, for tests:
// systematic.go, schedule.go, logical.go.
//
// # Rejected
//
// A goroutine for each actor: 2.8 KB for an idle one, 280 ns and more for a reply. A goroutine for each parked
// behaviour, with channels to hand over: 240 ns a switch where a coroutine takes 61. Looking the context up through the
// goroutine's identity at every use, as Encore did before: several ns each time. Caching it across calls that may
// switch, and patching where it hurts, as Encore did after: the stale context turned up again in the place that nobody
// had thought of.
package rt
