package mailbox

// pushRemote is what a sender does: take a node, write it, push it.
func pushRemote[M any](b *Box[M], p *Pool[M], m M) (owner bool) {
	n := p.Node()
	n.messages[0], n.n = m, 1
	return b.PushRemote(n)
}

// Empty reports whether nothing waits. REQUIRES: the caller owns.
func (b *Box[M]) Empty() bool { return b.local.empty() && b.head.Load() == nil }

// Len counts what the owner can see in the local part; remote messages are not counted. REQUIRES: the caller owns.
func (b *Box[M]) Len() int { return b.local.len() }
