package gc

import (
	"fmt"
	"unsafe"

	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// Barrier must be called before value is stored into a field of parent, and the store must be one of an integer (see
// package comment). It remembers an old parent once, so that a minor collection looks at it. A leaf. It is shaped to be
// inlined (cost 70 of 80); a setter of generated code costs 78.
//
// Invariant builds reject values from outside the heaps, such as an object made with new or a composite literal.
func Barrier(ctx *rt.Ctx, parent, value unsafe.Pointer) {
	if invariant.Enabled {
		checkStore(ctx, parent, value)
	}
	if *(*uint64)(unsafe.Add(parent, -HeaderSize))&heap.FlagOld != 0 {
		remember(ctx, parent)
	}
}

//go:noinline
func remember(ctx *rt.Ctx, parent unsafe.Pointer) { ctx.Heap().Log(parent) }

func checkStore(ctx *rt.Ctx, parent, value unsafe.Pointer) {
	ctx.CheckLeaf()
	if !heap.InArena(parent) {
		panic(fmt.Sprintf("gc: store into %p, which is not an object of a heap: was it made without its constructor?", parent))
	}
	if value != nil && !heap.InArena(value) {
		panic(fmt.Sprintf("gc: store of %p, which is not an object of a heap: was it made without its constructor?", value))
	}
}
