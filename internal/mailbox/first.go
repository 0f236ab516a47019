package mailbox

// First returns the message that Next would return, and leaves it there; nil where there is none. REQUIRES: the caller
// owns.
func (b *Box[M]) First(p *Pool[M]) *M {
	if b.local.empty() && (b.head.Load() != nil || b.late != nil) {
		b.drain(p)
	}
	if b.local.empty() {
		return nil
	}
	return b.local.first()
}
