// Package ubench is Pony's message-ubench: pingers send pings on to pingers at random.
//
// The job of Pony's program (examples/message-ubench), followed step by step: a repetition is a sequence of
// intervals. In each, the leader tells every pinger to go, and sends them their initial pings; a pinger that gets
// a ping counts it and sends one to a random pinger, itself included. When the interval is over, the leader tells
// all to stop; each answers, and drops the pings that come later. When all have answered, the leader asks for
// their counts: pings were sent before the answers, so they arrive before that question, if delivery is causal.
//
// What Pony's does not do: late pings are counted as well, and each interval must end with as many of them as
// there were initial pings. A ping that was lost, doubled or overtaken fails the run.
//
// Variants: encorert (actor.go), goroutines with channels and with mutexes (goroutine.go).
package ubench

//go:generate go tool encorert gen
