package heap

import (
	"slices"
	"unsafe"
)

// A region is memory of a heap in which a graph was built that is to be given away as a whole: its chunks and spans move to the receiver,
// and nothing is copied. Until then it is a part of the heap, whose objects may come to refer to it and it to them.
type region struct {
	fragmentMemory
	places places
	bytes  uintptr
	// frozen is true when an object here is immutable, since others may hold it: then the region stays.
	frozen bool
	// swept is true when a collection has looked at it.
	swept  bool
	outer  *region // what was open before
	cursor Cursor  // of the heap, or of outer
}

// OpenRegion makes what is allocated from now on a region, until CloseRegion. In between c's actor must neither stop running nor collect.
func (h *Heap) OpenRegion(c *Cursor) {
	h.attach()
	h.opened = &region{outer: h.opened, cursor: *c}
	*c = Cursor{}
}

// CloseRegion ends the region that was opened last.
func (h *Heap) CloseRegion(c *Cursor) {
	r := h.opened
	*c, h.opened = r.cursor, r.outer
	r.cursor, r.outer = Cursor{}, nil
	for _, l := range r.large {
		r.bytes += l.size()
	}
	r.locate()
	if len(r.chunks)+len(r.large) > 0 {
		h.mem.regions = append(h.mem.regions, r)
	}
}

// locate says what is in the region. Memory that it has lost may belong to anybody.
func (r *region) locate() {
	r.places.reset()
	for i := range r.chunks {
		r.places.addChunk(&r.chunks[i])
	}
	for _, l := range r.large {
		r.places.addSpan(l)
	}
}

// refillRegion is Refill while a region is open.
func (h *Heap) refillRegion(c *Cursor, size uintptr) error {
	r := h.opened
	fresh, err := h.mem.take((&Fragment{bytes: r.bytes}).grade(size))
	if err != nil {
		return err
	}
	r.chunks = append(r.chunks, fresh)
	r.bytes += fresh.class.size()
	h.allocated += fresh.class.size()
	*c = Cursor{Base: fresh.base, Limit: fresh.class.size()}
	return nil
}

// regionOf returns the region that an object is in, nil if it is in none.
func (h *Heap) regionOf(p unsafe.Pointer) *region {
	for _, r := range h.mem.regions {
		if r.places.has(uintptr(p) - HeaderSize) {
			return r
		}
	}
	return nil
}

// pin notes that an object has become immutable.
func (h *Heap) pin(p unsafe.Pointer) {
	for r := h.opened; r != nil; r = r.outer {
		r.frozen = true // or so it may be
	}
	if len(h.mem.regions) > 0 {
		if r := h.regionOf(p); r != nil {
			r.frozen = true
		}
	}
}

// sweepRegions gives regions back in which nothing lives. Others keep all their chunks: they are to go soon. An open one is never swept:
// no collection can come then.
func (h *Heap) sweepRegions(full bool) {
	m := h.mem
	kept := m.regions[:0]
	for _, r := range m.regions {
		if r.swept && !full || h.livesIn(r) {
			r.swept = true
			kept = append(kept, r)
			continue
		}
		m.bytes -= int64(r.bytes)
		r.fragmentMemory.release(h.space)
	}
	clear(m.regions[len(kept):])
	m.regions = kept
}

// livesIn counts the region's free lines, gives the spans of dead objects back, and tells whether an object is live in it.
func (h *Heap) livesIn(r *region) bool {
	live := false
	for i := range r.chunks {
		h.count(&r.chunks[i])
		live = live || !r.chunks[i].whole()
	}
	kept := r.large[:0]
	for i, l := range r.large {
		if *headerOf(l.object())&flagsMark == h.epoch {
			kept = append(kept, l) // at or before its own place
			continue
		}
		r.bytes -= l.size()
		h.mem.bytes -= int64(l.size())
		h.space.giveSpans(r.large[i : i+1])
	}
	if len(kept) < len(r.large) {
		clear(r.large[len(kept):])
		r.large = kept
		r.locate()
	}
	return live || len(kept) > 0
}

// MoveFrom gives the graphs that are reachable from the slots away. What lies in the region of one of the slots' objects moves with
// the region, and so does everything else there: h must not have a reference to it any more. What lies elsewhere is copied, as
// CopyFrom does; so is a whole graph whose root is in no region. On error, as in Refill, everything is as it was.
func (f *Fragment) MoveFrom(h *Heap, slots ...*unsafe.Pointer) error {
	f.mustBeWritable()
	m := mover{f: f, types: typeTable()}
	for _, slot := range slots {
		if *slot == nil || h.mem == nil || m.moves(*slot) {
			continue
		}
		if r := h.regionOf(*slot); r != nil && !r.frozen {
			m.regions = append(m.regions, r)
		}
	}
	if m.regions == nil {
		return f.CopyFrom(h, slots...)
	}
	if err := m.walk(slots); err != nil {
		m.undo()
		return err
	}
	m.patch(slots)
	f.copied.reset()
	h.part(m.regions)
	for _, r := range m.regions {
		f.chunks, f.large = append(f.chunks, r.chunks...), append(f.large, r.large...)
		f.bytes += r.bytes
		for i := range r.chunks {
			clear(r.chunks[i].marks())
		}
	}
	f.cursor = Cursor{}
	return nil
}

// mover is one MoveFrom. Objects that move are on the list steps, with their headers as they were, and have both marks meanwhile; the
// copied ones are on the fragment's trail.
type mover struct {
	f       *Fragment
	types   []*Type
	regions []*region
	steps   []step
}

// moves tells whether an object lies in a region that moves.
func (m *mover) moves(p unsafe.Pointer) bool {
	for _, r := range m.regions {
		if r.places.has(uintptr(p) - HeaderSize) {
			return true
		}
	}
	return false
}

func (m *mover) visit(p unsafe.Pointer) error {
	if p == nil {
		return nil
	}
	if !m.moves(p) {
		_, err := m.f.cloneOnce(m.types, p)
		return err
	}
	if header := headerOf(p); *header&flagsMark != flagsMark {
		m.steps = append(m.steps, step{uintptr(p), *header})
		*header |= flagsMark
	}
	return nil
}

// walk visits everything, and copies what does not move. Fields stay as they are.
func (m *mover) walk(slots []*unsafe.Pointer) error {
	for _, slot := range slots {
		if err := m.visit(*slot); err != nil {
			return err
		}
	}
	trail := &m.f.copied
	for moved, copied := 0, 0; moved < len(m.steps) || copied < len(trail.steps); {
		var p unsafe.Pointer
		if moved < len(m.steps) {
			p = pointerTo(&m.steps[moved].from)
			moved++
		} else {
			p = pointerTo(&trail.steps[copied].from)
			copied++
		}
		for _, off := range m.types[typeID(p)].ptrs {
			if err := m.visit(load(unsafe.Add(p, off))); err != nil {
				return err
			}
		}
	}
	return nil
}

// undo gives the objects their headers back.
func (m *mover) undo() {
	for i := range m.steps {
		s := &m.steps[i]
		*headerOf(pointerTo(&s.from)) = s.word
	}
	m.f.copied.reset()
}

// patch makes moved objects young, and lets everything refer to the copies.
func (m *mover) patch(slots []*unsafe.Pointer) {
	trail := &m.f.copied
	redirect := func(p unsafe.Pointer) unsafe.Pointer {
		if p == nil || m.moves(p) {
			return p
		}
		return trail.find(p)
	}
	for i := range m.steps {
		p := pointerTo(&m.steps[i].from)
		*headerOf(p) &^= flagsMark | FlagOld | flagLogged
		if len(trail.steps) > 0 {
			m.fields(p, redirect)
		}
	}
	for i := range trail.steps {
		m.fields(trail.steps[i].to(), redirect)
	}
	for _, slot := range slots {
		*slot = redirect(*slot)
	}
}

func (m *mover) fields(p unsafe.Pointer, redirect func(unsafe.Pointer) unsafe.Pointer) {
	for _, off := range m.types[typeID(p)].ptrs {
		slot := unsafe.Add(p, off)
		store(slot, redirect(load(slot)))
	}
}

// part takes regions out of the heap, and all references to them out of the remembered set.
func (h *Heap) part(regions []*region) {
	m := h.mem
	gone := func(p unsafe.Pointer) bool {
		for _, r := range regions {
			if r.places.has(uintptr(p) - HeaderSize) {
				return true
			}
		}
		return false
	}
	kept := m.regions[:0]
	for _, r := range m.regions {
		if slices.Contains(regions, r) {
			m.bytes -= int64(r.bytes)
			h.space.owners.remove(r.chunks, r.large)
			continue
		}
		kept = append(kept, r)
	}
	clear(m.regions[len(kept):])
	m.regions = kept
	logged, types := h.logged[:0], typeTable()
	for i, a := range h.logged {
		p := pointerTo(&h.logged[i])
		if gone(p) {
			continue
		}
		// It may be dead, and a minor collection would follow its references all the same.
		for _, off := range types[typeID(p)].ptrs {
			if child := unsafe.Add(p, off); load(child) != nil && gone(load(child)) {
				store(child, nil)
			}
		}
		logged = append(logged, a)
	}
	h.logged = logged
	if h.shares != nil {
		h.shares.stale = true
	}
}
