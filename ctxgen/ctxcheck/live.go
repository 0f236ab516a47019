package ctxcheck

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// places is a set.
type places map[place]bool

// base returns the value that holds the heap pointer behind v: v itself, or what v is converted or computed from. Nil if
// there is none.
func (n *nest) base(v ssa.Value) ssa.Value {
	var from ssa.Value
	switch v := v.(type) {
	case *ssa.ChangeType:
		from = v.X
	case *ssa.ChangeInterface:
		from = v.X
	case *ssa.MakeInterface:
		from = v.X
	case *ssa.Convert:
		if mayPoint(v) {
			from = v.X
		}
	case *ssa.MultiConvert:
		from = v.X
	case *ssa.FieldAddr:
		from = v.X
	case *ssa.IndexAddr:
		from = v.X
	case *ssa.Slice:
		from = v.X
	case *ssa.Range:
		from = v.X
	case *ssa.TypeAssert:
		if !v.CommaOk {
			from = v.X
		}
	case *ssa.Call: // what a gc.Slice refers to, as a Go pointer or slice
		if !v.Call.IsInvoke() && len(v.Call.Args) > 0 && packageOf(&v.Call) == gcPath && isHeapPointer(v.Call.Args[0].Type()) && mayPoint(v) {
			from = v.Call.Args[0]
		}
	}
	if from != nil {
		if b := n.base(from); b != nil {
			return b
		}
	}
	if n.kinds.has(heapKind, v.Type()) {
		if _, ok := v.(*ssa.Const); !ok {
			return v
		}
	}
	return nil
}

// mayPoint reports whether v is a Go pointer or a slice.
func mayPoint(v ssa.Value) bool {
	switch t := v.Type().Underlying(); t.String() {
	case "unsafe.Pointer":
		return true
	default:
		return pointee(t) != nil || strings.HasPrefix(t.String(), "[]")
	}
}

// liveness is what is read later: for each call of one function the places whose heap pointers are still used after it.
type liveness map[ssa.Instruction]places

// live computes the liveness of f, with what is used after f has returned.
func (n *nest) live(f *ssa.Function, exit places) liveness {
	after := liveness{}
	in := map[*ssa.BasicBlock]places{}
	work := slices.Clone(f.Blocks)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		live := places{}
		for _, succ := range b.Succs {
			maps.Copy(live, in[succ])
			n.edge(live, b, succ)
		}
		if len(b.Succs) == 0 {
			maps.Copy(live, exit)
		}
		for _, i := range slices.Backward(b.Instrs) {
			if c, ok := i.(ssa.CallInstruction); ok {
				set := after[c]
				if set == nil {
					set = places{}
					after[c] = set
				}
				maps.Copy(set, live)
			}
			if r, ok := i.(*ssa.RunDefers); ok {
				n.deferred(live, f)
				set := maps.Clone(live)
				after[r] = set
			}
			n.backward(live, i)
		}
		if in[b] == nil || len(live) > len(in[b]) {
			in[b] = live
			work = append(work, b.Preds...)
		}
	}
	return after
}

// edge replaces the phis of succ by what they are on the way from b.
func (n *nest) edge(live places, b, succ *ssa.BasicBlock) {
	k := slices.Index(succ.Preds, b)
	var used []ssa.Value
	for _, i := range succ.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		if kill(live, phi) {
			used = append(used, phi.Edges[k])
		}
	}
	for _, v := range used {
		n.use(live, v)
	}
}

// kill removes the register v and reports whether it was live.
func kill(live places, v ssa.Value) (was bool) {
	for p := range live {
		if p.root == v {
			delete(live, p)
			was = true
		}
	}
	return was
}

// use adds the heap pointers in v, and those that v reads when it is a function that is called.
func (n *nest) use(live places, v ssa.Value) {
	if b := n.base(v); b != nil {
		for _, l := range n.kinds.leaves(heapKind, b.Type()) {
			live[place{b, l.path}] = true
		}
	}
	// The address of a variable: whoever has it may read it.
	if root := n.variable(v); root != nil {
		n.read(live, place{root, ""})
	}
	for _, f := range n.closures(v) {
		n.reads(live, f)
	}
}

// read adds what is in a variable, or in the part of it that p is.
func (n *nest) read(live places, p place) {
	root, ok := p.root.(*ssa.Alloc)
	if !ok {
		return
	}
	for _, l := range n.kinds.leaves(heapKind, pointee(root.Type())) {
		if overlaps(l.path, p.path) {
			live[place{root, l.path}] = true
		}
	}
}

// reads adds the captured variables that f reads.
func (n *nest) reads(live places, f *ssa.Function) {
	for _, root := range n.captures(heapKind, f) {
		n.read(live, place{root, ""})
	}
}

// deferred adds what the deferred calls of f use.
func (n *nest) deferred(live places, f *ssa.Function) {
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if d, ok := i.(*ssa.Defer); ok {
				n.operands(live, d)
			}
		}
	}
}

func (n *nest) operands(live places, i ssa.Instruction) {
	for _, o := range i.Operands(nil) {
		if *o != nil {
			n.use(live, *o)
		}
	}
}

// backward goes over one instruction against the order of execution.
func (n *nest) backward(live places, i ssa.Instruction) {
	v, _ := i.(ssa.Value)
	switch i := i.(type) {
	case *ssa.Phi, *ssa.DebugRef, *ssa.MakeClosure, *ssa.If, *ssa.Defer, *ssa.RunDefers:
		return // a phi goes with the edges, a literal is read where it is used
	case *ssa.Alloc:
		kill(live, i)
		return
	case *ssa.BinOp: // a comparison reads no object
		return
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.ChangeType, *ssa.Convert, *ssa.MultiConvert, *ssa.Slice, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.TypeAssert:
		kill(live, v) // base looks through them
		return
	case *ssa.Field:
		if kill(live, v) {
			n.part(live, place{i.X, field(i.Field)}, v)
		}
		return
	case *ssa.Extract:
		if kill(live, v) {
			n.part(live, place{i.Tuple, field(i.Index)}, v)
		}
		return
	case *ssa.Store:
		p := n.at(i.Addr)
		if _, ok := p.root.(*ssa.Alloc); ok {
			was := false
			for q := range live {
				if q.root == p.root && overlaps(q.path, p.path) {
					was = true
					if strings.HasPrefix(q.path, p.path) && !strings.Contains(p.path, "*") {
						delete(live, q)
					}
				}
			}
			if was {
				n.use(live, i.Val)
			}
			return
		}
	case *ssa.UnOp:
		if p := n.at(i.X); v != nil {
			if _, ok := p.root.(*ssa.Alloc); ok {
				was := kill(live, v)
				if was || !n.kinds.has(heapKind, v.Type()) {
					n.read(live, p)
				}
				return
			}
		}
	}
	if v != nil {
		kill(live, v)
	}
	n.operands(live, i)
}

// field is the step to a field, or to an element of a tuple.
func field(i int) string { return "." + strconv.Itoa(i) }

// part adds what v is of a larger value.
func (n *nest) part(live places, p place, v ssa.Value) {
	for _, l := range n.kinds.leaves(heapKind, v.Type()) {
		live[place{p.root, p.path + l.path}] = true
	}
}
