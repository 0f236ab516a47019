//go:build windows && !race

package arena

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// sysReserve returns size bytes of address space aligned to align, without memory behind it.
func sysReserve(size, align uintptr) (unsafe.Pointer, error) {
	a, err := windows.VirtualAlloc(0, size+align, windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	return pointerAt((a + align - 1) &^ (align - 1)), nil
}

// pointerAt makes a pointer of the address of memory that is not Go's.
func pointerAt(a uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&a)) }

// sysUse commits reserved memory.
func sysUse(p unsafe.Pointer, size int) error {
	_, err := windows.VirtualAlloc(uintptr(p), uintptr(size), windows.MEM_COMMIT, windows.PAGE_READWRITE)
	return err
}

// sysUnuse decommits the memory: it must be committed again before use.
func sysUnuse(p unsafe.Pointer, size int) bool {
	return windows.VirtualFree(uintptr(p), uintptr(size), windows.MEM_DECOMMIT) == nil
}

// sysGuard makes the memory inaccessible and gives it up.
func sysGuard(p unsafe.Pointer, size int) bool { return sysUnuse(p, size) }
