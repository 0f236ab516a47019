package ctxcheck

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// flow follows contexts and frames through one nest, forwards. A literal is followed from where it is called, or handed to
// a call, with the state there; one that is kept for later, by itself.
type flow struct {
	*nest
	report *reporter
	active map[*ssa.Function]bool // being followed
	seen   map[*ssa.Function]bool // followed at least once
	lives  map[*ssa.Function]map[string]liveness
	// heldByCaller are functions whose heap pointers somebody holds who calls them.
	heldByCaller map[*ssa.Function]bool
}

// follow goes through the whole nest.
func (f *flow) follow() {
	f.run(f.outer, newState(), nil)
	for _, inner := range f.funcs { // outer ones come first
		if !f.seen[inner] {
			f.run(inner, newState(), nil)
		}
	}
}

// run follows fn from a state at its entry and returns the one at its end; exit is what is used after that.
func (f *flow) run(fn *ssa.Function, entry *state, exit places) *state {
	if f.active[fn] || len(fn.Blocks) == 0 {
		return entry
	}
	f.active[fn], f.seen[fn] = true, true
	defer delete(f.active, fn)
	live := f.liveness(fn, exit)
	entry = entry.clone()
	for _, p := range fn.Params {
		entry.setAge(place{p, ""}, nil)
		entry.forget(place{p, ""})
		if f.heldByCaller[fn] {
			for _, l := range f.kinds.leaves(heapKind, p.Type()) {
				entry.held[place{p, l.path}] = unowned
			}
		}
	}
	in := map[*ssa.BasicBlock]*state{fn.Blocks[0]: entry}
	work := []*ssa.BasicBlock{fn.Blocks[0]}
	var end *state
	for len(work) > 0 {
		b := work[0]
		work = work[1:]
		s := in[b].clone()
		for _, i := range b.Instrs {
			f.step(s, fn, i, live)
			if _, ok := i.(*ssa.Return); ok {
				if end == nil {
					end = s.clone()
				} else {
					end.join(s)
				}
			}
		}
		for _, succ := range b.Succs {
			o := s
			if len(succ.Instrs) > 0 {
				o = f.edgeState(s, b, succ)
			}
			if in[succ] == nil {
				in[succ] = o.clone()
			} else if !in[succ].join(o) {
				continue
			}
			if !slices.Contains(work, succ) {
				work = append(work, succ)
			}
		}
	}
	if end == nil { // it never returns
		return entry
	}
	return end
}

// liveness computes each set once.
func (f *flow) liveness(fn *ssa.Function, exit places) liveness {
	var names []string
	for p := range exit {
		names = append(names, p.root.Parent().String()+p.root.Name()+p.path)
	}
	slices.Sort(names)
	key := ""
	for _, n := range names {
		key += n + " "
	}
	if f.lives[fn] == nil {
		f.lives[fn] = map[string]liveness{}
	}
	l, ok := f.lives[fn][key]
	if !ok {
		l = f.live(fn, exit)
		f.lives[fn][key] = l
	}
	return l
}

// edgeState gives the phis of succ their values on the way from b.
func (f *flow) edgeState(s *state, b, succ *ssa.BasicBlock) *state {
	if _, ok := succ.Instrs[0].(*ssa.Phi); !ok {
		return s
	}
	k := slices.Index(succ.Preds, b)
	before := s.clone()
	after := s.clone()
	for _, i := range succ.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		f.copy(before, after, place{phi, ""}, phi.Edges[k], phi.Type())
	}
	return after
}

// copy makes the place to in after what the value v, whose type is t, is in before.
func (f *flow) copy(before, after *state, to place, v ssa.Value, t types.Type) {
	if f.kinds.has(contextKind, t) {
		f.copyAges(before, after, to, place{v, ""}, t)
	}
	after.forget(to)
	if f.kinds.has(heapKind, t) {
		for path, frame := range f.framesOf(before, v) {
			after.held[place{to.root, to.path + path}] = frame
		}
	}
}

func (f *flow) copyAges(before, after *state, to, from place, t types.Type) {
	if c, ok := from.root.(*ssa.Const); ok && c.IsNil() {
		after.setAge(to, nil)
		return
	}
	after.setAge(to, before.age(from))
	for _, l := range f.kinds.leaves(contextKind, t) {
		if l.path != "" {
			after.setAge(place{to.root, to.path + l.path}, before.age(place{from.root, from.path + l.path}))
		}
	}
}

// framesOf returns the frames that hold the heap pointers of v, by their paths.
func (f *flow) framesOf(s *state, v ssa.Value) map[string]ssa.Value {
	found := map[string]ssa.Value{}
	if c, ok := v.(*ssa.Const); ok && c.IsNil() || ok && c.Value == nil {
		for _, l := range f.kinds.leaves(heapKind, v.Type()) {
			found[l.path] = unowned
		}
		return found
	}
	b := f.base(v)
	if b == nil {
		return found
	}
	for p, frame := range s.held {
		if p.root == b {
			found[p.path] = frame
		}
	}
	if b != v { // one pointer, whatever it is converted to
		if leaves := f.kinds.leaves(heapKind, v.Type()); len(leaves) == 1 && len(found) == 1 {
			for path, frame := range found {
				delete(found, path)
				found[leaves[0].path] = frame
			}
		}
	}
	return found
}

// step follows one instruction.
func (f *flow) step(s *state, fn *ssa.Function, i ssa.Instruction, live liveness) {
	if _, ok := i.(*ssa.Phi); ok {
		return // done on the edge
	}
	f.uses(s, i)
	switch i := i.(type) {
	case *ssa.Call:
		f.call(s, i, live)
		return
	case *ssa.RunDefers:
		f.runDefers(s, fn)
		return
	case *ssa.Store:
		to := f.at(i.Addr)
		if f.kinds.has(contextKind, i.Val.Type()) {
			f.copyAges(s, s, to, place{i.Val, ""}, i.Val.Type())
		}
		if _, ok := to.root.(*ssa.Alloc); ok {
			frames := f.framesOf(s, i.Val)
			s.forget(to)
			for path, frame := range frames {
				s.held[place{to.root, to.path + path}] = frame
			}
		}
		return
	}
	v, ok := i.(ssa.Value)
	if !ok {
		return
	}
	context, heap := f.kinds.has(contextKind, v.Type()), f.kinds.has(heapKind, v.Type())
	switch i := i.(type) {
	case *ssa.Alloc:
		s.setAge(place{i, ""}, nil)
		s.forget(place{i, ""})
		for _, l := range f.kinds.leaves(heapKind, pointee(i.Type())) {
			s.held[place{i, l.path}] = unowned // nil
		}
	case *ssa.UnOp:
		from := f.at(i.X)
		if i.Op != token.MUL {
			break
		}
		if context {
			if f.isCellAddress(i.X) {
				s.setAge(place{v, ""}, nil)
			} else {
				f.copyAges(s, s, place{v, ""}, from, v.Type())
			}
		}
		if heap {
			f.load(s, v, from)
		}
	case *ssa.Field:
		f.part(s, v, place{i.X, field(i.Field)}, context, heap)
	case *ssa.Extract:
		f.part(s, v, place{i.Tuple, field(i.Index)}, context, heap)
	case *ssa.ChangeType:
		f.copy(s, s, place{v, ""}, i.X, v.Type())
	case *ssa.Convert:
		f.copy(s, s, place{v, ""}, i.X, v.Type())
	default:
		if context {
			s.setAge(place{v, ""}, nil)
		}
		if heap {
			s.forget(place{v, ""})
		}
	}
}

// load gives v what is known of a place.
func (f *flow) load(s *state, v ssa.Value, from place) {
	s.forget(place{v, ""})
	if _, ok := from.root.(*ssa.Alloc); !ok {
		return
	}
	s.from[v] = from
	for _, l := range f.kinds.leaves(heapKind, v.Type()) {
		if frame := s.held[place{from.root, from.path + l.path}]; frame != nil {
			s.held[place{v, l.path}] = frame
		}
	}
}

// part gives v what is known of a part of a register.
func (f *flow) part(s *state, v ssa.Value, from place, context, heap bool) {
	if context {
		f.copyAges(s, s, place{v, ""}, from, v.Type())
	}
	if heap {
		s.forget(place{v, ""})
		s.from[v] = from
		for _, l := range f.kinds.leaves(heapKind, v.Type()) {
			if frame := s.held[place{from.root, from.path + l.path}]; frame != nil {
				s.held[place{v, l.path}] = frame
			}
		}
	}
}

// isCellAddress reports whether v, a **rt.Ctx, is a strand's cell: not a variable that a context is cached in, nor a field.
// The fields of package rt are cells.
func (f *nest) isCellAddress(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.FreeVar, *ssa.IndexAddr, *ssa.Global:
		return false
	case *ssa.FieldAddr:
		e := pointee(v.X.Type())
		named, ok := types.Unalias(e).(*types.Named)
		return ok && isCell(v.Type()) && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == rtPath
	}
	return isCell(v.Type())
}

// hold marks what a call that returns a frame has pushed.
func (f *flow) hold(s *state, frame *ssa.Call) {
	s.push(frame)
	for _, a := range frame.Call.Args {
		if root := f.variable(a); root != nil { // by its address
			for _, l := range f.kinds.leaves(heapKind, pointee(root.Type())) {
				s.held[place{root, l.path}] = frame
			}
			continue
		}
		b := f.base(a)
		if b == nil {
			continue
		}
		for _, l := range f.kinds.leaves(heapKind, b.Type()) {
			p := place{b, l.path}
			for {
				s.held[p] = frame
				from, ok := s.from[p.root]
				if !ok {
					break
				}
				p = place{from.root, from.path + p.path}
			}
		}
	}
}

// call follows a call: first the literals that run in it, then its own effect.
func (f *flow) call(s *state, i *ssa.Call, live liveness) {
	c := &i.Call
	if frames, ok := f.popped(c); ok {
		s.pop(frames)
		return
	}
	called, passed := f.given(c)
	after := live[i]
	switching := f.switches(c)
	if switching {
		f.checkHeld(s, i, after, called, passed)
	}
	passed = slices.DeleteFunc(passed, func(g *ssa.Function) bool { return keeps(c, g) })
	if len(called)+len(passed) > 0 {
		exit := f.exit(after, called, passed)
		if takesCell(c) && len(passed) > 0 {
			s.switched(i)
		}
		for _, g := range called {
			s.replace(f.run(g, s, exit))
		}
		if len(passed) > 0 {
			f.repeat(s, passed, exit)
		}
		if f.active[i.Parent()] && switching && !takesCell(c) && f.recursive(called, passed) {
			s.switched(i)
		}
	}
	if takesCell(c) {
		s.switched(i)
	}
	if f.kinds.has(contextKind, i.Type()) {
		s.setAge(place{i, ""}, nil)
	}
	if f.kinds.has(heapKind, i.Type()) {
		frames := map[string]ssa.Value{}
		if b := f.base(i); b != i && b != nil {
			frames = f.framesOf(s, i)
		}
		s.forget(place{i, ""})
		for path, frame := range frames {
			s.held[place{i, path}] = frame
		}
	}
	if frameOf(i) {
		f.hold(s, i)
	}
}

// exit returns what is used after literals of those that they share with their function: what is used after the call, and
// what they read when they are called again. All else is the call's to check.
func (f *flow) exit(after places, sets ...[]*ssa.Function) places {
	used := places{}
	for _, g := range slices.Concat(sets...) {
		f.reads(used, g)
		for _, v := range f.captures(heapKind, g) {
			for p := range after {
				if p.root == v {
					used[p] = true
				}
			}
		}
	}
	return used
}

// recursive reports whether one of the literals is being followed: its effect is not known yet.
func (f *flow) recursive(sets ...[]*ssa.Function) bool {
	for _, g := range slices.Concat(sets...) {
		if f.active[g] {
			return true
		}
	}
	return false
}

// replace makes s the state o.
func (s *state) replace(o *state) {
	if s != o {
		*s = *o.clone()
	}
}

// repeat runs literals that a call may run any number of times.
func (f *flow) repeat(s *state, literals []*ssa.Function, exit places) {
	for changed := true; changed; {
		changed = false
		for _, g := range literals {
			end := f.run(g, s, exit)
			if end != s && s.join(end) {
				changed = true
			}
		}
	}
}

// runDefers follows the deferred calls of fn. They run as well while a panic or the end of the runtime unwinds the
// stack: after any call that comes after the defer statement.
func (f *flow) runDefers(s *state, fn *ssa.Function) {
	var literals []*ssa.Function
	var switching ssa.CallInstruction
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			d, ok := i.(*ssa.Defer)
			if !ok {
				continue
			}
			called, passed := f.given(&d.Call)
			passed = slices.DeleteFunc(passed, func(g *ssa.Function) bool { return keeps(&d.Call, g) })
			for _, g := range slices.Concat(called, passed) {
				if !slices.Contains(literals, g) {
					literals = append(literals, g)
				}
			}
			if f.switches(&d.Call) {
				switching = d
			}
			later := f.laterSwitch(d)
			if later != nil {
				unwound := s.clone()
				unwound.switched(later)
				for _, g := range slices.Concat(called, passed) {
					f.run(g, unwound, nil)
				}
				f.deferredUses(unwound, d)
			}
		}
	}
	f.repeat(s, literals, nil)
	if switching != nil {
		s.switched(switching)
	}
}

// laterSwitch returns a call that may switch and can come after d and before the call that d defers, nil if there is none:
// those that are deferred later run before it.
func (f *flow) laterSwitch(d *ssa.Defer) ssa.CallInstruction {
	seen := map[*ssa.BasicBlock]bool{}
	var look func(b *ssa.BasicBlock, from int) ssa.CallInstruction
	look = func(b *ssa.BasicBlock, from int) ssa.CallInstruction {
		for _, i := range b.Instrs[from:] {
			c, ok := i.(ssa.CallInstruction)
			if _, other := i.(*ssa.Go); ok && !other && c != ssa.CallInstruction(d) && f.switches(c.Common()) {
				return c
			}
		}
		for _, succ := range b.Succs {
			if !seen[succ] {
				seen[succ] = true
				if c := look(succ, 0); c != nil {
					return c
				}
			}
		}
		return nil
	}
	return look(d.Block(), slices.Index(d.Block().Instrs, ssa.Instruction(d))+1)
}
