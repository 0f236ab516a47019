// Package gc is what generated code and careful hand-written code call to use an actor's own heap: allocation, the
// write barrier, frames, safepoints, and the ways of objects from one actor to another. The engine behind it is gc/heap.
//
// Objects of a heap are ordinary Go values behind ordinary Go pointers, but Go's collector never sees them. So a heap
// pointer may live in few places only: fields of objects, fields of an actor's state, messages and futures, and frames.
// A pointer that is held in a Go variable across a call that takes the context cell must be in a frame as well, since
// that call may collect:
//
//	f := gc.Push(ctx, node)
//	v, err := future.Get(cctx)   // may collect, may switch threads
//	ctx = *cctx
//	f.Pop(ctx)                   // node is good until here
//
// Objects never move, so nothing is read back. Functions that take a *rt.Ctx never collect.
//
// Reading order: alloc.go, barrier.go, frame.go, slice.go, string.go, ref.go, array.go, share.go; then gc/heap.
//
// Rejected: frames linked through the callers' stacks, as LLVM's shadow stack has them (they escape in Go: 56 ns and
// three allocations a frame; a stack of pointers by value costs 3 ns); conservative scanning of Go stacks (Go gives no
// way to look at another goroutine's stack); storing pointers with ordinary assignments (Go's write barrier reads what
// the slot held before, and a hole in a heap holds anything).
package gc
