package arena

import (
	"fmt"
	"math/bits"
	"unsafe"
)

type blockState uint8

// The states of a block; doc.go has the table of transitions.
const (
	blockFree blockState = iota
	blockUsed
	blockSlab
	blockGuarded
	blockSide // block 0
)

// bitset has one bit for each block of a section.
type bitset [sectionBlocks / 64]uint64

func (b *bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b *bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b *bitset) clear(i int)    { b[i/64] &^= 1 << (i % 64) }

// run returns the first run of n set bits, or -1.
func (b *bitset) run(n int) int {
	if n == 1 {
		for w, x := range b {
			if x != 0 {
				return w*64 + bits.TrailingZeros64(x)
			}
		}
		return -1
	}
	length := 0
	for i := range sectionBlocks {
		if !b.has(i) {
			length = 0
		} else if length++; length == n {
			return i - n + 1
		}
	}
	return -1
}

// section describes 4 MiB of address space. All fields are guarded by world.mu. It lives on Go's heap, so that the
// memory it speaks of stays untouched until it is used.
type section struct {
	base  unsafe.Pointer
	free  bitset // Invariant: free.has(i) == (state[i] == blockFree)
	state [sectionBlocks]blockState
	owner [sectionBlocks]uint32 // the owner; of a free or guarded block the last one
	slab  [sectionBlocks]slab

	piece  *piece
	nth    int    // place in world.sections
	backed bitset // blocks for which the system may hold pages; on Windows: committed
	idle   int    // free blocks that are backed, as world.idle counts them
}

// settle brings world.idle up to date. It follows every change of free or backed. REQUIRES: world.mu.
func (s *section) settle() {
	n := 0
	for w := range s.free {
		n += bits.OnesCount64(s.free[w] & s.backed[w])
	}
	world.idle += n - s.idle
	s.idle = n
	world.idleLow = min(world.idleLow, world.idle)
}

func newSection(base unsafe.Pointer, p *piece, nth int) *section {
	s := &section{base: base, piece: p, nth: nth}
	s.state[0] = blockSide
	for i := 1; i < sectionBlocks; i++ {
		s.free.set(i)
	}
	return s
}

func (s *section) block(i int) unsafe.Pointer { return unsafe.Add(s.base, i*BlockSize) }

func (s *section) index(p unsafe.Pointer) int {
	return int((uintptr(p) - uintptr(s.base)) / BlockSize)
}

// whole tells whether nothing of the section is handed out or guarded.
func (s *section) whole() bool { return s.free == bitset{^uint64(1), ^uint64(0)} }

// spread returns the number of sections that a span of n blocks takes.
func spread(n int) int {
	if n <= spanInSection {
		return 1
	}
	return (n + 1 + sectionBlocks - 1) / sectionBlocks
}

// find returns the place of n free blocks in a row: the first section, the block in it, and how many sections the span
// takes. REQUIRES: world.mu.
func find(n int) (s *section, first, sections int) {
	sections = spread(n)
	for world.hint < len(world.sections) && world.sections[world.hint].free == (bitset{}) {
		world.hint++
	}
	if sections == 1 {
		for _, s := range world.sections[world.hint:] {
			if i := s.free.run(n); i >= 0 {
				return s, i, 1
			}
		}
		return nil, 0, 0
	}
	length := 0
	for i, s := range world.sections {
		if !s.whole() || length > 0 && s.piece != world.sections[i-1].piece {
			length = 0
		}
		if s.whole() {
			if length++; length == sections {
				return world.sections[i-sections+1], 1, sections
			}
		}
	}
	return nil, 0, 0
}

// take marks a span as handed out, and makes its memory usable. REQUIRES: world.mu; the span is free.
func (s *section) take(o *Owner, first, n, sections int, state blockState) error {
	if err := s.commit(0, 1); err != nil {
		return err
	}
	if sections == 1 {
		if err := s.commit(first, n); err != nil {
			return err
		}
		s.occupy(o, first, n, state)
		return nil
	}
	all := world.sections[s.nth : s.nth+sections]
	left := n + 1 // block 0 of the first section is not part of the span
	for _, each := range all {
		if err := each.commit(0, min(left, sectionBlocks)); err != nil {
			return err
		}
		left -= sectionBlocks
	}
	for _, each := range all {
		each.occupy(o, 1, spanInSection, state)
	}
	return nil
}

func (s *section) occupy(o *Owner, first, n int, state blockState) {
	for i := first; i < first+n; i++ {
		s.free.clear(i)
		s.state[i], s.owner[i] = state, o.id
	}
	s.settle()
}

// commit asks the system for memory behind the blocks that have none.
func (s *section) commit(first, n int) error {
	defer s.settle()
	for i := first; i < first+n; i++ {
		if s.backed.has(i) {
			continue
		}
		if err := sysUse(s.block(i), BlockSize); err != nil {
			return systemError("commit", BlockSize, err)
		}
		s.backed.set(i)
	}
	return nil
}

// release takes a span back. REQUIRES: world.mu; the span starts here and belongs to o.
func (s *section) release(o *Owner, first, n int) {
	sections := spread(n)
	if sections == 1 {
		if first+n > sectionBlocks {
			panic(fmt.Sprintf("arena: free of %d blocks from block %d of a section", n, first))
		}
		s.vacate(o, first, n)
		return
	}
	for _, each := range world.sections[s.nth : s.nth+sections] {
		each.vacate(o, 1, spanInSection)
	}
}

func (s *section) vacate(o *Owner, first, n int) {
	for i := first; i < first+n; i++ {
		if s.state[i] != blockUsed && s.state[i] != blockSlab || s.owner[i] != o.id {
			panic(fmt.Sprintf("arena: block %d of section %d freed twice, or by a stranger", i, s.nth))
		}
	}
	defer s.settle()
	if o.guard && sysGuard(s.block(first), n*BlockSize) {
		for i := first; i < first+n; i++ {
			s.state[i] = blockGuarded
			s.backed.clear(i)
		}
		return
	}
	for i := first; i < first+n; i++ {
		s.state[i] = blockFree
		s.free.set(i)
	}
	world.hint = min(world.hint, s.nth)
}

// reclaim frees all that o has in the section.
func (s *section) reclaim(o *Owner) (any bool) {
	for i := 1; i < sectionBlocks; i++ {
		if s.owner[i] == o.id && (s.state[i] == blockUsed || s.state[i] == blockSlab) {
			s.slab[i] = slab{}
			s.vacate(o, i, 1)
			any = true
		}
	}
	return any
}
