// Package spawn is the benchmark of short lives and of idleness: what an actor costs that is made for one message, and how
// much memory one takes that waits for the next, beside goroutines.
package spawn
