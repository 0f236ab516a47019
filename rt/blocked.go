package rt

import (
	"fmt"
	"strings"
)

// BlockedError says that a run ended while behaviours still waited for what can never come.
type BlockedError struct{ Waits []BlockedWait }

// BlockedWait is one behaviour that waits.
type BlockedWait struct {
	Actor     string // type of the actor
	Behaviour string
	For       string // what the wait says of itself
	Get       bool   // the actor's mailbox is closed meanwhile (Block); false: Await
}

func (e *BlockedError) Error() string {
	const most = 10
	var b strings.Builder
	fmt.Fprintf(&b, "rt: the run has ended with %d waiting:", len(e.Waits))
	for i, w := range e.Waits {
		if i == most {
			fmt.Fprintf(&b, "\n\tand %d more", len(e.Waits)-most)
			break
		}
		fmt.Fprintf(&b, "\n\t%s", w)
	}
	return b.String()
}

func (w BlockedWait) String() string {
	how := "awaits"
	if w.Get {
		how = "blocks on"
	}
	return fmt.Sprintf("%s.%s %s %s", w.Actor, w.Behaviour, how, w.For)
}

// blockedError reports the strands that wait, or returns nil. REQUIRES: mu, and all workers asleep: what a strand
// wrote before it parked was published by its worker's announcement.
func (rt *Runtime) blockedError() error {
	var waits []BlockedWait
	for _, s := range rt.strands {
		if s.mode == blocked || s.mode == awaiting {
			waits = append(waits, BlockedWait{
				Actor: s.actor.typ.Name, Behaviour: s.current.Name, For: s.wait.Describe(), Get: s.mode == blocked,
			})
		}
	}
	if waits == nil {
		return nil
	}
	return &BlockedError{Waits: waits}
}
