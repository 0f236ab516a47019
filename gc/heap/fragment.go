package heap

import (
	"runtime"
	"unsafe"
)

// Fragment is a detached graph: memory that belongs to no heap yet. The sender of a message copies into it, the receiver
// adopts it. Most hold one or two objects, so the struct is pooled and the first chunk is 1 KiB.
//
// Owner: whoever holds it; it passes with the message. After Keep it is immutable, and any goroutine may read it.
type Fragment struct {
	space *Space
	fragmentMemory
	bytes  uintptr // of all memory
	cursor Cursor
	copied trail   // scratch of a copy into this fragment
	grants []grant // references to immutable objects of heaps

	kept    *keptFragment // what the cleanup frees; nil before Keep
	cleanup runtime.Cleanup
}

// fragmentMemory is apart from Fragment so that a cleanup can hold it.
type fragmentMemory struct {
	chunks []chunk
	large  []span
}

func (m *fragmentMemory) release(s *Space) {
	s.giveChunks(m.chunks)
	s.giveSpans(m.large)
	m.chunks, m.large = m.chunks[:0], m.large[:0]
}

// NewFragment returns an empty fragment, without memory. It must be adopted, freed or kept: else its memory stays in use
// until the Space is closed.
func (s *Space) NewFragment() *Fragment {
	f := s.fragments.Get().(*Fragment)
	f.space = s
	return f
}

// alloc returns room for an object, with arbitrary contents.
func (f *Fragment) alloc(size uintptr) (unsafe.Pointer, error) {
	if size > MaxSmall {
		l, err := f.space.takeSpan(spanBlocks(size))
		if err != nil {
			return nil, err
		}
		f.large = append(f.large, l)
		f.bytes += l.size()
		return l.base, nil
	}
	if f.cursor.rest() < size {
		c, err := f.space.takeChunk(f.grade(size))
		if err != nil {
			return nil, err
		}
		f.chunks = append(f.chunks, c)
		f.bytes += c.class.size()
		f.cursor = Cursor{Base: c.base, Limit: c.class.size()}
	}
	p := unsafe.Add(f.cursor.Base, f.cursor.Off)
	f.cursor.Off += size
	return p, nil
}

func (f *Fragment) grade(size uintptr) class {
	switch {
	case f.bytes == 0 && size <= class1K.size():
		return class1K
	case f.bytes < 2*class4K.size() && size <= class4K.size():
		return class4K
	}
	return classBlock
}

// Adopt makes the fragment's memory the heap's, as young objects: they live on if a root refers to them at the next
// collection. f must not be used again.
func (h *Heap) Adopt(c *Cursor, f *Fragment) {
	if f.space != h.space {
		panic("heap: adopt of a fragment of another space")
	}
	if f.kept != nil {
		panic("heap: adopt of a kept fragment, which others may read")
	}
	if f.bytes > 0 {
		h.attach()
		m := h.mem
		m.adopted = append(m.adopted, f.chunks...)
		m.large = append(m.large, f.large...)
		m.bytes += int64(f.bytes)
		h.allocated += f.bytes
		m.gain(f.chunks, f.large)
	}
	h.receive(f.grants)
	f.recycle()
}

// Free gives the fragment's memory back. f must not be used again.
func (f *Fragment) Free() {
	if f.kept != nil {
		f.cleanup.Stop()
		f.kept.release(f.space)
		f.fragmentMemory, f.bytes, f.grants = fragmentMemory{}, 0, nil
		return
	}
	f.fragmentMemory.release(f.space)
	for i := range f.grants {
		f.grants[i].giveBack(f.space)
	}
	f.recycle()
}

// Keep makes the fragment immutable: from now on several goroutines may CopyTo from it. When it becomes garbage without
// Free, its memory is given back all the same.
func (f *Fragment) Keep() {
	if f.kept != nil {
		return
	}
	f.kept = &keptFragment{fragmentMemory: fragmentMemory{chunks: f.chunks, large: f.large}, grants: keepGrants(f.grants)}
	f.cursor, f.copied = Cursor{}, trail{}
	s := f.space
	f.cleanup = runtime.AddCleanup(f, func(k *keptFragment) { k.release(s) }, f.kept)
}

// recycle puts an empty fragment back into the pool.
func (f *Fragment) recycle() {
	f.chunks, f.large = f.chunks[:0], f.large[:0]
	f.cursor, f.bytes = Cursor{}, 0
	clear(f.grants)
	f.grants = f.grants[:0]
	if cap(f.chunks) > keptChunks {
		f.chunks = nil
	}
	f.space.fragments.Put(f)
}

// keptChunks bounds the room that an idle fragment keeps (picked).
const keptChunks = 256
