package heap

import (
	"fmt"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// check verifies both heaps and compares them with the model.
func (m *model) check() {
	for i := range m.halves {
		a := &m.halves[i]
		require.NoError(m.t, a.h.Verify(&a.c, a.trace))
		m.compare(a)
		m.conserve(a)
	}
}

// compare walks the heap and the model side by side: they must be the same graph.
func (m *model) compare(a *half) (bytes uintptr) {
	there := map[*twin]unsafe.Pointer{}
	back := map[unsafe.Pointer]*twin{}
	var queue []*twin
	visit := func(w *twin, p unsafe.Pointer) {
		if (w == nil) != (p == nil) {
			m.t.Fatalf("model has %v, heap %p", w, p)
		}
		if w == nil {
			return
		}
		q, known := there[w]
		if x := back[p]; known != (x != nil) || known && (q != p || x != w) {
			m.t.Fatalf("object %d is at %p and %p", w.id, p, q)
		}
		if !known {
			there[w], back[p] = p, w
			queue = append(queue, w)
		}
	}
	for i, w := range a.twins {
		visit(w, unsafe.Pointer(a.roots[i]))
	}
	for len(queue) > 0 {
		w := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		p := there[w]
		bytes += w.size()
		if err := same(w, p); err != nil {
			m.t.Fatal(err)
		}
		if w.kind != kindBytes {
			for i, slot := range slots(w, p) {
				visit(w.refs[i], unsafe.Pointer(*slot))
			}
		}
	}
	return bytes
}

// same compares the scalars of an object.
func same(w *twin, p unsafe.Pointer) error {
	var id uint64
	switch w.kind {
	case kindNode:
		id = (*node)(p).id
	case kindSheet:
		id = (*sheet)(p).id
	case kindBoard:
		id = (*board)(p).id
	case kindBytes:
		if n := ArrayLen(p); n != w.n {
			return fmt.Errorf("array of %d bytes, want %d", n, w.n)
		}
		for i, b := range unsafe.Slice((*byte)(ArrayData(p)), w.n) {
			if b != byte(w.id+uint64(i)) {
				return fmt.Errorf("byte %d of array %d is %d", i, w.id, b)
			}
		}
		return nil
	}
	if id != w.id {
		return fmt.Errorf("object %d found where %d was expected", id, w.id)
	}
	return nil
}

// exact demands that a full collection kept what is reachable and nothing else.
func (m *model) exact(a *half) {
	require.EqualValues(m.t, m.compare(a), a.h.Stats().Old)
	marked := 0
	if a.h.mem != nil {
		for _, list := range [...][]chunk{a.h.mem.avail, a.h.mem.full} {
			for i := range list {
				marked += list[i].class.lines() - unmarked(list[i].marks())
			}
		}
	}
	lines := map[uintptr]bool{}
	for a := range a.reachable() {
		for line := a.start / LineSize; line <= (a.end-1)/LineSize; line++ {
			lines[line] = true
		}
	}
	require.Equal(m.t, len(lines), marked, "marked lines")
}

type stretch struct{ start, end uintptr }

// reachable returns the extents of the reachable objects in chunks.
func (a *half) reachable() map[stretch]bool {
	all := map[stretch]bool{}
	v := &verifier{h: a.h, types: typeTable(), seen: map[uintptr]uint64{}}
	v.index()
	for _, r := range a.roots {
		v.reach(unsafe.Pointer(r), nil, 0)
	}
	v.drain()
	for p, word := range v.seen {
		if word&flagLarge == 0 {
			t := v.types[word>>typeShift]
			all[stretch{p - HeaderSize, p - HeaderSize + t.sizeOf(pointerTo(&p))}] = true
		}
	}
	return all
}

// conserve demands that the heap's account of its memory is what its lists hold.
func (m *model) conserve(a *half) {
	if a.h.mem == nil {
		return
	}
	var held int64
	for _, list := range [...][]chunk{a.h.mem.avail, a.h.mem.full, a.h.mem.adopted} {
		for i := range list {
			held += int64(list[i].class.size())
		}
	}
	for _, l := range a.h.mem.large {
		held += int64(l.size())
	}
	require.Equal(m.t, held, a.h.mem.bytes)
}

// finish drops everything: memory must come back.
func (m *model) finish() {
	for len(m.kept) > 0 {
		m.dropKept(0)
	}
	for i := range m.halves {
		a := &m.halves[i]
		clear(a.roots)
		a.twins = [modelRoots]*twin{}
		a.full()
		require.Zero(m.t, a.h.Stats().Old)
		require.LessOrEqual(m.t, a.h.Stats().Held, int64(max(a.h.trigger, firstTrigger)+BlockSize))
		if a.h.mem != nil {
			a.h.mem.release()
		}
	}
	m.s.mu.Lock()
	m.s.flush()
	m.s.mu.Unlock()
	require.Zero(m.t, m.s.Stats().Used)
	require.Zero(m.t, m.s.owner.Bytes())
	m.s.Close()
}
