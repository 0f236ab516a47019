//go:build (linux || darwin) && !race

package arena

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// sysReserve returns size bytes of address space aligned to align. Pages appear when they are touched. The slack of the
// alignment stays reserved: unmapping it would let Go's heap move in next door, and gains nothing.
func sysReserve(size, align uintptr) (unsafe.Pointer, error) {
	p, err := unix.MmapPtr(-1, 0, nil, size+align, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	return unsafe.Add(p, -uintptr(p)&(align-1)), nil
}

// sysUse makes reserved memory usable.
func sysUse(unsafe.Pointer, int) error { return nil }

// sysUnuse gives up the pages of the memory, which stays usable, with arbitrary contents.
func sysUnuse(p unsafe.Pointer, size int) bool {
	return unix.Madvise(unsafe.Slice((*byte)(p), size), unix.MADV_DONTNEED) == nil
}

// sysGuard makes the memory inaccessible and gives up its pages. It fails when the kernel is out of mappings: the
// memory is then as it was.
func sysGuard(p unsafe.Pointer, size int) bool {
	return unix.Mprotect(unsafe.Slice((*byte)(p), size), unix.PROT_NONE) == nil && sysUnuse(p, size)
}
