package rt

import (
	"fmt"
	"strings"
)

// BlockedError says that a run ended while behaviours still waited for what can never come.
type BlockedError struct {
	Waits []BlockedWait
	// Muted are actors that back-pressure held back when nothing could happen any more. There are none unless this package
	// is at fault.
	Muted []MutedActor
}

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
	lines := make([]fmt.Stringer, 0, len(e.Waits)+len(e.Muted))
	for _, w := range e.Waits {
		lines = append(lines, w)
	}
	for _, m := range e.Muted {
		lines = append(lines, m)
	}
	fmt.Fprintf(&b, "rt: the run has ended with %d waiting:", len(lines))
	for i, l := range lines {
		if i == most {
			fmt.Fprintf(&b, "\n\tand %d more", len(lines)-most)
			break
		}
		fmt.Fprintf(&b, "\n\t%s", l)
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
	muted := rt.Muted()
	if waits == nil && muted == nil {
		return nil
	}
	return &BlockedError{Waits: waits, Muted: muted}
}
