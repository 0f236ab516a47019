package gc

import (
	"unsafe"

	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// Type describes the objects of one type: size and where their pointers are.
type Type = heap.Type

// Tracer is handed to trace functions, which call its Mark for each heap pointer of an actor's state.
type Tracer = heap.Tracer

// HeaderSize is what an object needs before its payload, in bytes.
const HeaderSize = heap.HeaderSize

// Object is implemented by pointers to generated object types, and by nothing else.
type Object interface{ EncoreObject() }

// NewType registers an object type: name for reports, size of the payload in bytes, offsets of its heap pointers.
// Generated code calls it once per type, from a package variable.
func NewType(name string, size uintptr, pointers ...uintptr) *Type {
	return heap.NewType(name, size, pointers...)
}

// Alloc returns size bytes, header included, from the running actor's heap; the payload is not cleared, so the caller
// must store every field. A leaf. header is Type.Header, slow is Refill.
//
// It is shaped to be inlined (cost 55 of 80): the slow path is a parameter, since a call to a known function would cost
// more, and offset and limit are integers, since storing a pointer pays Go's write barrier.
func Alloc(ctx *rt.Ctx, size uintptr, header uint64, slow func(*rt.Ctx, uintptr)) unsafe.Pointer {
	if invariant.Enabled {
		ctx.CheckLeaf()
	}
	c := &ctx.Cursor
	if c.Off+size > c.Limit {
		slow(ctx, size)
	}
	p := unsafe.Add(c.Base, c.Off)
	c.Off += size
	*(*uint64)(p) = header
	return unsafe.Add(p, HeaderSize)
}

// Refill makes room for size bytes at the cursor. Panics with a *heap.LimitError where Config.MemoryLimit would be
// crossed; the heap stays usable.
//
//go:noinline
func Refill(ctx *rt.Ctx, size uintptr) {
	if err := ctx.Heap().Refill(&ctx.Cursor, size); err != nil {
		panic(err)
	}
}

// AllocLarge returns a cleared object of a type that is too large for Alloc: more than half a block. A leaf. Panics
// as Refill does.
func AllocLarge(ctx *rt.Ctx, t *Type) unsafe.Pointer {
	p, err := ctx.Heap().AllocLarge(&ctx.Cursor, t)
	if err != nil {
		panic(err)
	}
	return p
}
