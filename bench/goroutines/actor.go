package goroutines

import (
	"math/bits"
	"runtime"
	"sync"
	"unsafe"
)

// Message has the words of encorert's rt.Message.
type Message struct {
	B          *Behaviour
	W0, W1, W2 uint64
	P0, P1     unsafe.Pointer
}

// Behaviour describes one kind of message, as rt.Behaviour does.
type Behaviour struct {
	Name string
	Run  func(a *Actor, m *Message)
}

// Kind is how an actor's messages wait.
type Kind int

// Kinds.
const (
	Channel Kind = iota // in a buffered channel
	Slice               // in a slice guarded by a mutex
)

// Actor is a goroutine with a mailbox. An actor type embeds it first, so that its behaviours may cast to it.
type Actor struct {
	kind Kind
	rand uint64 // state of Pick; Owner: the goroutine
	channel
	slice
}

// exit ends the goroutine that handles it: so the loop needs no test for each message.
var exit = Behaviour{Name: "exit", Run: func(*Actor, *Message) { runtime.Goexit() }}

// Group starts actors and waits for their end.
type Group struct {
	kind   Kind
	actors []*Actor
	ended  sync.WaitGroup
}

// NewGroup makes a group whose actors are of one kind.
func NewGroup(kind Kind) *Group { return &Group{kind: kind} }

// Start starts a fresh actor. room is how many messages its channel holds, if it has one; more wait at their
// senders. REQUIRES: nobody has sent to a yet.
func (g *Group) Start(a *Actor, room int) {
	g.actors = append(g.actors, a)
	a.kind = g.kind
	a.rand = uint64(len(g.actors)) * 0x9E3779B97F4A7C15 // any number but 0, a different one for each
	loop := a.receiveSlice
	if a.kind == Channel {
		a.channel.init(room)
		loop = a.receiveChannel
	} else {
		a.slice.init()
	}
	g.ended.Go(loop)
}

// Stop ends all actors, which must be idle or about to be, and waits for them.
func (g *Group) Stop() {
	for _, a := range g.actors {
		Inject(a, Message{B: &exit})
	}
	g.ended.Wait()
}

// Send sends m from one actor to another. It does not block. It must be called by the goroutine of from.
// What a benchmark measures is sent by SendChannel or SendSlice: the branch here costs a program of two kinds 6 %,
// and a program that somebody wrote would have one.
func Send(from, to *Actor, m Message) {
	if to.kind == Slice {
		to.push(m)
		return
	}
	from.send(to, m)
}

// SendChannel is Send where all actors are of the kind Channel.
func SendChannel(from, to *Actor, m Message) { from.send(to, m) }

// SendSlice is Send where all actors are of the kind Slice.
func SendSlice(to *Actor, m Message) { to.push(m) }

// Inject sends m from outside. It blocks while the channel is full.
func Inject(to *Actor, m Message) {
	if to.kind == Slice {
		to.push(m)
		return
	}
	to.queue <- m
}

// Pick returns a random number below n, by the generator that rt has (xorshift64*).
func (a *Actor) Pick(n int) int {
	x := a.rand
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	a.rand = x
	return Scale(x*0x2545F4914F6CDD1D, n)
}

// Scale maps a random word to a number below n without a division (Lemire 2019, without its rejection, whose lack
// prefers some numbers by less than n/2^64).
func Scale(word uint64, n int) int {
	high, _ := bits.Mul64(word, uint64(n))
	return int(high)
}
