package ctxcheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// state is what is known at one point of a nest, on all paths that lead there.
type state struct {
	stale ages // of contexts: since which call they are stale
	gone  ages // of heap pointers: since which call what they point to may be freed
	// frames are those that are open, the newest last; an entry is the call that pushed it.
	frames []ssa.Value
	// held has the frame that holds the heap pointer in a place: an element of frames, or unowned.
	held map[place]ssa.Value
	// from has the place that a register was loaded from, if that has the same value still.
	from map[ssa.Value]place
	// jumps are the variables by which SSA form says how the body of a loop over a function has ended. States that differ
	// in them are kept apart: a body that returns is not followed by what comes after the loop.
	jumps map[ssa.Value]int64
	// deferred are the defer statements that were executed on some path.
	deferred map[*ssa.Defer]bool
}

// ages are the calls since which the values in places cannot be used any more, nil for what can be used. What is not in at
// has the age of the larger place that it is in, or is as old as the entry: rest.
type ages struct {
	at   map[place]ssa.CallInstruction
	rest ssa.CallInstruction
}

// unowned stands for what needs no frame of this function: nil, and what the caller holds by contract.
var unowned ssa.Value = new(ssa.Alloc)

func newState() *state {
	return &state{
		stale: ages{at: map[place]ssa.CallInstruction{}}, gone: ages{at: map[place]ssa.CallInstruction{}},
		held: map[place]ssa.Value{}, from: map[ssa.Value]place{}, jumps: map[ssa.Value]int64{}, deferred: map[*ssa.Defer]bool{},
	}
}

func (s *state) clone() *state {
	return &state{
		stale: ages{maps.Clone(s.stale.at), s.stale.rest}, gone: ages{maps.Clone(s.gone.at), s.gone.rest}, frames: slices.Clone(s.frames),
		held: maps.Clone(s.held), from: maps.Clone(s.from), jumps: maps.Clone(s.jumps), deferred: maps.Clone(s.deferred),
	}
}

// get returns the age of p.
func (a *ages) get(p place) ssa.CallInstruction {
	if c, ok := a.at[p]; ok {
		return c
	}
	for path := p.path; path != ""; {
		path = path[:strings.LastIndexAny(path, ".[")]
		if c, ok := a.at[place{p.root, path}]; ok {
			return c
		}
	}
	return a.rest
}

// set says how old p is, and all that p has in it.
func (a *ages) set(p place, c ssa.CallInstruction) {
	for q := range a.at {
		if q.root == p.root && len(q.path) > len(p.path) && strings.HasPrefix(q.path, p.path) {
			delete(a.at, q)
		}
	}
	a.at[p] = c
}

// join makes a what is so on either way and reports whether that changed it.
func (a *ages) join(o *ages) (changed bool) {
	if a.rest == nil && o.rest != nil {
		for p := range o.at { // as old as the entry was
			if _, ok := a.at[p]; !ok {
				a.at[p] = a.get(p)
			}
		}
		a.rest, changed = o.rest, true
	}
	for p, c := range a.at {
		if c == nil {
			if age := o.get(p); age != nil {
				a.at[p], changed = age, true
			}
		}
	}
	for p := range o.at {
		if _, ok := a.at[p]; !ok && a.get(p) == nil {
			if age := o.get(p); age != nil {
				a.at[p], changed = age, true
			}
		}
	}
	return changed
}

// switched is the effect of a call that may switch: all contexts are stale, and heap pointers that no frame holds are gone.
func (s *state) switched(c ssa.CallInstruction) {
	for p, old := range s.stale.at {
		if old == nil {
			s.stale.at[p] = c
		}
	}
	for p, old := range s.gone.at {
		if old == nil && s.held[p] == nil {
			s.gone.at[p] = c
		}
	}
	if s.stale.rest == nil {
		s.stale.rest = c
	}
	if s.gone.rest == nil {
		s.gone.rest = c
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

// pop ends the frame and those above it; one that is not known may be any.
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

// shorter returns which of two frames ends first.
func (s *state) shorter(f, g ssa.Value) ssa.Value {
	if f == unowned || g != unowned && slices.Index(s.frames, g) > slices.Index(s.frames, f) {
		return g
	}
	return f
}

// join makes s what holds on both ways and reports whether that changed it.
func (s *state) join(o *state) bool {
	changed := s.stale.join(&o.stale)
	changed = s.gone.join(&o.gone) || changed
	common := 0
	for common < min(len(s.frames), len(o.frames)) && s.frames[common] == o.frames[common] {
		common++
	}
	if common < len(s.frames) {
		s.frames, changed = s.frames[:common], true
	}
	for p, f := range s.held {
		keep := o.held[p]
		if keep != nil {
			keep = o.shorter(f, keep)
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
	for d := range o.deferred {
		if !s.deferred[d] {
			s.deferred[d], changed = true, true
		}
	}
	return changed
}

// states are those of one point that are kept apart, by their jumps.
type states map[string]*state

func (s *state) key() string {
	if len(s.jumps) == 0 {
		return ""
	}
	var parts []string
	for v, value := range s.jumps {
		parts = append(parts, fmt.Sprintf("%s.%s=%d", v.Parent().Name(), v.Name(), value))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// add joins s and reports whether that changed anything. s must not be used again.
func (all states) add(s *state) bool {
	key := s.key()
	if old, ok := all[key]; ok {
		return old.join(s)
	}
	all[key] = s
	return true
}

// sorted returns the states in an order that does not change from run to run.
func (all states) sorted() []*state {
	var list []*state
	for _, key := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[key])
	}
	return list
}
