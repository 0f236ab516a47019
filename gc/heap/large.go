package heap

import "unsafe"

// AllocLarge returns a cleared object of a type that is larger than MaxSmall with its header, in a span of its own.
// Errors as in Refill. c is not used yet: a leaf that allocates takes it.
func (h *Heap) AllocLarge(c *Cursor, t *Type) (unsafe.Pointer, error) {
	if t.IsArray() {
		panic("heap: AllocLarge of array type " + t.name)
	}
	p, err := h.allocSpan(t.total)
	if err != nil {
		return nil, err
	}
	clear(unsafe.Slice((*byte)(p), t.total))
	*(*uint64)(p) = t.Header() | flagLarge
	return unsafe.Add(p, HeaderSize), nil
}

// allocSpan gets a span for one object; it is young.
func (h *Heap) allocSpan(size uintptr) (unsafe.Pointer, error) {
	h.attach()
	l, err := h.space.takeSpan(spanBlocks(size))
	if err != nil {
		return nil, err
	}
	if h.opened != nil {
		h.opened.large = append(h.opened.large, l)
	} else {
		h.mem.large = append(h.mem.large, l)
	}
	h.mem.gain(nil, []span{l})
	h.mem.bytes += int64(l.size())
	h.allocated += l.size()
	return l.base, nil
}

func spanBlocks(size uintptr) int { return int((size + BlockSize - 1) / BlockSize) }

// sweepLarge frees the spans of dead objects: the young ones after a minor collection, all after a full one.
func (h *Heap) sweepLarge(full bool) {
	m := h.mem
	from := h.largeOld
	if full {
		from = 0
	}
	kept := m.large[:from]
	for i, l := range m.large[from:] {
		if *headerOf(l.object())&flagsMark == h.epoch {
			kept = append(kept, l) // at or before its own place
			continue
		}
		m.bytes -= int64(l.size())
		h.space.giveSpans(m.large[from+i : from+i+1])
	}
	clear(m.large[len(kept):])
	m.large = kept
	h.largeOld = len(kept)
}
