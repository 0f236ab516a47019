package ctxcheck

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// call follows a call from s: first the literals that run in it, then its own effect.
func (f *flow) call(s *state, i *ssa.Call, next states) {
	c := &i.Call
	if frames, ok := f.popped(c); ok {
		s.pop(frames)
		next.add(s)
		return
	}
	if isDispatch(i.Parent()) && takesCell(c) {
		f.checkArguments(s, i)
	}
	called, passed := f.given(c)
	passed = slices.DeleteFunc(passed, func(g *ssa.Function) bool { return keeps(c, g) })
	if takesCell(c) && len(passed) > 0 {
		s.switched(i) // before the literals run, or between them
	}
	after := states{}
	after.add(s)
	if len(called) > 0 {
		after = f.once(after, called)
	}
	f.repeat(after, passed)
	recursive := slices.ContainsFunc(slices.Concat(called, passed), func(g *ssa.Function) bool { return f.active[g] && f.passesOn(g) })
	for _, s := range after.sorted() {
		if takesCell(c) || recursive {
			s.switched(i)
			f.mayUnwind(s)
		}
		for _, v := range gives(c) {
			f.giveAway(s, v, i)
		}
		f.define(s, i)
		if b := f.base(i); b != nil && b != ssa.Value(i) {
			f.copy(s, s, i, c.Args[0])
		}
		if frameOf(i) {
			f.hold(s, i)
		}
		next.add(s)
	}
}

// once runs one of the literals.
func (f *flow) once(before states, literals []*ssa.Function) states {
	after := states{}
	for _, s := range before.sorted() {
		for _, g := range literals {
			for _, end := range f.run(g, s).sorted() {
				after.add(end)
			}
		}
	}
	return after
}

// repeat runs the literals any number of times, in any order.
func (f *flow) repeat(all states, literals []*ssa.Function) {
	for changed := len(literals) > 0; changed; {
		changed = false
		for _, s := range all.sorted() {
			for _, g := range literals {
				for _, end := range f.run(g, s).sorted() {
					changed = all.add(end) || changed
				}
			}
		}
	}
}

// giveAway makes v gone, what it was read from, and what was read from it.
func (f *flow) giveAway(s *state, v ssa.Value, call ssa.CallInstruction) {
	b := f.base(v)
	if b == nil {
		return
	}
	for q, age := range maps.Clone(s.gone.at) {
		if age == nil && f.readFrom(q.root, b) {
			s.gone.at[q] = call
		}
	}
	for _, l := range f.kinds.leaves(heapKind, b.Type()) {
		for q, ok := (place{b, l.path}), true; ok; {
			s.gone.set(q, call)
			var from place
			if from, ok = s.from[q.root]; ok {
				q = place{from.root, from.path + q.path}
			}
		}
	}
}

// readFrom reports whether the register v is a pointer that was read from the object b, or from one that was: by a field,
// an element, or a method of it.
func (f *flow) readFrom(v, b ssa.Value) bool {
	for range 100 { // of a chain
		var object ssa.Value
		switch x := v.(type) {
		case *ssa.UnOp:
			object = f.base(x.X)
		case *ssa.Call:
			if !x.Call.IsInvoke() && x.Call.Signature().Recv() != nil {
				object = f.base(x.Call.Args[0])
			}
		}
		if object == nil || object == v {
			return false
		}
		if v = object; v == b {
			return true
		}
	}
	return false
}

// hold marks what a call that returns a frame has pushed.
func (f *flow) hold(s *state, frame *ssa.Call) {
	s.push(frame)
	for _, a := range frame.Call.Args {
		p := place{f.base(a), ""}
		if root := f.variable(a); root != nil { // by its address
			p.root = root
		}
		if p.root == nil {
			continue
		}
		for _, l := range f.kinds.leaves(heapKind, typeOf(p.root)) {
			for q, ok := (place{p.root, l.path}), true; ok; {
				if s.held[q] == nil { // else an older one, which ends later
					s.held[q] = frame
				}
				s.gone.at[q] = s.gone.get(q)
				var from place
				if from, ok = s.from[q.root]; ok {
					q = place{from.root, from.path + q.path}
				}
			}
		}
	}
}

// owner returns the function at whose end d runs: a defer statement in a loop over a function belongs to the function
// around.
func owner(d *ssa.Defer) *ssa.Function {
	f := d.Parent()
	for f.Synthetic == "range-over-func yield" && f.Parent() != nil {
		f = f.Parent()
	}
	return f
}

// runDefers follows the deferred calls of fn on its ordinary way out.
func (f *flow) runDefers(s *state, fn *ssa.Function, next states) {
	var pending []*ssa.Defer
	for d := range s.deferred {
		if owner(d) == fn {
			pending = append(pending, d)
		}
	}
	slices.SortFunc(pending, func(a, b *ssa.Defer) int { return int(a.Pos() - b.Pos()) })
	after := states{}
	after.add(s)
	for _, d := range slices.Backward(pending) {
		delete(s.deferred, d)
		for _, s := range after.sorted() {
			f.deferredUses(s, d)
		}
		called, passed := f.given(&d.Call)
		f.repeat(after, slices.Concat(called, passed)) // on some path, perhaps
		if frames, ok := f.popped(&d.Call); ok {
			for _, s := range after {
				s.pop(frames)
			}
		}
		if takesCell(&d.Call) {
			for _, s := range after {
				s.switched(d)
				f.mayUnwind(s)
			}
		}
	}
	for _, s := range after.sorted() {
		for _, d := range pending {
			delete(s.deferred, d)
		}
		next.add(s)
	}
}

// mayUnwind notes that a call may end by a panic, or by the end of the runtime, in the state s: deferred calls run then.
func (f *flow) mayUnwind(s *state) {
	for d := range s.deferred {
		if old := f.unwinding[d]; old != nil {
			old.join(s)
		} else {
			f.unwinding[d] = s.clone()
		}
	}
}

// unwind follows deferred calls from the states in which they may run early.
func (f *flow) unwind() {
	var pending []*ssa.Defer
	for d := range f.unwinding {
		pending = append(pending, d)
	}
	slices.SortFunc(pending, func(a, b *ssa.Defer) int { return int(a.Pos() - b.Pos()) })
	for _, d := range pending {
		s := f.unwinding[d]
		f.deferredUses(s, d)
		called, passed := f.given(&d.Call)
		after := states{}
		after.add(s)
		f.repeat(after, slices.Concat(called, passed))
	}
}
