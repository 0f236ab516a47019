package mailbox

// First returns the message that Next would return, and leaves it there; nil where there is none. Both parts stay as
// they are, so that looking changes nothing. REQUIRES: the caller owns.
func (b *Box[M]) First() *M {
	if !b.local.empty() {
		return b.local.first()
	}
	n := b.head.Load() // pairs with PushRemote; the owner alone takes nodes away
	if n == nil || n == idleMark[M]() {
		return nil
	}
	for n.next != nil {
		n = n.next
	}
	return &n.Message
}
