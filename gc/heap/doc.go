// Package heap is the engine of actor-local garbage collection: the heap of one actor as a data structure that calls
// nobody. It has no goroutine of its own but one that starts Go's collector, takes no lock but that of the Space which
// hands it memory and that of a Marking, and knows no actor: rt says when to collect, and what the roots are.
//
// # Terms
//
// An object is a header word of 8 bytes and a payload; a pointer to it is the address of the payload, an ordinary Go
// pointer outside Go's heap. Its Type, named in the header, tells the collector where its pointers are. An array is a
// header, a length word, and elements without pointers.
//
// A Heap allocates in chunks: a block of 32 KiB, or for its first memory chunks of 512 bytes, 1 KiB and 4 KiB, so that a
// hundred thousand small actors stay small. A chunk is a row of lines of 128 bytes. A line is free or marked; a hole is
// a run of free lines. The Cursor is the present hole: allocation bumps it, and Refill moves it to the next one. Objects
// above half a block are large, and have a span of blocks each.
//
// An object that survived a collection is old, any other is young. The nursery is not a place but an amount: what is
// handed out between two collections. A fragment is memory with objects that belongs to no heap yet: the message on its
// way from one to another.
//
// An exported object is one of the heap's own that others hold, with a count; an imported one is another heap's that this one holds,
// with a weight. A note is a change of a count, owed to its owner. A region is memory in which a graph was built to be given away.
//
// A Space is the memory of one runtime: it takes chunks from internal/arena, counts them against the limit, and keeps
// some for the next heap that asks.
//
// # Marks are sticky
//
// Objects do not move, so generations need no copying: a collection simply leaves the marks of the last one in place
// (Demers et al., Combining Generational and Conservative Garbage Collection, POPL 1990; on Immix: Blackburn and
// McKinley, PLDI 2008, and Shahriyar et al., OOPSLA 2014). A minor collection starts from the roots and from the
// remembered set, stops at marked objects, and adds marks to lines. Whatever is unmarked then is free. A full
// collection, when the old generation has doubled, first takes all marks away: those of lines by clearing, those of
// objects by exchanging the two values of the mark, of which one is the heap's epoch.
//
// The remembered set holds old objects that were stored into since the last collection, each once: a setter tests
// FlagOld of the object that it stores into, and Log clears it. Constructors need no test, for a fresh object is young.
//
// Invariant: no young object is reachable only through old objects that are not logged. Heap.Verify checks it, and the
// rest of what this text says.
//
// # The header
//
//	bits 0-31   flags:  0 FlagOld  1 forwarded  2-3 mark  4 logged  5 large  6 frozen  7-31 zero
//	bits 32-63  type id, never 0
//
// Writers and readers: the strand that runs the owner, and while a large heap is marked those who help (marking.go); objects
// of a kept fragment have no writer, and any readers. Of a frozen object the owner writes the flags alone, as a word of 32 bits,
// and others read the type alone.
//
//	state        old  logged  mark        to        by
//	young         0     0     none        old       a collection that reaches it
//	                                      free      a collection that does not
//	old           1     0     epoch       logged    Heap.Log, before the first store
//	                                      old       a full collection that reaches it (the epoch has changed)
//	                                      free      a full collection that does not
//	logged        0     1     epoch       old       any collection that reaches it, and every minor one
//	                                      free      a full collection that does not
//	frozen young  1     0     none        old, or free, as young
//	frozen old    as old; a store into it panics in Heap.Log, which FlagOld leads to. Any state becomes frozen, for good, when the
//	              object is shared as immutable; a logged one is in the remembered set until the next collection, with FlagOld
//	forwarded     the word is the address of the copy, with bit 1 set; any state becomes this and itself again within
//	              Fragment.CopyFrom
//
// free is no state of the header: a dead object is not touched. Its bits stay until the line is allocated in again, and
// nobody looks at them, for holes are entered only by allocation and objects only through references.
//
// # Memory is not cleared
//
// A hole has stale bits. Constructors therefore store every field, and arrays and large objects clear themselves. And
// pointers are stored as integers: Go's write barrier reads the old value of a slot, and stale bits that look like a
// pointer into Go's heap stop the program ("found bad pointer in Go heap"). It also saves the barrier's test.
//
// # Reading order
//
// header.go, type.go, line.go, chunk.go: what is where. heap.go, alloc.go, large.go: allocation. collect.go, trace.go,
// marking.go, remset.go, sweep.go: a collection, in the order in which things happen. fragment.go, copy.go: messages. share.go,
// grants.go, inbox.go, places.go: immutable objects that several heaps hold. region.go: graphs that move. space.go,
// growth.go, release.go: memory shared by all heaps, and how it comes back. pacer.go: when. verify.go: everything said here, as checks. stats.go, pause.go: figures.
//
// # Rejected
//
//   - Copying young objects out: needs to find and update every pointer, in frames and Go-side fields too. Marking costs
//     as little where little survives, and where much survives it costs less.
//   - A free list per size class: allocation would not be a bump, and sweeping would visit each object.
//   - A mark bit table: sticky marks need the header in the barrier anyway, and the header of a reached object is in the
//     cache because its type is needed.
//   - Clearing holes: 1.67-1.84 times the bump allocator instead of 1.43-1.57 (measured with a prototype).
//   - A nursery of its own that is evacuated whole: with reuse of the last cycle's memory in the same order the holes of
//     a mostly dead nursery are one long hole again.
//   - Immix's implicit marking of the line behind: see line.go.
//   - Recursion for marking: four times dearer in Go than in C, and lists are deep.
package heap
