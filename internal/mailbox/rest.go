package mailbox

import "github.com/encorert/encorert/internal/invariant"

// Rest takes the room of a drained local part away, so that the next push to it must come by Slot; Rouse gives it back
// before that. REQUIRES: the caller owns the actor, which is drained.
func (b *Box[M]) Rest() {
	if invariant.Enabled && (!b.local.empty() || b.late != nil) { // a node may come at any time
		panic("mailbox: an actor that has messages rests")
	}
	b.local.head, b.local.tail = 0, 0
	b.local.room = 0
}

// Rouse ends Rest.
func (b *Box[M]) Rouse() { b.setRoom() }
