package rt

import (
	"errors"
	"fmt"
)

// ErrClosed is what a wait returns when the runtime was closed before it ended.
var ErrClosed = errors.New("rt: the runtime is closed")

// ErrGoexit is the value of a PanicError for a behaviour that called runtime.Goexit, as a failing test does.
var ErrGoexit = errors.New("rt: the behaviour called runtime.Goexit")

// PanicError is a panic in a behaviour. It fails the behaviour's future; where there is none it goes to
// Config.OnPanic, or else ends the run.
type PanicError struct {
	Actor     string // type of the actor
	Behaviour string // "" between two of them
	Value     any    // what the behaviour panicked with
	Stack     []byte // of the strand, from the panic down to the behaviour's start
}

func (e *PanicError) Error() string {
	if e.Behaviour == "" {
		return fmt.Sprintf("rt: panic in %s after a behaviour, most likely while its heap was collected: %v", e.Actor, e.Value)
	}
	return fmt.Sprintf("rt: panic in %s.%s: %v", e.Actor, e.Behaviour, e.Value)
}

// Unwrap gives the value if the behaviour panicked with an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
