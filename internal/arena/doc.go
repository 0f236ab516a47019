// Package arena is the process's address space outside Go's heap: it hands out blocks, spans of blocks and small chunks
// of memory that Go's collector neither scans nor frees.
//
// # Terms
//
// A piece is what is reserved from the system at once: 64 MiB, then twice as much each time up to 1 GiB (picked; not
// measured). A piece is never given back, because Go's own heap may be given the same addresses later, and a stale
// pointer would then look to Go's collector like one of its own. A piece is a row of sections of 4 MiB, aligned to their
// size. A section is 128 blocks of 32 KiB. Block 0 of a section is its side table: one byte for each line of 128 bytes
// of the section, 32,768 in all, which is exactly one block. Its contents belong to whoever owns the line (see
// SideByte). The other 127 blocks are handed out: alone, as a span of several in a row, or cut into chunks of 512 bytes,
// 1 KiB or 4 KiB (a slab). A span of more than 127 blocks takes whole sections and overwrites the side tables it runs over, all
// but the first: nobody needs them, for only the first line of a span can be asked for.
//
// An Owner is one user of the address space (one runtime). It gives back everything it holds with Close.
//
// # States of a block
//
//	from      to        by
//	free      used      Owner.Blocks
//	free      slab      Owner.Chunk, which cuts it up
//	used      free      Owner.FreeBlocks
//	slab      free      Owner.FreeChunk of the last chunk
//	used/slab guarded   the same two, when the owner asked for SetGuard(true): inaccessible for the rest of the run
//
// A free block is backed while the system may still hold pages for it; Release gives those pages up. Free blocks are
// found lowest first, section by section in order of reservation: that reuses backed blocks before fresh ones, and a
// fresh page costs about 2 us per 4 KiB (measured), more than everything else here.
//
// Contents are arbitrary: nothing is cleared on the way out or in.
//
// # Where the memory comes from
//
// mmap on Linux and macOS, VirtualAlloc on Windows. Under -race, and on systems that this package does not know, it
// comes from Go's heap as large byte slices that are kept for ever: the race detector reports false races and misses
// true ones in memory that is not Go's (golang/go#16206).
//
// # Rejected
//
//   - One mapping for each block: the kernel's limit of 65,530 mappings is reached with 2 GiB.
//   - Unmapping on free: see above.
//   - Line marks at the head of each block: all heads fall into the same few sets of a cache, and a chunk of 1 KiB would
//     have no place for its own.
//   - Lock-free free lists: a block is 32 KiB, so the lock is taken once per thousand objects.
//
// Reading order: arena.go, section.go, slab.go, piece.go, release.go, and a sys_*.go.
package arena
