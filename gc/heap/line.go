package heap

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/encorert/encorert/internal/arena"
)

// Line marks live in the arena's side table, one byte for each line: 1 when a live object covers part of the line. Bytes
// and not bits, so that marking is a store. An object marks every line that it covers, by its exact size; Immix's trick
// of marking only the first and never using the line behind a marked one saves a store that does not show (one or two
// lines for nearly all objects, mostly the same as the neighbour's) and costs a line in each hole.

const (
	maxLines = BlockSize / LineSize // lines in the largest chunk
	lineMask = arena.SectionSize - 1
)

// marks returns the line marks of a chunk.
func (c *chunk) marks() []byte {
	return unsafe.Slice((*byte)(arena.SideByte(c.base)), c.class.lines())
}

// markLines marks the lines of [start, start+size), which lies in one chunk.
func markLines(start unsafe.Pointer, size uintptr) {
	in := uintptr(start) & lineMask
	first, last := in/LineSize, (in+size-1)/LineSize
	table := unsafe.Add(start, -in)
	*(*byte)(unsafe.Add(table, first)) = 1
	for ; last > first; last-- {
		*(*byte)(unsafe.Add(table, last)) = 1
	}
}

const ones = 0x0101010101010101

// word returns the eight marks from i on; of the smallest chunk, which has four, the others are pad.
func word(marks []byte, i int, pad uint64) uint64 {
	if len(marks)-i >= 8 {
		return binary.LittleEndian.Uint64(marks[i:])
	}
	return uint64(binary.LittleEndian.Uint32(marks[i:])) | pad<<32
}

// hole returns the first run of unmarked lines at or after from; start is len(marks) when there is none. The length of
// marks is a multiple of 8, or 4.
func hole(marks []byte, from int) (start, end int) {
	n := len(marks)
	start = skip(marks, from, ones)
	if start == n {
		return n, n
	}
	return start, skip(marks, start, 0)
}

// skip returns the index of the first mark at or after from that differs from the low byte of same, which is repeated in
// it; len(marks) when there is none.
func skip(marks []byte, from int, same uint64) int {
	for i := from &^ 7; i < len(marks); i += 8 {
		differ := word(marks, i, same) ^ same
		if i < from {
			differ &= ^uint64(0) << (8 * (from - i))
		}
		if differ != 0 {
			return i + bits.TrailingZeros64(differ)/8
		}
	}
	return len(marks)
}

// unmarked counts the free lines.
func unmarked(marks []byte) int {
	free := len(marks)
	for i := 0; i < len(marks); i += 8 {
		// The multiplication adds the eight bytes in the topmost one.
		free -= int(word(marks, i, 0) * ones >> 56)
	}
	return free
}
