//go:build race || !(linux || darwin || windows)

package arena

// goHeap tells whether the arena's memory is Go's.
const goHeap = true
