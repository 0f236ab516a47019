// Package ctxcheck checks that code keeps the rules of execution contexts and of
// actors' heaps. docs/ctxcheck.md is the reference of the rules; encorert vet
// runs it, and Analyzer is for other drivers.
//
// # Terms
//
// A cell is a **rt.Ctx, a context a *rt.Ctx. A call may switch if it takes a cell
// or a function literal that captures one: a context that was loaded before is
// stale after it, and a heap pointer that no frame holds may be gone. A nest is a
// declared function with all literals in it. A place is a register or variable of
// a nest, or a part of one. A literal is kept if it may be called when the call
// that it was given to has returned, or on another goroutine.
//
// # How it works
//
// The analysis is on SSA form (golang.org/x/tools/go/ssa), one package at a time,
// without facts: parameter types are effects.
//
//	part                | question
//	--------------------+----------------------------------------------------------
//	confine.go          | is a context, a cell or a heap pointer kept somewhere
//	objects.go          | is an object made, copied or changed past its heap
//	flow.go, call.go    | which contexts are stale, which pointers may be gone, and
//	                    | which frames hold which, at each point of a nest
//	stale.go, frames.go | is one of them used
//
// # Reading order
//
// kinds.go, nest.go, effect.go, base.go, state.go, flow.go, call.go,
// stale.go, frames.go; keep.go, confine.go, objects.go; analyzer.go, reporter.go, ignore.go, vet.go.
package ctxcheck
