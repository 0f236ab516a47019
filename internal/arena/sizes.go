//go:build !race && (linux || darwin || windows)

package arena

import "math/bits"

// Sizes of the first and the largest piece in bytes (picked; not measured).
const (
	firstPiece = 16 << 20 << (2 * (bits.UintSize / 64)) // 64 MiB; 16 MiB where addresses have 32 bits
	lastPiece  = 64 << 20 << (4 * (bits.UintSize / 64)) // 1 GiB; 64 MiB
)
