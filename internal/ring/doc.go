// Package ring is a table of tasks by id: a ring of slots in which task id has slot id modulo the size. Whoever has an
// id finds the task without a lock, from any goroutine, while others submit, run and free tasks.
//
// Ids are handed out in order. An *epoch* is a place in that order: it is reached when all tasks before it have ended. The
// *horizon* is the newest epoch known to be reached; the slots of tasks before it are free, and their ids are refused. So a
// task that has ended can still be looked up until the next epoch behind it is reached, and a task that takes long keeps
// the slots of all that came after it: submission is tied to completion. (The terms, and the idea, are those of Celerity,
// celerity-runtime PR 107.)
//
//	horizon ≤ low ≤ next ≤ horizon + capacity
//
//	[horizon, low)   ended, but no epoch among them has been reached since: found by id
//	[low, next)      in flight: handed out, and not ended, but for some that have overtaken others
//
// All four are positions in the same order, counted in 64 bits that may wrap: they are compared by their differences,
// which are never more than the capacity. An id is the position, so it would come again after 2^64 tasks.
//
// # Who may call what
//
//	LookUp, Horizon, Reached,  any goroutine, at any time
//	Room, CanFree, Cap
//	Reserve, Mark, MarkEnded   any goroutine; a successful Reserve obliges its caller to
//	Publish                    each id that it got, once, after which one goroutine at a time, whoever runs that task, may
//	Begin, then End            it, once each
//
// Mark, MarkEnded and End report that the horizon has moved: their caller tells those who wait.
//
// # The argument
//
// Publish stores the id first and the word, which says the state, last; LookUp compares the id before and after all else is
// read (a sequence lock whose sequence is the id), and knows the word of the tenant before by a bit. So it never mixes two.
//
// Whoever stores that a task has ended then looks at low; whoever moves low then looks whether the next one has ended. Each
// does its store before its load, so of two that meet one sees the other, and low is never left behind a task that has
// ended. The same holds for epochs: Mark notes the epoch and then looks at low, advance moves low and then looks for the epoch.
// These two need more than release and acquire: a load that passes the store before it would let both miss. Go's
// atomics are sequentially consistent, so it cannot. For all others, release and acquire would do.
//
// The test TestModelOfEpochs tries every order of these steps, and shows what is lost without each.
//
// Nobody who submits frees a slot, nor does a reader: the horizon moves at the end of a task, or with Mark. Freeing is that
// one store; slots are not cleared.
//
// # Rejected
//
// A lock around submission (one mutator, as in Celerity): tasks are submitted by all workers, and a compare-and-swap on
// next costs less than the lock when they meet. A pointer per slot to a record on Go's heap: no sequence lock, but 48 bytes
// of garbage for each task. A counter of unfinished tasks per epoch: it is written by all workers at each end, where low
// is mostly read. Generations in the upper bits of a short id: they wrap.
package ring
