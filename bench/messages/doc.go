// Package messages times messages between actors, and between goroutines beside them, in three patterns:
//
//	pingpong  one message back and forth between two
//	ring      one message, or several, round a ring of many
//	fanin     many senders, one receiver, with bursts that the receiver gives credit for
//
// Ping-pong is a ring of two. Reading order: ring.go, fanin.go (what is run), ringactor.go and faninactor.go, then
// ringgoroutine.go and faningoroutine.go.
package messages

//go:generate go tool encorert gen
