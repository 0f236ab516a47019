package futures

import (
	"errors"
	"fmt"
)

// ErrAlreadyFulfilled is what Fulfil, Fail and Settle return when the promise has its answer already, which stays as
// it was.
var ErrAlreadyFulfilled = errors.New("futures: the promise is already fulfilled")

// ErrNoHeap is what reading a future of a heap object returns outside actors: there is no heap to copy the object into.
// Read it in a behaviour instead (rt.Runtime.Do), and take out of it what is needed.
var ErrNoHeap = errors.New("futures: a heap object can only be read inside an actor, which has a heap to copy it into")

// DeadlockError says that an actor would have waited for ever: it called Get on a future that only the same actor can
// fulfil. Await works, since other behaviours of the actor run meanwhile.
type DeadlockError struct {
	Actor     string // type of the actor
	Behaviour string // that called Get
	Future    string // what it wanted: "the future of bank.account.Balance"
}

func (e *DeadlockError) Error() string {
	return fmt.Sprintf("futures: deadlock: %s.%s gets %s, which only the same actor can fulfil (await it instead)",
		e.Actor, e.Behaviour, e.Future)
}
