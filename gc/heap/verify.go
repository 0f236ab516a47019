package heap

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"unsafe"

	"github.com/encorert/encorert/internal/arena"
)

// Verify checks the whole heap, as it must be whenever its actor is not inside an allocation:
//
//   - every reachable object has a valid header, and lies in memory of this heap that was handed out;
//
//   - no two overlap;
//
//   - a young object has no other flags; an old one is marked, its lines are, and it is logged or a store will log it;
//
//   - no young object is reachable only through old objects that are not logged;
//
//   - the remembered set holds what is flagged as logged.
//
//   - what others hold is here and immutable, and everything behind it; after a collection what is held of others is what is referred to.
//
// It trusts nothing that a collection uses but the headers. c is the running actor's cursor (or nil between Leave and
// Enter); roots as for Collect. It is slow and allocates on Go's heap.
func (h *Heap) Verify(c *Cursor, roots func(*Tracer)) error { return h.verify(c, roots, false) }

func (h *Heap) verify(c *Cursor, roots func(*Tracer), collected bool) error {
	v := &verifier{h: h, types: typeTable(), seen: make(map[uintptr]uint64), others: make(map[uintptr]bool)}
	if c == nil {
		c = &h.saved
	}
	v.cursors = [2]Cursor{*c, h.aside}
	v.index()
	roots(&Tracer{record: func(p unsafe.Pointer) { v.roots = append(v.roots, p) }})
	for _, p := range v.roots {
		v.reach(p, nil, 0)
	}
	v.exports()
	for i := range h.logged {
		obj := pointerTo(&h.logged[i])
		if word := *headerOf(obj); word&flagLogged == 0 || word&FlagOld != 0 && word&flagFrozen == 0 {
			v.fail("object %p in the remembered set has header %#x", obj, word)
		}
	}
	v.drain()
	if len(v.errs) == 0 {
		v.overlaps()
		v.generations()
		v.frozen()
	}
	if collected {
		v.holdings()
	}
	return errors.Join(v.errs...)
}

// home says where a chunk or span is in the heap's lists.
type home struct {
	chunk   *chunk
	blocks  int // of a span
	adopted bool
	// untouched is the number of the first line that this cycle has not allocated in.
	untouched int
}

type verifier struct {
	h       *Heap
	types   []*Type
	cursors [2]Cursor
	homes   map[uintptr]home
	roots   []unsafe.Pointer
	seen    map[uintptr]uint64 // reachable objects and their headers
	others  map[uintptr]bool   // reachable objects of other heaps
	queue   []unsafe.Pointer
	errs    []error
}

// maxFaults is the number of faults after which a report is long enough.
const maxFaults = 10

func (v *verifier) fail(format string, args ...any) {
	if len(v.errs) < maxFaults {
		v.errs = append(v.errs, fmt.Errorf(format, args...))
	}
}

// index notes the heap's memory.
func (v *verifier) index() {
	v.homes = make(map[uintptr]home)
	m := v.h.mem
	if m == nil {
		return
	}
	for i := range m.avail {
		c := &m.avail[i]
		untouched := c.class.lines()
		if i == v.h.next-1 {
			untouched = v.h.line
		} else if i >= v.h.next {
			untouched = 0
		}
		v.add(c.base, home{chunk: c, untouched: untouched})
	}
	for i := range m.full {
		v.add(m.full[i].base, home{chunk: &m.full[i]})
	}
	for i := range m.adopted {
		v.add(m.adopted[i].base, home{chunk: &m.adopted[i], adopted: true})
	}
	for _, l := range m.large {
		v.add(l.base, home{blocks: l.blocks})
	}
	regions := slices.Clone(m.regions)
	for r := v.h.opened; r != nil; r = r.outer {
		regions = append(regions, r)
	}
	for _, r := range regions {
		for i := range r.chunks {
			v.add(r.chunks[i].base, home{chunk: &r.chunks[i], adopted: true})
		}
		for _, l := range r.large {
			v.add(l.base, home{blocks: l.blocks})
		}
	}
}

func (v *verifier) add(base unsafe.Pointer, at home) {
	if _, twice := v.homes[uintptr(base)]; twice {
		v.fail("%s is in the heap's lists twice", arena.Describe(uintptr(base)))
	}
	v.homes[uintptr(base)] = at
}

// find returns where the memory at an address belongs.
func (v *verifier) find(a uintptr) (base uintptr, at home, ok bool) {
	for k := range classes {
		base = a &^ (k.size() - 1)
		if at, ok = v.homes[base]; ok && (at.blocks > 0 || at.chunk.class >= k) {
			return base, at, true
		}
	}
	return 0, home{}, false
}

// parent names where a reference comes from; a nil object means the roots.
func (v *verifier) parent(obj unsafe.Pointer, off uint32) string {
	if obj == nil {
		return "a root"
	}
	return fmt.Sprintf("%s %p at offset %d", v.types[*headerOf(obj)>>typeShift].name, obj, off)
}

// reach checks one reference, which is in the object from, or a root when that is nil.
func (v *verifier) reach(p, from unsafe.Pointer, off uint32) {
	if p == nil {
		return
	}
	if _, ok := v.seen[uintptr(p)]; ok {
		return
	}
	v.seen[uintptr(p)] = 0
	start := uintptr(p) - HeaderSize
	switch base, at, ok := v.find(start); {
	case !arena.Contains(p):
		v.fail("%s refers to %p, outside the arena", v.parent(from, off), p)
	case uintptr(p)%8 != 0:
		v.fail("%s refers to %p, which is not aligned", v.parent(from, off), p)
	case !ok && v.h.space.owners.of(p) != nil:
		v.foreign(p, from, off)
	case !ok:
		v.fail("%s refers to %s, which is no memory of this heap", v.parent(from, off), arena.Describe(uintptr(p)))
	default:
		v.object(p, base, at, from, off)
	}
}

// foreign checks a reference to another heap's object. What is behind it, and the object's flags, are its owner's.
func (v *verifier) foreign(p, from unsafe.Pointer, off uint32) {
	delete(v.seen, uintptr(p))
	v.others[uintptr(p)] = true
	if id := typeID(p); id == 0 || int(id) >= len(v.types) {
		v.fail("%s refers to %p of another heap, whose header %#x names no type", v.parent(from, off), p, id)
	}
	if v.h.shares == nil || len(v.h.shares.entries) == 0 {
		v.fail("%s refers to %p of another heap, and holds nothing of others", v.parent(from, off), p)
	}
}

// object checks one object in memory of the heap.
func (v *verifier) object(p unsafe.Pointer, base uintptr, at home, from unsafe.Pointer, off uint32) {
	word := *headerOf(p)
	id := word >> typeShift
	switch {
	case word == poisonWord:
		v.fail("%s refers to %p, which was freed and poisoned", v.parent(from, off), p)
		return
	case id == 0 || id >= uint64(len(v.types)):
		v.fail("%s refers to %p, whose header %#x names no type", v.parent(from, off), p, word)
		return
	case uint64(uint32(word))&^flagsKnown != 0:
		v.fail("%s refers to %p, whose header %#x has unknown flags", v.parent(from, off), p, word)
		return
	}
	t := v.types[id]
	in, size := uintptr(p)-HeaderSize-base, t.sizeOf(p)
	switch {
	case (word&flagLarge != 0) != (at.blocks > 0):
		v.fail("%s is large, or in a span, but not both", v.name(p))
	case at.blocks > 0 && (in != 0 || size > uintptr(at.blocks)*BlockSize):
		v.fail("%s of %d bytes does not fit its span of %d blocks", v.name(p), size, at.blocks)
	case at.blocks == 0 && in+size > at.chunk.class.size():
		v.fail("%s of %d bytes runs out of its chunk", v.name(p), size)
	default:
		v.flags(p, word, size, in, at)
		v.seen[uintptr(p)] = word
		v.queue = append(v.queue, p)
	}
}

func (v *verifier) name(p unsafe.Pointer) string {
	word := *headerOf(p)
	return fmt.Sprintf("%s %p (header %#x)", v.types[word>>typeShift].name, p, word)
}

// flags checks the flag bits of an object against where it is.
func (v *verifier) flags(p unsafe.Pointer, word uint64, size, in uintptr, at home) {
	start := uintptr(p) - HeaderSize
	for _, c := range v.cursors {
		if free := uintptr(c.Base) + c.Off; start < uintptr(c.Base)+c.Limit && start+size > free && c.rest() > 0 {
			v.fail("%s lies in memory that is still to be handed out", v.name(p))
		}
	}
	mark, old, logged := word&flagsMark, word&FlagOld != 0, word&flagLogged != 0
	if word&flagFrozen != 0 {
		if !old {
			v.fail("%s is immutable, and a store would not notice", v.name(p))
		}
		old = mark != 0 && !logged // the flag is for another purpose
	}
	if mark == 0 {
		if old || logged {
			v.fail("%s is young, and flagged as old", v.name(p))
		}
		if at.chunk != nil && !at.adopted && int((in+size-1)/LineSize) >= at.untouched {
			v.fail("%s is young, and where this cycle has not allocated", v.name(p))
		}
		return
	}
	if mark != v.h.epoch {
		v.fail("%s died in an earlier collection", v.name(p))
	}
	if old == logged {
		v.fail("%s is old, and neither or both of logged and unlogged", v.name(p))
	}
	if at.chunk != nil {
		marks := at.chunk.marks()
		for line := in / LineSize; line <= (in+size-1)/LineSize; line++ {
			if marks[line] != 1 {
				v.fail("%s is old, and its line %d is marked %d", v.name(p), line, marks[line])
			}
		}
	}
}

// drain checks everything that the queue reaches.
func (v *verifier) drain() {
	for len(v.queue) > 0 && len(v.errs) < maxFaults {
		p := v.queue[len(v.queue)-1]
		v.queue = v.queue[:len(v.queue)-1]
		t := v.types[*headerOf(p)>>typeShift]
		for _, off := range t.ptrs {
			v.reach(load(unsafe.Add(p, off)), p, off)
		}
	}
}

// overlaps checks that objects lie side by side.
func (v *verifier) overlaps() {
	all := make([]uintptr, 0, len(v.seen))
	for a := range v.seen {
		all = append(all, a)
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	for i := 1; i < len(all); i++ {
		p := pointerTo(&all[i-1])
		if size := v.types[*headerOf(p)>>typeShift].sizeOf(p); all[i-1]+size > all[i] {
			v.fail("objects %#x of %d bytes and %#x overlap", all[i-1], size, all[i])
		}
	}
}

// generations checks that a minor collection would find every young object.
func (v *verifier) generations() {
	found := make(map[uintptr]bool)
	var queue []unsafe.Pointer
	visit := func(p unsafe.Pointer) {
		if word, own := v.seen[uintptr(p)]; own && word&flagsMark == 0 && !found[uintptr(p)] {
			found[uintptr(p)] = true
			queue = append(queue, p)
		}
	}
	fields := func(p unsafe.Pointer) {
		for _, off := range v.types[*headerOf(p)>>typeShift].ptrs {
			visit(load(unsafe.Add(p, off)))
		}
	}
	for _, p := range v.roots {
		visit(p)
	}
	for i := range v.h.logged {
		if _, live := v.seen[v.h.logged[i]]; live {
			fields(pointerTo(&v.h.logged[i]))
		}
	}
	for len(queue) > 0 {
		p := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		fields(p)
	}
	for a, word := range v.seen {
		if word&flagsMark == 0 && !found[a] {
			v.fail("young object %#x (header %#x) is reachable only through unlogged old objects", a, word)
		}
	}
}

// exports takes what others hold for roots.
func (v *verifier) exports() {
	s := v.h.shares
	if s == nil {
		return
	}
	for a := range s.exported {
		p := pointerTo(&a)
		v.roots = append(v.roots, p)
		v.reach(p, nil, 0)
		if *flagsOf(p)&flagFrozen == 0 {
			v.fail("%s is held by others, and not immutable", v.name(p))
		}
	}
}

// frozen checks that what is behind immutable objects is immutable.
func (v *verifier) frozen() {
	for a, word := range v.seen {
		if word&flagFrozen == 0 {
			continue
		}
		p := pointerTo(&a)
		for _, off := range v.types[word>>typeShift].ptrs {
			child := load(unsafe.Add(p, off))
			if child != nil && v.seen[uintptr(child)]&flagFrozen == 0 && !v.others[uintptr(child)] {
				v.fail("%s is immutable, and refers to %s, which is not", v.name(p), v.name(child))
			}
		}
	}
}

// holdings checks, after a collection, that each reference to another heap's object is a holding of its own. What the heap holds and
// nothing refers to is released by the next full collection.
func (v *verifier) holdings() {
	for a := range v.others {
		if e, held := v.h.shares.entries[a]; !held || e.weight == 0 {
			v.fail("object %#x of another heap is referred to, and not held", a)
		}
	}
}
