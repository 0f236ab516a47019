package gc

import (
	"hash/maphash"
	"strings"
	"unsafe"

	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/rt"
)

// String is an immutable string of bytes in an actor's heap: what an object has in the place of a Go string, which it must not hold. The
// zero value is the empty string. It is a heap pointer: the rules of the package comment hold for it, with Root for frames.
// Strings are compared with Equal and Compare: == asks whether two are the same object.
type String struct{ array unsafe.Pointer }

var stringType = heap.NewArrayType("gc.String", 1)

// NewString copies the parts, one after the other, to the running actor's heap; no bytes need no memory. A leaf. Panics with a
// *heap.LimitError as Refill does.
func NewString(ctx *rt.Ctx, parts ...string) String {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	s, b := newString(ctx, n)
	for _, p := range parts {
		b = b[copy(b, p):]
	}
	return s
}

// Concat returns the strings one after the other. A leaf. Panics with a *heap.LimitError as Refill does.
func Concat(ctx *rt.Ctx, parts ...String) String {
	n := 0
	for _, p := range parts {
		n += p.Len()
	}
	s, b := newString(ctx, n)
	for _, p := range parts {
		b = b[copy(b, p.View()):]
	}
	return s
}

func newString(ctx *rt.Ctx, n int) (String, []byte) {
	if n == 0 {
		return String{}, nil
	}
	p, err := ctx.Heap().AllocArray(&ctx.Cursor, stringType, uintptr(n))
	if err != nil {
		panic(err)
	}
	return String{p}, unsafe.Slice((*byte)(heap.ArrayData(p)), n)
}

// Len returns the number of bytes.
func (s String) Len() int {
	if s.array == nil {
		return 0
	}
	return int(heap.ArrayLen(s.array))
}

// View returns the bytes as a Go string without a copy. It is good as long as the String is reachable, and must not be kept longer.
func (s String) View() string {
	if s.array == nil {
		return ""
	}
	return unsafe.String((*byte)(heap.ArrayData(s.array)), heap.ArrayLen(s.array))
}

// String returns a copy in Go's heap, which may be kept.
func (s String) String() string { return strings.Clone(s.View()) }

// Equal reports whether both have the same bytes.
func (s String) Equal(o String) bool { return s.array == o.array || s.View() == o.View() }

// Compare returns a negative number, 0 or a positive one when s is less than o, equal or greater, byte by byte.
func (s String) Compare(o String) int { return strings.Compare(s.View(), o.View()) }

var hashSeed = maphash.MakeSeed()

// Hash returns a hash of the bytes: equal strings have equal hashes, in all actors and heaps of this process and in no other process.
func (s String) Hash() uint64 { return maphash.String(hashSeed, s.View()) }

// Root returns the heap pointer, for trace functions and frames.
func (s String) Root() unsafe.Pointer { return s.array }
