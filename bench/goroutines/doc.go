// Package goroutines is what a Go programmer writes instead of actors: a goroutine for each, with a channel, or
// with a slice that a mutex guards. The benchmarks of messages run beside it.
//
// So that mailboxes and scheduling are compared and nothing else, its messages have the size of encorert's (48
// bytes) and are dispatched the same way: by a call through a descriptor that the message names, on a struct that
// the behaviour casts its actor to. What is cheapest in Go was taken: messages are not copied where it can be
// helped, no message escapes to the heap, and the slice is swapped out whole, so that the consumer takes its lock
// once for all that waits.
//
// Reading order: actor.go, channel.go, slice.go.
package goroutines
