package heap

import (
	"fmt"
	"math"
	"unsafe"
)

// Refill makes [c.Base+c.Off, c.Base+c.Limit) hold size bytes, header included: the slow path of allocation. The memory
// has arbitrary contents. size is at most MaxSmall. The error is a *LimitError, or what the system said; c and the heap
// are then as good as before.
func (h *Heap) Refill(c *Cursor, size uintptr) error {
	if size > MaxSmall {
		panic(fmt.Sprintf("heap: Refill for %d bytes, which is a large object", size))
	}
	if h.opened != nil {
		return h.refillRegion(c, size)
	}
	if h.aside.rest() >= size {
		*c, h.aside = h.aside, Cursor{}
		return nil
	}
	h.attach()
	aside := h.aside
	if rest := c.rest(); size > LineSize && rest >= LineSize && rest > h.aside.rest() {
		// The small objects that follow can still use it.
		h.aside = *c
	}
	m := h.mem
	if h.next > 0 && h.open(c, size) {
		return nil
	}
	for h.next < len(m.avail) {
		h.next, h.line = h.next+1, 0
		if h.open(c, size) {
			return nil
		}
	}
	fresh, err := m.take(h.grade(size))
	if err != nil {
		h.aside = aside // c keeps its hole: it must not be in both
		return err
	}
	m.avail = append(m.avail, fresh)
	h.next, h.line = len(m.avail), 0
	h.open(c, size)
	if h.space.pressed() && h.allocated >= firstTrigger {
		h.allocated = max(h.allocated, h.trigger)
	}
	return nil
}

// open moves the cursor to the next hole of the present chunk that has room for size bytes. Smaller ones are passed over
// until the next collection.
func (h *Heap) open(c *Cursor, size uintptr) bool {
	ch := &h.mem.avail[h.next-1]
	if h.line >= ch.class.lines() {
		return false
	}
	marks := ch.marks()
	for {
		start, end := hole(marks, h.line)
		h.line = end
		if length := uintptr(end-start) * LineSize; length >= size {
			c.Base, c.Off, c.Limit = unsafe.Add(ch.base, start*LineSize), 0, length
			h.allocated += length
			return true
		}
		if end == len(marks) {
			return false
		}
	}
}

// grade chooses the size of the next chunk: a heap's first memory is a few lines, for most heaps stay small.
func (h *Heap) grade(size uintptr) class {
	switch {
	case h.mem.bytes == 0 && size <= class512.size()/2:
		return class512
	case h.mem.bytes < 2*int64(class512.size()) && size <= class1K.size()/2:
		return class1K
	case h.mem.bytes < 2*int64(class4K.size()) && size <= class4K.size()/2:
		return class4K
	}
	return classBlock
}

// AllocArray returns a cleared array of n elements. Large ones get a span of their own. Errors as in Refill.
func (h *Heap) AllocArray(c *Cursor, t *Type, n uintptr) (unsafe.Pointer, error) {
	size, err := h.space.arraySize(t, n)
	if err != nil {
		return nil, err
	}
	var p unsafe.Pointer
	if size <= MaxSmall {
		p, err = h.bump(c, size)
	} else {
		p, err = h.allocSpan(size)
	}
	if err != nil {
		return nil, err
	}
	clear(unsafe.Slice((*byte)(p), size))
	word := t.Header()
	if size > MaxSmall {
		word |= flagLarge
	}
	*(*uint64)(p) = word
	obj := unsafe.Add(p, HeaderSize)
	*(*uint64)(obj) = uint64(n)
	return obj, nil
}

// arraySize returns the size of an array with its header, or a *LimitError when that is more than addresses can tell.
func (s *Space) arraySize(t *Type, n uintptr) (uintptr, error) {
	if !t.IsArray() {
		panic("heap: array of type " + t.name + ", which is not an array type")
	}
	if n > (math.MaxInt-ArrayOverhead-BlockSize)/t.size {
		return 0, &LimitError{Limit: s.config.Limit, Used: s.used.Load(), Want: math.MaxInt64}
	}
	return roundUp(ArrayOverhead + n*t.size), nil
}

// bump allocates without inlining.
func (h *Heap) bump(c *Cursor, size uintptr) (unsafe.Pointer, error) {
	if c.rest() < size {
		if err := h.Refill(c, size); err != nil {
			return nil, err
		}
	}
	p := unsafe.Add(c.Base, c.Off)
	c.Off += size
	return p, nil
}
