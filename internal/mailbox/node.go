package mailbox

import "sync/atomic"

// nodeSlots is how many messages of one sender to one receiver travel together at most.
const nodeSlots = 15

// Node carries messages of one sender through a remote part, oldest first. Nodes are pooled (see Pool).
//
// Owner: the outbox or sender that fills it, until it is pushed; the receiver after it has taken it from the list.
type Node[M any] struct {
	next *Node[M]
	to   *Box[M] // while it is open in an outbox
	// The group that it was sent with, and the sender's count of groups that are published; nil: it stands for itself.
	published *atomic.Uint64
	group     uint64

	n        int
	messages [nodeSlots]M
}

// Slot appends a message for the caller to write. REQUIRES: not full.
func (n *Node[M]) Slot() *M {
	m := &n.messages[n.n]
	n.n++
	return m
}

// visible reports whether the whole group of the node has reached its mailboxes. Pairs with the Store in Outbox.Flush.
// It stays true, and is true for all earlier nodes of the same sender then.
func (n *Node[M]) visible() bool { return n.published == nil || n.published.Load() >= n.group }
