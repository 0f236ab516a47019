package arena

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// piece is one reservation. Immutable but for the sections' own fields.
type piece struct {
	base     unsafe.Pointer
	size     uintptr
	sections []*section
}

// extent is the address range of a piece.
type extent struct{ low, high uintptr }

// reserve adds a piece in which a span of n blocks fits. REQUIRES: world.mu.
func reserve(n int) error {
	if n > (1<<(bits.UintSize-2))/BlockSize {
		return systemError("reserve", uintptr(n), fmt.Errorf("%d blocks are more than the address space", n))
	}
	need := uintptr(spread(n)) * SectionSize
	size := max(world.next, firstPiece, need)
	base, err := sysReserve(size, SectionSize)
	for err != nil && size > need {
		// A limit on address space may leave room for less.
		size = max(size/2/SectionSize*SectionSize, need)
		base, err = sysReserve(size, SectionSize)
	}
	if err != nil {
		return systemError("reserve", size, err)
	}
	world.next = min(2*size, lastPiece)
	p := &piece{base: base, size: size}
	for off := uintptr(0); off < size; off += SectionSize {
		s := newSection(unsafe.Add(base, off), p, len(world.sections))
		p.sections = append(p.sections, s)
		world.sections = append(world.sections, s)
	}
	world.pieces = append(world.pieces, p)
	extents := make([]extent, 0, len(world.pieces))
	for _, p := range world.pieces {
		extents = append(extents, extent{uintptr(p.base), uintptr(p.base) + p.size})
	}
	world.extents.Store(&extents)
	return nil
}

// sectionOf returns the section of an address, nil outside the arena. REQUIRES: world.mu.
func sectionOf(p unsafe.Pointer) *section { return sectionAt(uintptr(p)) }

func sectionAt(a uintptr) *section {
	for _, p := range world.pieces {
		if off := a - uintptr(p.base); off < p.size {
			return p.sections[off/SectionSize]
		}
	}
	return nil
}

// Contains tells whether p lies in the arena's address space, handed out or not. Any goroutine; no lock.
func Contains(p unsafe.Pointer) bool {
	extents := world.extents.Load() // pairs with the Store in reserve
	if extents == nil {
		return false
	}
	for _, e := range *extents {
		if a := uintptr(p); a >= e.low && a < e.high {
			return true
		}
	}
	return false
}

// SideByte returns the address of the side table's byte for the line of p; the following lines' bytes follow it. They
// belong to the owner of the line. p must be in the arena, and in a span not beyond its first section. Inlines.
func SideByte(p unsafe.Pointer) unsafe.Pointer {
	in := uintptr(p) & (SectionSize - 1)
	return unsafe.Add(p, in/LineSize-in)
}

// Describe names the region of an address, for reports of faults: what it is, of which owner. Any goroutine.
func Describe(address uintptr) string {
	world.mu.Lock()
	defer world.mu.Unlock()
	return describe(address)
}

func describe(address uintptr) string {
	s := sectionAt(address)
	if s == nil {
		return fmt.Sprintf("%#x (not in the arena)", address)
	}
	i := int((address - uintptr(s.base)) / BlockSize)
	owner := "nobody"
	if o := world.owners[s.owner[i]]; o != nil {
		owner = o.name
	} else if s.owner[i] != 0 {
		owner = fmt.Sprintf("closed owner %d", s.owner[i])
	}
	var what string
	switch s.state[i] {
	case blockFree:
		what = "free, last used by " + owner
	case blockUsed:
		what = "used by " + owner
	case blockSlab:
		what = fmt.Sprintf("cut into chunks of %d bytes for %s", s.slab[i].class.Size(), owner)
	case blockGuarded:
		what = "freed by " + owner + ", inaccessible"
	case blockSide:
		what = "side table"
	}
	return fmt.Sprintf("%#x (arena section %d block %d: %s)", address, s.nth, i, what)
}
