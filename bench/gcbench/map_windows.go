package gcbench

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapMemory maps size bytes of zeroed memory outside Go's heap, for the life of the process.
func mapMemory(size uintptr) (unsafe.Pointer, error) {
	address, err := windows.VirtualAlloc(0, size, windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	// The bits of the address are read as a pointer in place: the memory is not Go's, it never moves.
	return *(*unsafe.Pointer)(unsafe.Pointer(&address)), nil
}
