package heap

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/encorert/encorert/internal/arena"
)

// Sharing follows ORCA (Clebsch, Franco, Drossopoulou et al., Orca: GC and Type System Co-Design for Actor Languages, OOPSLA
// 2017), with weights (Bevan, PARLE 1987) in place of single counts, so that who passes a reference on need not tell the owner.
//
//	            export            receive                  give on
//	owner's     count += full     -                        -
//	message's   weight = full     weight = 0               weight = half of the holder's
//	holder's    -                 weight += the message's  weight /= 2; at 1: += full first, and an acquire
//
// Invariant: an object's count is the sum of the weights of all holders and messages, plus the releases and minus the acquires that
// are under way. So a count of 0 means that nobody else holds it or ever will.
//
// A holder knows of the objects that it was given, not of what is behind them: those the owner keeps alive. It looks at pointers
// out of its own memory only, in its collections, and never writes to what it does not own. One that leads to an object that it was not
// given but found behind another becomes a holding of its own then, with an acquire. One whose holding the collection has not met
// is released, after all acquires: what was found behind it is safe.

// fullWeight is what a new reference carries (picked: 32 halvings).
const fullWeight = 1 << 32

// shares is what a heap needs once it shares objects with others. Owner: as Heap.
type shares struct {
	*holdings

	exported map[uintptr]export // own objects that others hold
	fresh    []uintptr          // of these: new since the last collection
	dropped  uintptr            // bytes of objects that others have let go since the last full collection

	sources []*Heap // where imported objects live, which keeps it alive; same index as holdings.inboxes
	index   map[*Inbox]uint32
	unused  []uint32 // free places in sources
	young   []uintptr
	seq     uint64
	stale   bool // places has to be made anew

	outbox []Note
	stack  []uintptr // scratch of freeze

	// left is stored when the owner stops to use the heap, and loaded by SettleOrphan: a happens-before for who takes the heap of a dead
	// actor. Without it nothing breaks but the race detector's view: Go's collector stopped all between the two.
	left   atomic.Bool
	orphan sync.Mutex // held by SettleOrphan
}

// holdings is the part of shares that the heap's cleanup needs. It must not lead to a Heap: what a cleanup holds is a root for Go's
// collector, and dead heaps that hold each other's objects would live on.
type holdings struct {
	inbox   *Inbox
	places  places
	entries map[uintptr]imported // others' objects that this heap holds
	inboxes []*Inbox
	counts  []int // entries from each
}

// export is an own object that others hold.
type export struct {
	count uint64
	bytes uintptr // what it keeps alive, as far as that was not shared before
}

// imported is another heap's object that this one holds.
type imported struct {
	weight uint64
	seq    uint64 // for an order that does not depend on addresses
	bytes  uint32 // what it keeps alive there, for its charge
	source uint32
	seen   bool // by a collection; as old objects are marked
}

// grant is a reference on its way. Its weight belongs to the message.
type grant struct {
	object uintptr
	weight uint64
	bytes  uint32
	inbox  *Inbox
	owner  *Heap // keeps the object's memory
}

// importCharge is what an imported object counts besides the bytes that it keeps alive (picked: its entry).
const importCharge = 64

// SetOwner gives the heap a value by which who delivers notes finds its actor. Before the first ShareFrom.
func (h *Heap) SetOwner(owner any) { h.sharing().inbox.owner = owner }

// HasOwner tells whether SetOwner was called.
func (h *Heap) HasOwner() bool { return h.shares != nil && h.shares.inbox.owner != nil }

// sharing makes the heap one that shares.
func (h *Heap) sharing() *shares {
	if h.shares != nil {
		return h.shares
	}
	h.attach()
	in := &holdings{inbox: &Inbox{heap: weak.Make(h)}, entries: make(map[uintptr]imported)}
	h.shares = &shares{holdings: in, exported: make(map[uintptr]export), index: make(map[*Inbox]uint32), stale: true}
	h.mem.holdings = in
	h.eachList(func(chunks []chunk, spans []span) { h.space.owners.add(in.inbox, chunks, spans) })
	return h.shares
}

// gain notes memory that the heap got, if it shares.
func (m *memory) gain(chunks []chunk, spans []span) {
	if m.holdings == nil {
		return
	}
	for i := range chunks {
		m.holdings.places.addChunk(&chunks[i])
	}
	for _, l := range spans {
		m.holdings.places.addSpan(l)
	}
	m.space.owners.add(m.holdings.inbox, chunks, spans)
}

// eachList calls f for all that the heap owns.
func (h *Heap) eachList(f func([]chunk, []span)) {
	m := h.mem
	f(m.avail, m.large)
	f(m.full, nil)
	f(m.adopted, nil)
	for _, r := range m.regions {
		f(r.chunks, r.large)
	}
	for r := h.opened; r != nil; r = r.outer {
		f(r.chunks, r.large)
	}
}

// locate brings places up to date: a collection or a departing region may have given memory away.
func (s *shares) locate(h *Heap) {
	if !s.stale {
		return
	}
	s.stale = false
	s.places.reset()
	h.eachList(func(chunks []chunk, spans []span) {
		for i := range chunks {
			s.places.addChunk(&chunks[i])
		}
		for _, l := range spans {
			s.places.addSpan(l)
		}
	})
}

// own tells whether an object is the heap's. REQUIRES: locate.
func (s *shares) own(p unsafe.Pointer) bool { return s.places.has(uintptr(p) - HeaderSize) }

// freeze makes the own graph behind an object immutable, and returns the bytes of what was not yet.
func (h *Heap) freeze(s *shares, obj unsafe.Pointer) (bytes uintptr) {
	types := typeTable()
	visit := func(p unsafe.Pointer) {
		if p == nil || !s.own(p) {
			return // of another heap: immutable already
		}
		if flags := flagsOf(p); *flags&flagFrozen == 0 {
			*flags |= flagFrozen | uint32(FlagOld)
			h.pin(p)
			s.stack = append(s.stack, uintptr(p))
		}
	}
	visit(obj)
	for len(s.stack) > 0 {
		p := pointerTo(&s.stack[len(s.stack)-1])
		s.stack = s.stack[:len(s.stack)-1]
		t := types[typeID(p)]
		bytes += t.sizeOf(p)
		for _, off := range t.ptrs {
			visit(load(unsafe.Add(p, off)))
		}
	}
	return bytes
}

// grant makes a reference to give away.
func (h *Heap) grant(p unsafe.Pointer) grant {
	s := h.sharing()
	s.locate(h)
	a := uintptr(p)
	if s.own(p) {
		bytes := h.freeze(s, p)
		e, known := s.exported[a]
		if !known {
			s.fresh = append(s.fresh, a)
			e.bytes = max(bytes, TypeOf(p).sizeOf(p))
		}
		e.count += fullWeight
		s.exported[a] = e
		return grant{object: a, weight: fullWeight, bytes: clip(e.bytes), inbox: s.inbox, owner: h}
	}
	e, known := s.entries[a]
	if !known {
		e = s.acquire(h, p)
	}
	if e.weight == 1 {
		e.weight += fullWeight
		s.outbox = append(s.outbox, Note{To: s.inboxes[e.source], Object: p, Change: fullWeight})
	}
	g := grant{object: a, weight: e.weight / 2, bytes: e.bytes, inbox: s.inboxes[e.source], owner: s.sources[e.source]}
	e.weight -= g.weight
	s.entries[a] = e
	return g
}

// Immutable tells whether an object was shared. For its owner; who holds it knows.
func Immutable(obj unsafe.Pointer) bool { return *flagsOf(obj)&flagFrozen != 0 }

func clip(bytes uintptr) uint32 { return uint32(min(bytes, 1<<30)) }

// acquire makes a holding of an object that was found behind another, which keeps it alive until the note has arrived.
func (s *shares) acquire(h *Heap, p unsafe.Pointer) imported {
	in := h.space.owners.of(p)
	var owner *Heap
	if in != nil {
		owner = in.Heap()
	}
	if owner == nil || owner == h {
		panic(fmt.Sprintf("heap: reference to %s, which is no memory of this heap nor shared by another: was it used after it was given away?",
			arena.Describe(uintptr(p))))
	}
	s.outbox = append(s.outbox, Note{To: in, Object: p, Change: fullWeight})
	return s.enter(h, &grant{object: uintptr(p), weight: fullWeight, inbox: in, owner: owner})
}

// enter adds what a grant brings to the holdings.
func (s *shares) enter(h *Heap, g *grant) imported {
	e, known := s.entries[g.object]
	if !known {
		s.seq++
		e = imported{seq: s.seq, bytes: g.bytes, source: s.source(g.inbox, g.owner)}
		s.counts[e.source]++
		s.young = append(s.young, g.object)
		h.allocated += importCharge + uintptr(g.bytes)
	}
	e.weight += g.weight
	s.entries[g.object] = e
	return e
}

// source returns the number of a heap that objects come from.
func (s *shares) source(in *Inbox, owner *Heap) uint32 {
	if i, known := s.index[in]; known {
		return i
	}
	var i uint32
	if n := len(s.unused); n > 0 {
		i, s.unused = s.unused[n-1], s.unused[:n-1]
		s.sources[i], s.inboxes[i] = owner, in
	} else {
		i = uint32(len(s.sources))
		s.sources, s.inboxes, s.counts = append(s.sources, owner), append(s.inboxes, in), append(s.counts, 0)
	}
	s.index[in] = i
	return i
}

// receive takes what a message brought.
func (h *Heap) receive(grants []grant) {
	for i := range grants {
		g := &grants[i]
		s := h.sharing()
		if g.owner == h { // it came home
			h.Settle() // the acquire of what comes may be among the notes
			s.change(g.object, -int64(g.weight))
		} else {
			s.enter(h, g)
		}
	}
}

// change settles a change of an own object's count.
func (s *shares) change(a uintptr, by int64) {
	e, known := s.exported[a]
	if by < 0 && (!known || e.count < uint64(-by)) {
		panic(fmt.Sprintf("heap: object %#x is let go by more than hold it", a))
	}
	if !known {
		s.fresh = append(s.fresh, a)
		p := pointerTo(&a)
		e.bytes = TypeOf(p).sizeOf(p)
	}
	if e.count += uint64(by); e.count == 0 {
		s.dropped += e.bytes
		delete(s.exported, a)
		return
	}
	s.exported[a] = e
}

// Settle takes the notes that were delivered. It reports whether so much was let go by others that a full collection is worth its
// while: half of what is old. The next collection does the same by itself.
func (h *Heap) Settle() (collect bool) {
	s := h.shares
	if s == nil {
		return false
	}
	for _, n := range s.inbox.take() {
		s.change(uintptr(n.Object), n.Change)
	}
	return s.dropped > 0 && s.dropped >= h.old/2
}

// Owes tells whether there are notes to be taken. Cheap.
func (h *Heap) Owes() bool { return h.shares != nil && len(h.shares.outbox) > 0 }

// TakeNotes returns what the heap owes to others, in the order in which it must be delivered, see Note.
func (h *Heap) TakeNotes() []Note {
	notes := h.shares.outbox
	h.shares.outbox = nil
	return notes
}

// beginTrace prepares a collection.
func (s *shares) beginTrace(h *Heap, full bool) {
	h.Settle()
	if len(s.entries) > 0 {
		s.locate(h)
	}
	if full {
		s.dropped = 0
		for a, e := range s.entries {
			e.seen = false
			s.entries[a] = e
		}
	}
}

// markExports marks what others hold: all of it, or in a minor collection what may be young.
func (s *shares) markExports(t *Tracer, full bool) {
	if full {
		for a := range s.exported {
			t.Mark(pointerTo(&a))
		}
	} else {
		for _, a := range s.fresh {
			if _, held := s.exported[a]; held {
				t.Mark(pointerTo(&a))
			}
		}
	}
	s.fresh = s.fresh[:0]
}

// see marks the holding of a reference that leads out of the heap. It returns what the holding adds to the old generation.
func (s *shares) see(h *Heap, p unsafe.Pointer) uintptr {
	e, known := s.entries[uintptr(p)]
	if !known {
		e = s.acquire(h, p)
	}
	if e.seen {
		return 0
	}
	e.seen = true
	s.entries[uintptr(p)] = e
	return importCharge + uintptr(e.bytes)
}

// endTrace releases what the trace has not met.
func (s *shares) endTrace(full bool) {
	var gone []uintptr
	if full {
		for a, e := range s.entries {
			if !e.seen {
				gone = append(gone, a)
			}
		}
	} else {
		for _, a := range s.young {
			if e, held := s.entries[a]; held && !e.seen {
				gone = append(gone, a)
			}
		}
	}
	s.young = s.young[:0]
	slices.SortFunc(gone, func(a, b uintptr) int { return int(int64(s.entries[a].seq) - int64(s.entries[b].seq)) })
	for _, a := range gone {
		e := s.entries[a]
		s.outbox = append(s.outbox, Note{To: s.inboxes[e.source], Object: pointerTo(&a), Change: -int64(e.weight)})
		delete(s.entries, a)
		if s.counts[e.source]--; s.counts[e.source] == 0 {
			delete(s.index, s.inboxes[e.source])
			s.sources[e.source], s.inboxes[e.source] = nil, nil
			s.unused = append(s.unused, e.source)
		}
	}
	s.stale = true // the sweep gives memory away
}

// releaseAll lets go of all holdings of a heap that is gone. It returns the inboxes that should be asked to settle.
func (in *holdings) releaseAll() (ask []*Inbox) {
	for a, e := range in.entries {
		n := Note{To: in.inboxes[e.source], Object: pointerTo(&a), Change: -int64(e.weight)}
		if n.Deliver() {
			ask = append(ask, n.To)
		}
	}
	in.entries = nil
	return ask
}

// SettleOrphan is Settle for a heap whose actor is gone, and which others keep because they hold objects of it. It collects where
// that is worth its while; the only roots are those objects. What the heap owes then is delivered by the caller, as always.
// REQUIRES: nobody can run the actor any more. Any goroutine.
func (h *Heap) SettleOrphan() []Note {
	s := h.shares
	s.orphan.Lock()
	defer s.orphan.Unlock()
	s.left.Load() // pairs with the Store in Leave
	if h.Settle() {
		h.CollectFull(&h.saved, func(*Tracer) {})
	}
	if !h.Owes() {
		return nil
	}
	return h.TakeNotes()
}
