package heap

import "unsafe"

// Shadow is the shadow stack of a strand: the heap pointers that its functions hold across safepoints, by value. Frames
// on Go's own stack would have to be linked by address and so would escape.
//
// Owner: the strand, and the collection that it runs. Slots at and above Top are stale; they may refer to dead objects.
type Shadow struct {
	Slots []unsafe.Pointer
	Top   int // slots in use
}

// Grow makes room for at least 16 more slots: the slow path of a push.
func (s *Shadow) Grow() {
	grown := make([]unsafe.Pointer, max(64, 2*len(s.Slots), s.Top+16))
	copy(grown, s.Slots[:s.Top])
	s.Slots = grown
}

// Trace marks what the frames hold.
func (s *Shadow) Trace(t *Tracer) {
	for _, p := range s.Slots[:s.Top] {
		t.Mark(p)
	}
}
