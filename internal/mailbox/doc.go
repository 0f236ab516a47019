// Package mailbox holds the messages of one actor and the ownership of that actor.
//
// A box has two parts. The local part is a contiguous queue that only the actor's home worker touches, with plain
// loads and stores. The remote part is a list that anybody may push to with one compare-and-swap. An actor that
// nobody owns is idle, and the list's head says so: the push that finds the idle mark has become the owner and must
// schedule the actor; Release fails while anything is there. There is no second state word that could be looked at
// when ownership is already gone.
//
//	head        | meaning                           | who          | to
//	------------+-----------------------------------+--------------+----------------------------------------------
//	idle mark   | nobody owns the actor, it is empty | any sender   | nil (Claim: the sender owns it now)
//	            |                                    | any sender   | node (PushRemote: likewise)
//	nil         | owned, remote part empty           | any sender   | node
//	            |                                    | owner        | idle mark (Release)
//	node        | owned, remote part not empty       | any sender   | newer node
//	            |                                    | owner        | nil (drain)
//
// The home is the worker that owns the actor privately, or 0:
//
//	home | meaning                                            | who   | to
//	-----+----------------------------------------------------+-------+-----------------------------------
//	0    | idle, or queued where any worker may take it       | owner | w (takes it to run, or claimed it)
//	w    | worker w owns it, running or in its private queue  | w     | 0 (before Release, before sharing)
//
// Invariant: home == w implies that worker w owns the actor. Only w can end that, so w may rely on its own read;
// for everybody else a home is only a hint that the local part is not theirs. The word's highest bit is the bit of
// pressure (see Pressed), which stays whatever the home becomes.
//
// Order: messages are taken from the local part; the remote part is moved behind it when the local part is empty and,
// before every local push, when it is not. A remote push is one linearised step, so whatever a sender sent before, or
// knew of when it sent, lies before its own message: delivery is causal.
//
// Rejected: a state word beside the queue (a sketch that read the queue after `state = idle` was a data race); one
// inbox per worker instead of one remote part per actor (an actor that is stolen overtakes its own messages that wait
// in the old worker's inbox); Vyukov's queue (between its two steps a consumer sees a gap and must spin).
package mailbox
