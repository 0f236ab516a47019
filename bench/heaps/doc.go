// Package heaps measures heaps by programs that stress one side of a collector each, with plain Go beside: trees that die
// young (binarytrees), a large live heap that is written to (mutate), a queue in which everything grows old before it dies
// (aging), arrays of many sizes (churn), and very many small heaps (actors). GCBench is in package gcbench.
//
// Each of the first four is a job: an actor does a piece of it in each behaviour and sends itself the next; a goroutine does the
// same on Go's heap. What is computed is checked against a simulation that has no objects.
package heaps

//go:generate go tool encorert gen
