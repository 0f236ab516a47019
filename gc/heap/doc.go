// Package heap is the engine of actor-local garbage collection: the heap of one actor as a data structure that calls
// nobody. It has no goroutine and takes no lock but that of the Space that hands it memory; rt says when to collect and
// what the roots are.
package heap
