package heap

import "unsafe"

// poisonByte fills freed memory: as a header it names no type, as an address it faults on 64-bit systems.
const poisonByte = 0xDB

const poisonWord uint64 = 0xDBDBDBDBDBDBDBDB

// poison fills memory.
func poison(p unsafe.Pointer, size uintptr) {
	memory := unsafe.Slice((*byte)(p), size)
	memory[0] = poisonByte
	for n := 1; n < len(memory); n *= 2 {
		copy(memory[n:], memory[:n])
	}
}

// poisonLines fills lines [start, end) of a chunk.
func poisonLines(c *chunk, start, end int) {
	poison(unsafe.Add(c.base, start*LineSize), uintptr(end-start)*LineSize)
}
