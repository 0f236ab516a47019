package ctxcheck

import (
	"go/constant"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// flow follows contexts, heap pointers and frames through one nest. A literal is followed from where it is called, or
// handed to a call, with the state there; one that is kept for later, by itself.
type flow struct {
	*nest
	report *reporter
	active map[*ssa.Function]bool // being followed
	seen   map[*ssa.Function]bool // followed at least once
	// heldByCaller are functions whose heap pointers somebody holds who calls them.
	heldByCaller map[*ssa.Function]bool
	// unwinding has the states in which a deferred call may run because the stack is unwound.
	unwinding map[*ssa.Defer]*state
}

// follow goes through the whole nest.
func (f *flow) follow() {
	f.run(f.outer, newState())
	for _, inner := range f.funcs { // outer ones come first
		if unreachable := len(inner.FreeVars) > 0 && f.made[inner] == nil; !f.seen[inner] && !unreachable {
			f.run(inner, newState())
		}
	}
	f.unwind()
}

// run follows fn from a state at its entry and returns those at its end.
func (f *flow) run(fn *ssa.Function, entry *state) states {
	ends := states{}
	if f.active[fn] || len(fn.Blocks) == 0 {
		ends.add(entry.clone())
		return ends
	}
	f.active[fn], f.seen[fn] = true, true
	defer delete(f.active, fn)
	entry = entry.clone()
	for _, p := range fn.Params {
		f.define(entry, p)
		if f.heldByCaller[fn] {
			for _, l := range f.kinds.leaves(heapKind, p.Type()) {
				entry.held[place{p, l.path}] = unowned
			}
		}
	}
	in := map[*ssa.BasicBlock]states{}
	var work []*ssa.BasicBlock
	arrive := func(b *ssa.BasicBlock, s *state) {
		if in[b] == nil {
			in[b] = states{}
		}
		if in[b].add(s) && !slices.Contains(work, b) {
			work = append(work, b)
		}
	}
	arrive(fn.Blocks[0], entry)
	for len(work) > 0 {
		b := work[0]
		work = work[1:]
		now := states{}
		for _, s := range in[b] {
			now.add(s.clone())
		}
		for _, i := range b.Instrs {
			now = f.step(now, fn, i)
		}
		for _, s := range now.sorted() {
			switch last := b.Instrs[len(b.Instrs)-1].(type) {
			case *ssa.Return:
				f.checkPopped(s, fn, last)
				ends.add(s)
			default:
				for k, succ := range b.Succs {
					if possible(f.nest, s, last, k) {
						arrive(succ, f.edge(s, fn, b, succ))
					}
				}
			}
		}
	}
	return ends
}

// possible reports whether the state allows the k-th way out of a block: not if the last instruction compares how a loop
// over a function has ended with something else.
func possible(n *nest, s *state, last ssa.Instruction, k int) bool {
	branch, ok := last.(*ssa.If)
	if !ok {
		return true
	}
	compare, ok := branch.Cond.(*ssa.BinOp)
	if !ok || compare.Op != token.EQL {
		return true
	}
	load, ok := compare.X.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return true
	}
	value, known := s.jumps[n.variable(load.X)]
	with, ok := compare.Y.(*ssa.Const)
	if !known || !ok {
		return true
	}
	return (with.Int64() == value) == (k == 0)
}

// isJump reports whether a variable is one of state.jumps.
func isJump(variable ssa.Value) bool {
	a, ok := variable.(*ssa.Alloc)
	return ok && strings.HasPrefix(a.Comment, "jump$")
}

// edge gives the phis of succ their values on the way from b, and forgets how a loop has ended once that has been acted upon.
func (f *flow) edge(s *state, fn *ssa.Function, b, succ *ssa.BasicBlock) *state {
	after := s.clone()
	if !strings.HasPrefix(succ.Comment, "rangefunc.resume") {
		for v := range after.jumps {
			if v.Parent() == fn {
				delete(after.jumps, v)
			}
		}
	}
	k := slices.Index(succ.Preds, b)
	for _, i := range succ.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		f.copy(s, after, phi, phi.Edges[k])
	}
	return after
}

// define makes v a new value that can be used.
func (f *flow) define(s *state, v ssa.Value) {
	if f.kinds.has(contextKind, v.Type()) {
		s.stale.set(place{v, ""}, nil)
	}
	if leaves := f.kinds.leaves(heapKind, v.Type()); len(leaves) > 0 {
		s.forget(place{v, ""})
		for _, l := range leaves {
			s.gone.set(place{v, l.path}, nil)
		}
	}
}

// copy makes v in after what w is in before.
func (f *flow) copy(before, after *state, v, w ssa.Value) {
	f.define(after, v)
	if f.kinds.has(contextKind, v.Type()) {
		f.copyAges(before, after, place{v, ""}, place{w, ""}, v)
	}
	for _, p := range f.pointers(w, v) {
		f.transfer(before, after, place{v, p.to}, p.from)
	}
}

// pointer is a heap pointer that goes from one place to a leaf of another value.
type pointer struct {
	to   string // the leaf's path
	from place
}

// pointers returns where the heap pointers of v, which is as w, come from. Nil constants come from nowhere.
func (f *flow) pointers(w, v ssa.Value) (all []pointer) {
	b := f.base(w)
	for _, l := range f.kinds.leaves(heapKind, v.Type()) {
		switch {
		case b == nil:
			all = append(all, pointer{l.path, place{}})
		case len(f.kinds.leaves(heapKind, b.Type())) == 1 && b != w: // one pointer, whatever it is converted to
			all = append(all, pointer{l.path, place{b, f.kinds.leaves(heapKind, b.Type())[0].path}})
		default:
			all = append(all, pointer{l.path, place{b, l.path}})
		}
	}
	return all
}

// transfer makes the leaf to in after what from is in before; what comes from nowhere is nil, or not known to be gone.
func (f *flow) transfer(before, after *state, to, from place) {
	if from.root == nil {
		after.held[to] = unowned
		return
	}
	age, frame := f.look(before, from)
	after.gone.set(to, age)
	if frame != nil {
		after.held[to] = frame
	}
}

// look returns the age of the heap pointers in p, and the frame that holds them all.
func (f *flow) look(s *state, p place) (age ssa.CallInstruction, frame ssa.Value) {
	held := true
	for _, l := range f.kinds.leaves(heapKind, typeOf(p.root)) {
		if !overlaps(l.path, p.path) {
			continue
		}
		q := place{p.root, l.path}
		if c := s.gone.get(q); c != nil && age == nil {
			age = c
		}
		g := s.held[q]
		switch {
		case g == nil:
			held = false
		case frame == nil:
			frame = g
		default:
			frame = s.shorter(frame, g)
		}
	}
	if !held {
		frame = nil
	}
	return age, frame
}

func (f *flow) copyAges(before, after *state, to, from place, v ssa.Value) {
	if isNil(from.root) {
		after.stale.set(to, nil)
		return
	}
	after.stale.set(to, before.stale.get(from))
	for _, l := range f.kinds.leaves(contextKind, v.Type()) {
		if l.path != "" {
			after.stale.set(place{to.root, to.path + l.path}, before.stale.get(place{from.root, from.path + l.path}))
		}
	}
}

// step follows one instruction from all states.
func (f *flow) step(now states, fn *ssa.Function, i ssa.Instruction) states {
	switch i := i.(type) {
	case *ssa.Phi, *ssa.DebugRef:
		return now
	case *ssa.Call:
		next := states{}
		for _, s := range now.sorted() {
			f.uses(s, i)
			f.call(s, i, next)
		}
		return next
	case *ssa.RunDefers:
		next := states{}
		for _, s := range now.sorted() {
			f.runDefers(s, fn, next)
		}
		return next
	}
	next := now
	for _, s := range now.sorted() {
		f.uses(s, i)
		f.simple(s, i)
	}
	if store, ok := i.(*ssa.Store); ok && isJump(f.variable(store.Addr)) {
		next = states{} // their keys have changed
		for _, s := range now {
			next.add(s)
		}
	}
	return next
}

// simple follows an instruction that goes on in one way.
func (f *flow) simple(s *state, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Defer:
		s.deferred[i] = true
		return
	case *ssa.Store:
		f.store(s, i)
		return
	}
	v, ok := i.(ssa.Value)
	if !ok {
		return
	}
	switch i := i.(type) {
	case *ssa.Alloc:
		f.alloc(s, i)
	case *ssa.UnOp:
		f.define(s, v)
		if i.Op == token.MUL {
			f.load(s, v, i.X)
		}
	case *ssa.Field:
		f.define(s, v)
		f.part(s, v, place{i.X, field(i.Field)})
	case *ssa.Extract:
		f.define(s, v)
		f.part(s, v, place{i.Tuple, field(i.Index)})
	case *ssa.ChangeType:
		f.copy(s, s, v, i.X)
	case *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeInterface, *ssa.TypeAssert, *ssa.MakeInterface, *ssa.Slice:
		if b := f.base(v); b != nil && b != v {
			f.copy(s, s, v, *v.(ssa.Instruction).Operands(nil)[0])
		} else {
			f.define(s, v)
		}
	default:
		f.define(s, v)
	}
}

func (f *flow) alloc(s *state, i *ssa.Alloc) {
	p := place{i, ""}
	s.stale.set(p, nil)
	s.forget(p)
	for _, l := range f.kinds.leaves(heapKind, pointee(i.Type())) {
		s.gone.set(place{i, l.path}, nil)
		s.held[place{i, l.path}] = unowned // nil
	}
	if isJump(i) {
		s.jumps[i] = 0
	}
}

func (f *flow) store(s *state, i *ssa.Store) {
	to := f.at(i.Addr)
	if isJump(to.root) {
		if c, ok := i.Val.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Int {
			s.jumps[to.root] = c.Int64()
		}
		return
	}
	if f.kinds.has(contextKind, i.Val.Type()) {
		f.copyAges(s, s, to, place{i.Val, ""}, i.Val)
	}
	if _, ok := to.root.(*ssa.Alloc); !ok || !f.kinds.has(heapKind, i.Val.Type()) {
		return
	}
	before := s.clone()
	some := strings.Contains(to.path, "*") // perhaps another element
	s.forget(to)
	for _, p := range f.pointers(i.Val, i.Val) {
		path := to.path + p.to
		for _, l := range f.kinds.leaves(heapKind, typeOf(to.root)) {
			leaf := place{to.root, l.path}
			if some && overlaps(l.path, path) {
				age, frame := ssa.CallInstruction(nil), unowned
				if p.from.root != nil {
					age, frame = f.look(before, p.from)
				}
				if old := before.gone.get(leaf); old != nil {
					age = old
				}
				s.gone.set(leaf, age)
				if old := before.held[leaf]; old != nil && frame != nil {
					s.held[leaf] = before.shorter(old, frame)
				}
			} else if l.path == path {
				s.gone.set(leaf, nil)
				f.transfer(before, s, leaf, p.from)
			}
		}
	}
}

// load gives v what is known of what the address holds.
func (f *flow) load(s *state, v, addr ssa.Value) {
	from := f.at(addr)
	if f.kinds.has(contextKind, v.Type()) && !f.isCellAddress(addr) {
		f.copyAges(s, s, place{v, ""}, from, v)
	}
	if _, ok := from.root.(*ssa.Alloc); ok {
		f.pointersFrom(s, v, from)
	}
}

// part gives v what is known of a part of a register.
func (f *flow) part(s *state, v ssa.Value, from place) {
	if f.kinds.has(contextKind, v.Type()) {
		f.copyAges(s, s, place{v, ""}, from, v)
	}
	f.pointersFrom(s, v, from)
}

func (f *flow) pointersFrom(s *state, v ssa.Value, from place) {
	leaves := f.kinds.leaves(heapKind, v.Type())
	if len(leaves) > 0 {
		s.from[v] = from
	}
	for _, l := range leaves {
		f.transfer(s, s, place{v, l.path}, place{from.root, from.path + l.path})
	}
}
