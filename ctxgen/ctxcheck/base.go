package ctxcheck

import (
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

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

// field is the step to a field, or to an element of a tuple.
func field(i int) string { return "." + strconv.Itoa(i) }

// typeOf returns the type of what is in the register or variable v.
func typeOf(v ssa.Value) types.Type {
	if a, ok := v.(*ssa.Alloc); ok {
		return pointee(a.Type())
	}
	return v.Type()
}
