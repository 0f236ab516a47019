// Package mailbox holds the messages of one actor and the ownership of that actor.
//
// A box has two parts. The local part is a contiguous queue that only the actor's home worker touches, with plain
// loads and stores. The remote part is a list of nodes that anybody may push to with one compare-and-swap. A worker
// collects what it sends to others in an Outbox and hands it over as a group: to the Remote of the worker at which an actor
// is at home, or else to the actor's remote part, up to 15 messages a node. An actor that
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
// What the owner takes before its group is published stays in a third list, late, which only the owner touches:
//
//	late        | meaning                                   | who   | to
//	------------+-------------------------------------------+-------+------------------------------------------
//	nil         | all that was taken is in the local part   | owner | nodes (drain: not published when looked at)
//	nodes       | owned, and not to be released             | owner | nil, or those still not published (drain)
//
// The home word is the worker that owns the actor privately, or 0:
//
//	home     | meaning                                            | who   | to
//	---------+----------------------------------------------------+-------+------------------------------------------
//	0        | queued where any worker may take it, or never run  | owner | w (takes it to run, or claimed it)
//	w        | worker w owns it: it runs, is in w's private queue | w     | 0 (before sharing and handing over)
//	         | or rests until w's next flush                      | w     | away|w (before Release); both while w's
//	         |                                                    |       | Remote is closed
//	         |                                                    | w     | leaving|w (where no other worker is awake)
//	leaving|w| likewise; senders wait for what becomes of it      | w     | w, 0, or away|w (before Release)
//	away|w   | idle, or about to be; w had it last                | owner | v (claimed, or Release has failed)
//	         |                                                    | owner | 0 (found idle by a flush and handed over)
//
// Invariant: home == w implies that worker w owns the actor. Only w can end that, so w may rely on its own read;
// for everybody else a home is only a hint that the local part is not theirs, and where the actor was. The word's highest
// bit is the bit of pressure (see Pressed), which stays whatever the home becomes; an idle actor's is clear.
//
// Order. Messages are taken from the local part. What lies in the worker's Remote is moved behind it before each local push and
// before the actor leaves its home; what is published of late and of the remote part, when the local part is empty and
// before every local push, one from the Remote included. Delivery is causal: if whoever sends b knew of a, a lies before b.
//
//   - a was pushed by itself or locally: its push is one step, before b's.
//   - a came with a group, and b's sender knew of it by a message of that group: that message was seen, so the group was
//     published, so all its parts were linked before, a's too, and b's push comes later. A drain that takes b looks
//     at a again, before b, and finds it published. Of two nodes of one group the second is not taken where the first
//     was passed over: the group may be published between the two looks.
//   - b's sender knew of a by another way, or by a message within a's worker: then either b goes through the same outbox, behind
//     a; or the knowledge left the worker, and all ways out of it begin with a flush: a shared or handed-over actor, one
//     whose strand is parked or muted, one that is released (another worker may claim it: it rests until the flush),
//     a fulfilled future, an unlocked mutex, a Do that returns. A local push or a claim by the worker itself, which would
//     overtake its outbox, is done only where that holds nothing for the box, after a flush if need be.
//   - a lies in a Remote, and b comes another way. By the remote part: then b's sender saw that the actor has left that home, or
//     is not yet there. It left while the Remote was closed, after a had been moved, so b is behind; and if it came later, a
//     does not lie there, since a parcel whose epoch has passed is not pushed before each receiver's home is looked at again,
//     under the lock that closes the Remote. Locally: the worker looks into its Remote first. By the same Remote: first in, first out.
//   - The worker may also let an actor go without closing while all others are announced asleep, for then no sender has a parcel open: it
//     writes leaving, looks at their number and into its Remote, and takes the word back if one is awake. Who wakes up after that
//     look reads the home later.
//   - a lies in the remote part, and b comes by a Remote: b is moved by a local push, which moves a first.
//   - a and b wait in one outbox. They go the same way, in order: what is for a box goes one way until the next flush.
//
// Nothing depends on what is not published, so passing it over delays nobody else.
//
// The exhaustive model in model_test.go takes these steps in every order, and finds each rule's breakage.
//
// Rejected: a state word beside the queue (a sketch that read the queue after `state = idle` was a data race); only
// remote parts (with 250 actors a group has two messages for each, in four lines of memory that go from processor to processor); Vyukov's queue (between its two steps a consumer sees a gap and must spin).
package mailbox
