package ctxcheck

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// state is what is known at one point of a nest, on all paths that lead there.
type state struct {
	// stale has the call after which the context in a place is stale; nil: it is fresh. What is not in it is as old as
	// its root, and if that is not in it either, as the entry: dflt.
	stale map[place]ssa.CallInstruction
	dflt  ssa.CallInstruction
	// frames are those that are open, the newest last; an entry is the call that pushed it.
	frames []ssa.Value
	// held has the frame that holds the heap pointer in a place: an element of frames, or unowned.
	held map[place]ssa.Value
	// from has the place that a register was loaded from, if that has the same value still.
	from map[ssa.Value]place
}

// unowned stands for what needs no frame of this function: nil, and what the caller holds by contract.
var unowned ssa.Value = new(ssa.Alloc)

func newState() *state {
	return &state{stale: map[place]ssa.CallInstruction{}, held: map[place]ssa.Value{}, from: map[ssa.Value]place{}}
}

func (s *state) clone() *state {
	return &state{maps.Clone(s.stale), s.dflt, slices.Clone(s.frames), maps.Clone(s.held), maps.Clone(s.from)}
}

// age returns the call after which the context in p is stale, nil if it is fresh.
func (s *state) age(p place) ssa.CallInstruction {
	if c, ok := s.stale[p]; ok {
		return c
	}
	for path := p.path; path != ""; {
		path = path[:strings.LastIndexAny(path, ".[")]
		if c, ok := s.stale[place{p.root, path}]; ok {
			return c
		}
	}
	return s.dflt
}

// setAge says how old the context in p is, and in all that p has in it.
func (s *state) setAge(p place, c ssa.CallInstruction) {
	for q := range s.stale {
		if q.root == p.root && len(q.path) > len(p.path) && strings.HasPrefix(q.path, p.path) {
			delete(s.stale, q)
		}
	}
	s.stale[p] = c
}

// switched makes all contexts stale that are in places now.
func (s *state) switched(c ssa.CallInstruction) {
	for p, old := range s.stale {
		if old == nil {
			s.stale[p] = c
		}
	}
	if s.dflt == nil {
		s.dflt = c
	}
}

// forget removes what is known of the heap pointers in p.
func (s *state) forget(p place) {
	for q := range s.held {
		if q.root == p.root && overlaps(q.path, p.path) {
			delete(s.held, q)
		}
	}
	for v, q := range s.from {
		if q.root == p.root && overlaps(q.path, p.path) {
			delete(s.from, v)
		}
	}
}

// push opens a frame.
func (s *state) push(frame ssa.Value) {
	s.frames = append(slices.DeleteFunc(s.frames, func(f ssa.Value) bool { return f == frame }), frame)
}

// pop ends the frame and those above it; the frames of another function end all.
func (s *state) pop(frames []ssa.Value) {
	first := len(s.frames)
	for _, f := range frames {
		if i := slices.Index(s.frames, f); i >= 0 {
			first = min(first, i)
		}
	}
	if len(frames) == 0 {
		first = 0
	}
	for p, f := range s.held {
		if slices.Contains(s.frames[first:], f) {
			delete(s.held, p)
		}
	}
	s.frames = s.frames[:first]
}

// join makes s what holds on both ways and reports whether that changed it.
func (s *state) join(o *state) bool {
	changed := false
	if s.dflt == nil && o.dflt != nil {
		for p := range o.stale { // as old as the entry was
			if _, ok := s.stale[p]; !ok {
				s.stale[p] = s.age(p)
			}
		}
		s.dflt, changed = o.dflt, true
	}
	for p, c := range s.stale {
		if c == nil {
			if age := o.age(p); age != nil {
				s.stale[p], changed = age, true
			}
		}
	}
	for p := range o.stale {
		if _, ok := s.stale[p]; ok {
			continue
		}
		if s.age(p) == nil {
			if age := o.age(p); age != nil {
				s.stale[p], changed = age, true
			}
		}
	}
	common := 0
	for common < min(len(s.frames), len(o.frames)) && s.frames[common] == o.frames[common] {
		common++
	}
	if common < len(s.frames) {
		s.frames, changed = s.frames[:common], true
	}
	for p, f := range s.held {
		g := o.held[p]
		keep := f
		switch {
		case g == nil:
			keep = nil
		case f == unowned:
			keep = g
		case g != unowned && slices.Index(o.frames, g) > slices.Index(o.frames, f):
			keep = g // which ends first
		}
		if keep != nil && keep != unowned && !slices.Contains(s.frames, keep) {
			keep = nil
		}
		if keep == nil {
			delete(s.held, p)
			changed = true
		} else if keep != f {
			s.held[p], changed = keep, true
		}
	}
	for v, p := range s.from {
		if q, ok := o.from[v]; !ok || q != p {
			delete(s.from, v)
			changed = true
		}
	}
	return changed
}
