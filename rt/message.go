package rt

import (
	"sync"
	"unsafe"
)

// Message is one slot of a mailbox. Generated sends put small arguments into W0 to W2 and P0, P1, and larger ones into
// a pooled struct that P0 names. It is passed in registers: six words beside two leave one to spare.
type Message struct {
	B          *Behaviour
	W0, W1, W2 uint64
	P0, P1     unsafe.Pointer // P1 is the promise where B.Fail is set
}

// Behaviour describes one kind of message of one actor type. Generated code holds one per send.
type Behaviour struct {
	Name string // for reports: "Deposit"
	// Run calls the behaviour. It must read what it needs from m, and set the pointers it has used to nil, before it
	// calls anything that may send or switch: m is overwritten then.
	Run func(cctx **Ctx, a *Actor, m *Message)
	// Fail gives the sender's promise an error when the behaviour panicked or cannot run. nil: a one-way send.
	Fail func(ctx *Ctx, reply unsafe.Pointer, err error)

	// noLoad is for messages of the runtime's own: who sends one to an overloaded actor is not held back.
	noLoad bool
}

// ArgPool holds argument structs that are too large for a slot. The zero value is ready; any goroutine may use it.
type ArgPool[T any] struct{ p sync.Pool }

// Get returns a zero struct.
func (p *ArgPool[T]) Get() *T {
	if x, ok := p.p.Get().(*T); ok {
		return x
	}
	return new(T)
}

// Put gives x back. The caller must not touch x again.
func (p *ArgPool[T]) Put(x *T) {
	var zero T
	*x = zero // the pool must not keep alive what the arguments named
	p.p.Put(x)
}
