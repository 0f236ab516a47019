package mailbox

// pushRemote is what a sender does: take a node, write it, push it.
func pushRemote[M any](b *Box[M], p *Pool[M], m M) (owner bool) {
	n := p.Node()
	n.Message = m
	return b.PushRemote(n)
}
