package heap

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/encorert/encorert/internal/invariant"
)

// ShareFrom makes the graphs that are reachable from the slots immutable, and the fragment a holder of their roots: sharing without a
// copy. h is the heap of the running actor. The slots stay as they are, and so do h's own references; a later store into any of
// the objects panics. Deliver h's notes, if it Owes any, before the fragment goes anywhere.
func (f *Fragment) ShareFrom(h *Heap, slots ...*unsafe.Pointer) {
	f.mustBeWritable()
	for _, slot := range slots {
		if *slot != nil {
			f.grants = append(f.grants, h.grant(*slot))
		}
	}
}

// giveBack lets go of what was not received.
func (g *grant) giveBack(s *Space) {
	if s.config.Deterministic {
		return
	}
	if n := (Note{To: g.inbox, Object: pointerTo(&g.object), Change: -int64(g.weight)}); n.Deliver() {
		s.abandon([]*Inbox{n.To})
	}
}

// keptFragment is what a kept fragment owns. It leads to no Heap, see holdings.
type keptFragment struct {
	fragmentMemory
	grants []keptGrant
}

// keptGrant is a grant that several goroutines take parts of.
type keptGrant struct {
	object uintptr
	inbox  *Inbox
	// weight is what is left. Writers: passOn, whose CompareAndSwap pairs with that of others: without it two readers could take the
	// same weight.
	weight atomic.Uint64
}

func keepGrants(grants []grant) []keptGrant {
	kept := make([]keptGrant, len(grants))
	for i, g := range grants {
		kept[i].object, kept[i].inbox = g.object, g.inbox
		kept[i].weight.Store(g.weight)
	}
	return kept
}

func (k *keptFragment) release(s *Space) {
	k.fragmentMemory.release(s)
	for i := range k.grants {
		g := &k.grants[i]
		(&grant{object: g.object, weight: g.weight.Load(), inbox: g.inbox}).giveBack(s)
	}
	k.grants = nil
}

// readerShare is the part of a kept fragment's weight that a reader takes: small, for there may be many (picked: 700,000 readers before
// the owner has to be told).
const readerShare = 1 << 16

// passOn makes dst a holder of the object if f is one. Any number of goroutines may do so at the same time. It reports whether f is.
func (f *Fragment) passOn(dst *Fragment, p unsafe.Pointer) bool {
	for i := range f.grants { // one, nearly always: the value of a future
		if f.grants[i].object == uintptr(p) {
			g := f.grants[i]
			g.weight = f.kept.grants[i].take()
			dst.grants = append(dst.grants, g)
			return true
		}
	}
	return false
}

// take takes a part of the weight.
func (g *keptGrant) take() uint64 {
	for {
		w := g.weight.Load()
		if w == 1 {
			// The owner learns of it at once, and before the fragment, which the caller keeps, can release what is left.
			Note{To: g.inbox, Object: pointerTo(&g.object), Change: fullWeight}.Deliver()
			return fullWeight
		}
		part := max(1, w/readerShare)
		invariant.Point("heap.keptGrant")
		if g.weight.CompareAndSwap(w, w-part) {
			return part
		}
	}
}

// abandoned lists heaps that should be asked to settle, since notes were delivered where nobody could ask. Any goroutine.
type abandoned struct {
	// some is true while the list is not empty. The Store in abandon pairs with the Load in Abandoned, which may miss the latest: the
	// next look finds it.
	some atomic.Bool
	mu   sync.Mutex
	list []*Inbox // guarded by mu
}

func (s *Space) abandon(ask []*Inbox) {
	if len(ask) == 0 {
		return
	}
	a := &s.abandoned
	a.mu.Lock()
	a.list = append(a.list, ask...)
	a.some.Store(true)
	a.mu.Unlock()
}

// Abandoned returns the inboxes of heaps that should be asked to settle (see Note.Deliver) because a dead heap, or a future that
// nobody reads any more, let go of their objects. Each is returned once. Cheap when there is none. Any goroutine.
func (s *Space) Abandoned() []*Inbox {
	a := &s.abandoned
	if !a.some.Load() {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	list := a.list
	a.list = nil
	a.some.Store(false)
	return list
}
