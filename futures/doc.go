// Package futures gives actors answers that come later: a Promise is what the answer is put into, once; a Future is
// what it is read from, by anybody, as often as wanted. Both are one pointer to the same cell.
//
// A behaviour reads a future in one of these ways:
//
//	Get      the whole actor stops until the answer is there; the worker does not
//	Await    this behaviour stops; others of the actor run meanwhile
//	TryGet   nobody stops: the answer, or that there is none yet
//	Chain    a function is called with the answer, as a message of the actor that chained it
//
// GetWithin and AwaitWithin, GetUntil and AwaitUntil give up after a while, by the runtime's clock. Futures become others
// without anybody waiting: Forward hands an answer on, All, Settled, Race, Any and FirstSuccess combine several, and Follow
// makes one that can be cancelled by itself. Cancel is for a future that nobody wants: whoever waits for it goes on, and a
// behaviour that was to answer it, and has not begun, does not run.
//
// ChainDetached calls its function on an actor made for it, wherever the answer came up; Wait is for goroutines outside
// the runtime. Suspend has no future: it lets the messages run that wait now.
//
// The answer is a value or an error. A behaviour that panics fails its future with the *rt.PanicError; a chained
// function that returns an error or panics fails the future that Chain returned; and an error goes down a chain without
// calling the functions on its way.
//
// # The cell
//
// A cell has one word of state (word.go has its transition table): the list of those who wait and, in the low bits of
// that pointer, the phase. There is no lock. Registering is one compare-and-swap that succeeds only while the answer is
// not there; so check and add are one step, and a function is never called twice or not at all.
//
// Fulfilling goes through four phases. The fulfiller claims the cell; this decides who of several wins. It writes the
// answer, which is a plain field: nobody reads it before it is published. It publishes by taking the list of waiters
// out of the word, and tells each of them in the order in which they registered. Meanwhile others may still register
// functions, behind those; it takes what has come and goes on until the list is found empty and closed in one step.
//
// Telling a waiter is putting a strand where a worker will find it, or sending a message. No user code runs in that
// loop, so fulfilling is a leaf: it takes a *rt.Ctx, never waits, and the errors and panics of those who wait cannot
// come back to the one who answers. For the same reason a chain of a million links needs no deep stack: each link is a
// message of its own.
//
// # Heap objects
//
// Where T is a pointer to a generated object type, fulfilling copies the graph out of the fulfiller's heap into memory
// of the cell's own, and each reader gets a copy in its own heap. The pointer that a reader got obeys the rules of
// package gc: before the next call that takes the context cell it must be in a frame.
//
// A wait that may end before the answer stands at a gate (gate.go), which is one waiter of the cell for all who come while it
// is the newest. Under the gate's lock it is decided whether the answer or the clock was first, and whoever gives up is
// taken out: so trying again and again leaves nothing behind.
//
// What hands an answer on to another cell is a relay: it is not called from the loop that tells, but returned by it, and
// whoever answers goes through all relays, and those that wait for their answers, in a second loop (carryOn).
//
// Chained functions are Go closures, and what a closure captures cannot be traced. One that needs a heap object takes
// it as an argument, see ChainWith.
//
// # Tasks
//
// Async runs a function beside its caller, on whatever worker is free, and returns its future with an id by which any
// goroutine can look up how far it has come (rt.Runtime.Task). How many there may be at once is bounded (rt.Config.Tasks):
// one who submits more waits, without holding its worker.
//
// # Parallel collections
//
// Par is a collection of elements of which some are there and others will be: values, futures, and what functions make of them. Its
// operations (Merge, Map, Filter, Join, Zip, GroupBy, Reduce, Prune, ...) return at once, and state the order of what they give.
//
// # Streams
//
// A Stream is a row of values that a producer yields, to be read by any number of actors, each of which sees all. The producer
// waits when it is too far ahead, without holding its worker, and ends when nobody reads any more.
//
// # Waits that cannot end
//
// A get of a future that only the same actor can fulfil, or that closes a circle of actors which get from each other, is a
// *DeadlockError at once (deadlock.go). A future made by NewWatchedPromise fails when its promise is lost. What else never
// comes is found when nothing else can run: rt.Run then returns an *rt.BlockedError that names who waits for what.
//
// # Reading order
//
// word.go, cell.go, promise.go, future.go; then chain.go, detached.go, async.go, foreign.go, object.go; par.go, par_map.go, par_reduce.go, par_set.go, par_prune.go; stream.go.
//
// # Rejected
//
// A lock and an array of sixteen waiters, with closures called under the lock (Encore's first futures: the limit was
// met, and a closure that touched its own future hung). Calling functions from Fulfil (their stack grows with the chain,
// and their panics hit the producer). A stack of closures called newest first (an order that nobody expects). Handing
// the answer to a waiter instead of telling it to look (one that has given up would swallow it). A word for the phase
// beside the word for the list (two words cannot be changed in one step, so every reader needs an argument why not).
// Taking one who gives up out of the list (a lock-free list cannot, cheaply; those share a node instead, see gate).
package futures
