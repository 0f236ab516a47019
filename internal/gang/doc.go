// Package gang does a job in shares with the help of a few workers, which sleep between jobs, while the caller takes
// part itself.
//
// The usual gang is dispatched by a round trip: the caller wakes the workers and sleeps until the last of them wakes it.
// For a short job the round trip is all of the time, and where no processor is free for a worker, the caller waits for one
// while it has its own. Here the caller claims shares as the workers do, through the same counting, until none is
// unclaimed, and waits only for shares that others have claimed and not finished (the idea is OpenJDK's JDK-8321242). So a
// worker that comes late finds nothing to do and has held up nobody; a gang without workers works; and the way on which
// the caller does everything is not a special case: it is the one that every job takes.
//
// # A round
//
// One job at a time: a caller first takes the turn. Then it writes the job, and one store to a word makes its shares
// claimable. The word says how many shares there are, how many were claimed, how many of those run, and whether the
// caller sleeps:
//
//	word                       | who                                | to
//	all claimed, none runs     | open, by who has the turn          | n shares, none claimed
//	some unclaimed             | claim, any participant             | one more claimed, one more runs
//	any, caller's share runs   | add, by a running share            | more shares
//	any                        | finish, by who ran it              | one less runs; the last one ends the round
//	all claimed, some run      | wait, the caller, before it sleeps | the same, caller sleeps
//	caller sleeps              | the last finish, or add            | awake; who makes this step sends the permit
//
// The round has ended when all shares are claimed and none runs. That can not become true while somebody may still add
// a share, for only a running share may, and it is made true by one participant, in one step.
//
// A worker knows nothing of rounds. What it reads of the job it reads between a claim and the finish of that share, when
// the round cannot end. After the finish it looks at the word alone, which belongs to the gang. So the caller may do with
// the job what it likes when Run has returned. And a claim that meets another round than the one in which the worker read
// the word takes a share of that other round, correctly: the step depends on nothing but the word.
//
// # Workers
//
// A worker starts when there is a share for it, and leaves when no job has wanted it for a second. In between it
// sleeps: it announces that, looks at the word once more, and waits for a permit; a caller first opens the round and then
// looks for announced workers. Whichever comes second in the order of these sequentially consistent steps sees the other.
// A job does not depend on it: a worker that is not woken costs time only. (One that is dispatched by Delegate does.)
// A worker that has been woken and has not come yet is not woken again, so that short jobs back to back cost the caller no
// system call each. A worker that leaves gives its number to the next only when it has taken its last permit, and looks at the
// word once more after that, as after an announcement. And where jobs are over again and again before the worker has come that was
// woken for them, the caller begins the next ones alone (alone.go). TestModelOfTheGang searches all orders of these steps.
//
// # Rejected
//
//   - A goroutine for each share: the caller then pays for the start of each, and waits for those that no processor has
//     taken up yet.
//   - Workers that spin for a while before they sleep: with two processors one of them is the caller's, and the other
//     one may have an actor to run.
//   - Several rounds at once: whoever finds another round running has processors that are busy anyway, and may go on
//     by itself (Try).
package gang
