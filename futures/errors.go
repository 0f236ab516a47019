package futures

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// ErrAlreadyFulfilled is what Fulfil, Fail and Settle return when the promise has its answer already, which stays as
// it was.
var ErrAlreadyFulfilled = errors.New("futures: the promise is already fulfilled")

// ErrCanceled is the answer of a future that was cancelled, see Future.Cancel. It is a context.Canceled as well.
var ErrCanceled = fmt.Errorf("futures: the future was cancelled: %w", context.Canceled)

// ErrAbandoned is the answer of a future whose promise nobody holds any more, see NewWatchedPromise.
var ErrAbandoned = errors.New("futures: nobody holds the promise any more, and so nobody can answer")

// ErrNoHeap is what reading a future of a heap object returns outside actors: there is no heap to copy the object into.
// Read it in a behaviour instead (rt.Runtime.Do), and take out of it what is needed.
var ErrNoHeap = errors.New("futures: a heap object can only be read inside an actor, which has a heap to copy it into")

// DeadlockError says that an actor would have waited for ever: it called Get on a future that only the same actor can
// fulfil, or one that does so only when others have got what they wait for, the last of them from the first. Await works,
// since other behaviours of the actor run meanwhile.
type DeadlockError struct {
	Actor     string // type of the actor
	Behaviour string // that called Get
	Future    string // what it wanted: "the future of bank.account.Balance"
	// Through are the others of the circle: the first is to answer Future, and waits itself. Empty where there are none.
	Through []BlockedActor
}

// BlockedActor is an actor that has stopped in a Get.
type BlockedActor struct {
	Actor  string // type of the actor
	Future string // what it wants
}

func (e *DeadlockError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "futures: deadlock: %s.%s gets %s", e.Actor, e.Behaviour, e.Future)
	if len(e.Through) == 0 {
		b.WriteString(", which only the same actor can fulfil (await it instead)")
		return b.String()
	}
	const most = 10
	for i, l := range e.Through {
		if i == most {
			fmt.Fprintf(&b, ", and so on through %d more", len(e.Through)-most)
			break
		}
		fmt.Fprintf(&b, ", while %s gets %s", l.Actor, l.Future)
	}
	b.WriteString(": a circle (one of them must await)")
	return b.String()
}

// DeadlineError says that a wait has ended before the answer came. It is an os.ErrDeadlineExceeded and a
// context.DeadlineExceeded, and a net.Error would call it a time-out.
type DeadlineError struct {
	Actor     string // type of the actor
	Behaviour string // that waited
	Future    string // for what: "the future of bank.account.Balance"
	Within    time.Duration
}

func (e *DeadlineError) Error() string {
	return fmt.Sprintf("futures: %s.%s has waited %v in vain for %s", e.Actor, e.Behaviour, max(e.Within, 0), e.Future)
}

// Is makes it those errors.
func (e *DeadlineError) Is(target error) bool {
	return target == os.ErrDeadlineExceeded || target == context.DeadlineExceeded
}

// Timeout says that it is one.
func (e *DeadlineError) Timeout() bool { return true }
