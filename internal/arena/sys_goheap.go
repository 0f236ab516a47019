//go:build race || !(linux || darwin || windows)

package arena

import "unsafe"

// kept holds the reservations for ever: nothing else refers to them as far as Go's collector can see. Guarded by world.mu.
var kept [][]byte

// firstPiece and lastPiece are smaller here: Go's heap clears, and the race detector shadows, what is merely reserved.
const (
	firstPiece = 4 << 20
	lastPiece  = 64 << 20
)

// sysReserve takes memory from Go's heap. It has no pointers for Go's collector.
func sysReserve(size, align uintptr) (unsafe.Pointer, error) {
	b := make([]byte, size+align)
	kept = append(kept, b)
	p := unsafe.Pointer(unsafe.SliceData(b))
	return unsafe.Add(p, -uintptr(p)&(align-1)), nil
}

func sysUse(unsafe.Pointer, int) error { return nil }

// sysUnuse and sysGuard can do nothing here.
func sysUnuse(unsafe.Pointer, int) bool { return false }
func sysGuard(unsafe.Pointer, int) bool { return false }
