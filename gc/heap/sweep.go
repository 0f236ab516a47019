package heap

// sweep turns line marks into holes. Only chunks that the cycle has allocated in, or that came with fragments, can have
// changed since the last sweep; after a full collection all can.
//
// The order of avail stays: the next cycle allocates in the memory of the last one, which is in the cache. Fresh pages
// cost 2 us per 4 KiB, and walking over ever new memory was half of a cycle's time in a prototype.
func (h *Heap) sweep(full bool) {
	m := h.mem
	touched, rest := m.avail[:h.next], m.avail[h.next:]
	if full {
		touched, rest = m.avail, nil
	}
	kept := m.avail[:0]
	for _, c := range touched {
		if h.count(&c); c.free == 0 {
			m.full = append(m.full, c)
		} else {
			kept = append(kept, c)
		}
	}
	kept = append(kept, rest...)
	kept = h.sweepAdopted(kept)
	if full {
		fulls := m.full[:0]
		for _, c := range m.full {
			if h.count(&c); c.free == 0 {
				fulls = append(fulls, c)
			} else {
				kept = append(kept, c)
			}
		}
		clear(m.full[len(fulls):])
		m.full = fulls
	}
	m.avail = kept
	h.next, h.line = 0, 0
	h.sweepLarge(full)
	h.sweepRegions(full)
	h.trim(h.reserve())
}

// sweepAdopted moves the chunks that came with fragments to where they belong. Those without a survivor go back at
// once: who sends will need them again, and the receiver has memory of its own to allocate in.
func (h *Heap) sweepAdopted(avail []chunk) []chunk {
	m := h.mem
	dead := m.adopted[:0]
	for _, c := range m.adopted {
		switch h.count(&c); {
		case c.whole():
			dead = append(dead, c)
			m.bytes -= int64(c.class.size())
		case c.free == 0:
			m.full = append(m.full, c)
		default:
			avail = append(avail, c)
		}
	}
	h.space.giveChunks(dead)
	m.adopted = m.adopted[:0]
	return avail
}

// count brings a chunk's count of free lines up to date.
func (h *Heap) count(c *chunk) {
	marks := c.marks()
	c.free = uint16(unmarked(marks))
	if h.space.config.Poison {
		for start, end := hole(marks, 0); start < len(marks); start, end = hole(marks, end) {
			poisonLines(c, start, end)
		}
	}
}

// trim gives back whole free chunks, the last in order first, as far as a reserve of free memory remains.
func (h *Heap) trim(reserve uintptr) {
	m := h.mem
	var free uintptr
	for i := range m.avail {
		free += uintptr(m.avail[i].free) * LineSize
	}
	if free <= reserve {
		return
	}
	excess := m.adopted[:0] // empty at this moment
	first := len(m.avail)
	for i := len(m.avail) - 1; i >= 0 && free > reserve; i-- {
		c := &m.avail[i]
		if size := c.class.size(); c.whole() && free-size >= reserve {
			free -= size
			m.bytes -= int64(size)
			excess = append(excess, *c)
			c.base = nil
			first = i
		}
	}
	kept := m.avail[:first]
	for _, c := range m.avail[first:] {
		if c.base != nil {
			kept = append(kept, c)
		}
	}
	m.avail = kept
	h.space.giveChunks(excess)
	m.adopted = excess[:0]
}
