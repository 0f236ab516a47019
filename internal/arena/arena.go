package arena

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

const (
	// BlockSize is the size and alignment of a block in bytes.
	BlockSize = 32 << 10
	// SectionSize is the size and alignment of a section in bytes; its first block is the side table.
	SectionSize = 4 << 20
	// LineSize is the granule of the side table in bytes.
	LineSize = 128

	sectionBlocks = SectionSize / BlockSize // 128: two words of bits
	spanInSection = sectionBlocks - 1       // the longest span that shares its section with others
)

// world is the address space of the process.
var world struct {
	mu sync.Mutex

	// The following are guarded by mu.

	pieces   []*piece
	sections []*section // in order of reservation; those of one piece are neighbours in memory
	hint     int        // Invariant: no section below hint has a free block
	next     uintptr    // size of the next piece in bytes
	owners   map[uint32]*Owner
	lastID   uint32

	idle    int // free blocks that are backed
	idleLow int // the fewest since the last Trim: nobody has needed so many

	// extents are the bounds of all pieces. Writers: reserve, under mu. Readers: Contains, without a lock: the Store in
	// reserve pairs with the Load in Contains, and a reader that misses it has no address in the new piece yet.
	extents atomic.Pointer[[]extent]
}

// Owner is one user of the address space. Its methods may be called from any goroutine.
type Owner struct {
	name string
	id   uint32

	// The following are guarded by world.mu.

	closed bool
	guard  bool
	slabs  [classes][]slabRef // slabs that have a free chunk
	bytes  int64              // handed out, slabs counted whole
}

// NewOwner returns an owner that holds nothing. The name appears in Describe.
func NewOwner(name string) *Owner {
	world.mu.Lock()
	defer world.mu.Unlock()
	world.lastID++
	o := &Owner{name: name, id: world.lastID}
	if world.owners == nil {
		world.owners = make(map[uint32]*Owner)
	}
	world.owners[o.id] = o
	return o
}

// SetGuard makes blocks that the owner frees from now on inaccessible for the rest of the run instead of free (a slab
// counts when its last chunk is freed). It is for tests: a stale use faults at once, debug.SetPanicOnFault makes a panic
// of the fault, and Describe names the region. Without effect where memory comes from Go's heap.
func (o *Owner) SetGuard(on bool) {
	world.mu.Lock()
	o.guard = on
	world.mu.Unlock()
}

// Bytes returns the bytes that the owner holds, slabs counted whole.
func (o *Owner) Bytes() int64 {
	world.mu.Lock()
	defer world.mu.Unlock()
	return o.bytes
}

// Blocks returns a span of n blocks in a row, aligned to BlockSize, with arbitrary contents. The error is a
// *SystemError. n must be positive.
func (o *Owner) Blocks(n int) (unsafe.Pointer, error) {
	if n <= 0 {
		panic(fmt.Sprintf("arena: span of %d blocks", n))
	}
	world.mu.Lock()
	defer world.mu.Unlock()
	return o.blocks(n, blockUsed)
}

// FreeBlocks gives back a span that Blocks(n) returned. The memory must not be touched any more.
func (o *Owner) FreeBlocks(p unsafe.Pointer, n int) {
	world.mu.Lock()
	defer world.mu.Unlock()
	o.freeBlocks(p, n, blockUsed)
}

// Close gives back everything that the owner holds. Nothing of it may be touched, and no other method called, any more.
func (o *Owner) Close() {
	world.mu.Lock()
	defer world.mu.Unlock()
	if o.closed {
		return
	}
	o.closed = true
	for i, s := range world.sections {
		if s.reclaim(o) {
			world.hint = min(world.hint, i)
		}
	}
	o.bytes, o.slabs = 0, [classes][]slabRef{}
	delete(world.owners, o.id)
}

// blocks takes n free blocks in a row. REQUIRES: world.mu.
func (o *Owner) blocks(n int, state blockState) (unsafe.Pointer, error) {
	if o.closed {
		panic("arena: allocation by a closed owner")
	}
	for {
		if s, first, sections := find(n); s != nil {
			if err := s.take(o, first, n, sections, state); err != nil {
				return nil, err
			}
			o.bytes += int64(n) * BlockSize
			return s.block(first), nil
		}
		if err := reserve(n); err != nil {
			return nil, err
		}
	}
}

// freeBlocks is the opposite of blocks. REQUIRES: world.mu.
func (o *Owner) freeBlocks(p unsafe.Pointer, n int, state blockState) {
	if o.closed {
		return
	}
	s := sectionOf(p)
	if s == nil {
		panic(fmt.Sprintf("arena: free of %p, which is not in the arena", p))
	}
	first := s.index(p)
	if uintptr(p)%BlockSize != 0 || s.state[first] != state || s.owner[first] != o.id {
		panic(fmt.Sprintf("arena: free of %s, which is not a span of %s", describe(uintptr(p)), o.name))
	}
	s.release(o, first, n)
	o.bytes -= int64(n) * BlockSize
}

// Usage tells how much memory the process has here, in bytes.
type Usage struct {
	Reserved int64 // address space
	InUse    int64 // handed out
	Backed   int64 // free, but the system still holds pages for it
	Guarded  int64 // inaccessible for the rest of the run
	Pieces   int   // reservations made
}

// ReadUsage returns the present state. It walks all sections: not for hot paths.
func ReadUsage() Usage {
	world.mu.Lock()
	defer world.mu.Unlock()
	u := Usage{Pieces: len(world.pieces)}
	for _, p := range world.pieces {
		u.Reserved += int64(p.size)
	}
	for _, s := range world.sections {
		for i := range sectionBlocks {
			switch {
			case s.state[i] == blockUsed || s.state[i] == blockSlab:
				u.InUse += BlockSize
			case s.state[i] == blockGuarded:
				u.Guarded += BlockSize
			case s.state[i] == blockFree && s.backed.has(i):
				u.Backed += BlockSize
			}
		}
	}
	return u
}
