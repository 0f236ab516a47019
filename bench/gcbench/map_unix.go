//go:build unix

package gcbench

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapMemory maps size bytes of zeroed memory outside Go's heap, for the life of the process.
func mapMemory(size uintptr) (unsafe.Pointer, error) {
	memory, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	return unsafe.Pointer(unsafe.SliceData(memory)), nil
}
