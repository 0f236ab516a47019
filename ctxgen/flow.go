package ctxgen

import "slices"

// Two analyses over the lowered form, both backwards. Liveness finds the heap pointers that are used after a call that
// switches: a frame holds them across it. Need finds where the context is used before the next such call: it is loaded
// at the function's start and after each call where that is so, and nowhere else.

// bits is a set of tracked locals.
type bits []uint64

func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) clear(i int)    { b[i/64] &^= 1 << (i % 64) }

func (b bits) union(c bits) bits {
	out := slices.Clone(b)
	for i := range c {
		out[i] |= c[i]
	}
	return out
}

// flow analyses one body.
type flow struct {
	tracked []*Local
}

func (f *flow) empty() bits { return make(bits, len(f.tracked)/64+1) }

// exits are what is live, or whether the context is needed, where a break and a continue go.
type exits[T any] struct {
	of          *nesting
	leave, next T
	outer       *exits[T]
}

func (e *exits[T]) find(n *nesting) *exits[T] {
	for e.of != n {
		e = e.outer
	}
	return e
}

// live returns what is live before the steps and sets hold; after is not changed.
func (f *flow) live(steps []*goStep, after bits, out *exits[bits]) bits {
	for i := len(steps) - 1; i >= 0; i-- {
		after = f.liveStep(steps[i], after, out)
	}
	return after
}

func (f *flow) liveStep(s *goStep, after bits, out *exits[bits]) bits {
	switch s.kind {
	case plainStep, returnStep:
		if s.kind == returnStep {
			after = f.empty()
		}
		if len(s.writes) == 0 && len(s.reads) == 0 && !s.switches {
			return after
		}
		after = slices.Clone(after)
		for _, w := range s.writes {
			after.clear(w)
		}
		if s.switches {
			s.hold = s.hold[:0]
			for i, v := range f.tracked {
				if after.has(i + 1) {
					s.hold = append(s.hold, v)
				}
			}
		}
	case breakStep:
		return out.find(s.loop).leave
	case continueStep:
		return out.find(s.loop).next
	case ifStep:
		after = f.live(s.blocks[0], after, out).union(f.live(s.blocks[1], after, out))
	case switchStep:
		before := slices.Clone(after)
		for _, block := range s.blocks {
			before = before.union(f.live(block, after, out))
		}
		after = before
	case loopStep:
		if s.live == nil {
			s.live = f.empty()
		}
		for {
			head := f.live(s.blocks[0], s.live, &exits[bits]{s.loop, after, s.live, out})
			if !s.endless {
				head = head.union(after)
			}
			for _, r := range s.reads {
				head.set(r)
			}
			head = head.union(s.live)
			if slices.Equal(head, s.live) {
				return slices.Clone(head)
			}
			s.live = head
		}
	}
	for _, r := range s.reads {
		after.set(r)
	}
	return after
}

// need reports whether the context is needed before the steps, and sets reload.
func (f *flow) need(steps []*goStep, after bool, out *exits[bool]) bool {
	for i := len(steps) - 1; i >= 0; i-- {
		after = f.needStep(steps[i], after, out)
	}
	return after
}

func (f *flow) needStep(s *goStep, after bool, out *exits[bool]) bool {
	switch s.kind {
	case plainStep, returnStep:
		after = after && s.kind != returnStep
		if s.switches {
			s.reload = after
			after = false
		}
		return after || s.context || len(s.hold) > 0
	case breakStep:
		return out.find(s.loop).leave
	case continueStep:
		return out.find(s.loop).next
	case ifStep:
		then, otherwise := f.need(s.blocks[0], after, out), f.need(s.blocks[1], after, out)
		return then || otherwise || s.context
	case switchStep:
		need := s.context || after
		for _, block := range s.blocks {
			need = f.need(block, after, out) || need
		}
		return need
	}
	// A loop. Where only what comes after it needs the context, one load after it does for all of its rounds.
	s.reload = false
	if after && s.sink == 0 {
		s.sink = 2
		if anySwitches(s.blocks[0]) && !f.needLoop(s, false, out) {
			s.sink = 1
		}
		s.needed = false
	}
	if after && s.sink == 1 {
		s.reload, after = true, false
	}
	return f.needLoop(s, after, out)
}

func (f *flow) needLoop(s *goStep, after bool, out *exits[bool]) bool {
	for {
		head := f.need(s.blocks[0], s.needed, &exits[bool]{s.loop, after, s.needed, out}) || s.context || s.needed || after && !s.endless
		if head == s.needed {
			return head
		}
		s.needed = head
	}
}

func anySwitches(steps []*goStep) bool {
	return slices.ContainsFunc(steps, func(s *goStep) bool {
		return s.switches || slices.ContainsFunc(s.blocks, anySwitches)
	})
}

// touches reports whether a step reads or loads the context.
func (s *goStep) touches() bool {
	return s.context || s.reload || len(s.hold) > 0 || slices.ContainsFunc(s.blocks, anyTouches)
}

func anyTouches(steps []*goStep) bool { return slices.ContainsFunc(steps, (*goStep).touches) }

// declareContext decides where the context's variable is declared: in the innermost block with all uses, by the load that comes
// first there, if there is one. It returns the steps with what must be added; needed says that the first use comes
// before any call that switches.
func declareContext(steps []*goStep, needed bool) []*goStep {
	first := slices.IndexFunc(steps, (*goStep).touches)
	if first < 0 {
		return steps
	}
	s := steps[first]
	add := func(text string) []*goStep {
		return slices.Insert(steps, first, &goStep{text: text, pos: s.pos})
	}
	switch {
	case needed:
		return add("ctx := *cctx")
	case s.kind == plainStep, s.kind == loopStep && !anyTouches(s.blocks[0]):
		s.declare = true
	case !s.reload && !anyTouches(steps[first+1:]):
		for i := range s.blocks {
			s.blocks[i] = declareContext(s.blocks[i], false)
		}
	default:
		return add("var ctx *rt.Ctx")
	}
	return steps
}
