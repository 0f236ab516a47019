// Package sleep measures what a runtime does when there is nothing to do, and how fast it does something again:
//
//	idle  processor time while all workers sleep
//	wake  from an injection into a sleeping runtime to the start of what was injected
//
// Beside both, the same in goroutines: part of the cost is that of Go's own scheduler.
package sleep

//go:generate go tool encorert gen
