package heap

import (
	"unsafe"

	"github.com/encorert/encorert/internal/arena"
)

// Sizes of the heap's units in bytes.
const (
	BlockSize  = arena.BlockSize // 32 KiB
	LineSize   = arena.LineSize  // 128
	HeaderSize = 8

	// MaxSmall is the largest object, header included, that Refill makes room for. What is larger lives in a span of its
	// own. Half a block: a hole at the end of a block never wastes more than it (as in Immix).
	MaxSmall = BlockSize / 2

	// ArrayOverhead is what an array takes besides its elements: the header and the length word.
	ArrayOverhead = HeaderSize + 8
)

// Flag bits of a header. doc.go has the table of transitions.
const (
	FlagOld       uint64 = 1 << 0 // survived a collection and not in the remembered set: a store into it must be logged
	flagForwarded uint64 = 1 << 1 // during CopyFrom only: the other bits are the address of the copy
	flagMark1     uint64 = 1 << 2 // the mark: none of the two bits in a young object, the heap's epoch in a live old one,
	flagMark2     uint64 = 1 << 3 // the other one in an object that died in or before the last full collection
	flagLogged    uint64 = 1 << 4 // old, and in the remembered set
	flagLarge     uint64 = 1 << 5 // lives in a span of its own
	flagFrozen           = 1 << 6 // immutable, since others may read it; always with FlagOld, so that no store goes unseen

	flagsMark  = flagMark1 | flagMark2
	flagsKnown = FlagOld | flagsMark | flagLogged | flagLarge | flagFrozen
	typeShift  = 32
)

// headerOf returns the header of an object. It lies in the same chunk as the object, whatever the object's size.
func headerOf(obj unsafe.Pointer) *uint64 { return (*uint64)(unsafe.Add(obj, -HeaderSize)) }

// flagsOf returns the half of a header that has the flags: the low one, on the little-endian machines that Go's 64-bit ports are. Of an
// object that others hold its owner writes this half only, while others may read the type in the other.
func flagsOf(obj unsafe.Pointer) *uint32 { return (*uint32)(unsafe.Add(obj, -HeaderSize)) }

// typeID returns the number of an object's type without a look at its flags: others' objects may be asked as well.
func typeID(obj unsafe.Pointer) uint32 { return *(*uint32)(unsafe.Add(obj, -HeaderSize/2)) }

// load reads a pointer slot.
func load(slot unsafe.Pointer) unsafe.Pointer { return *(*unsafe.Pointer)(slot) }

// store writes a pointer slot as an integer: Go's write barrier would read the stale bits that the slot may have.
func store(slot, value unsafe.Pointer) { *(*uintptr)(slot) = uintptr(value) }

// pointerTo makes a pointer again of an address that was kept as an integer. The address is in the arena, whose memory
// neither moves nor dies, so Go's collector need not know that it is held.
func pointerTo(a *uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(a)) }

// ArrayLen returns the number of elements of an array.
func ArrayLen(array unsafe.Pointer) uintptr { return uintptr(*(*uint64)(array)) }

// ArrayData returns the address of an array's first element.
func ArrayData(array unsafe.Pointer) unsafe.Pointer { return unsafe.Add(array, 8) }
