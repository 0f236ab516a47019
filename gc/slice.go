package gc

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// Scalar is what a Slice may hold: nothing with a pointer in it.
type Scalar interface {
	~bool | ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr |
		~float32 | ~float64 | ~complex64 | ~complex128
}

// Slice is an array of scalars in an actor's heap. The zero value has length 0. It is a heap pointer: the rules of the
// package comment hold for it, with Root for frames.
type Slice[T Scalar] struct{ array unsafe.Pointer }

// MakeSlice returns n zero elements. A leaf. Panics with a *heap.LimitError as Refill does, and on a negative n.
func MakeSlice[T Scalar](ctx *rt.Ctx, n int) Slice[T] {
	if n < 0 {
		panic(fmt.Sprintf("gc: MakeSlice of %d elements", n))
	}
	p, err := ctx.Heap().AllocArray(&ctx.Cursor, arrayType[T](), uintptr(n))
	if err != nil {
		panic(err)
	}
	return Slice[T]{p}
}

// Len returns the number of elements.
func (s Slice[T]) Len() int {
	if s.array == nil {
		return 0
	}
	return int(heap.ArrayLen(s.array))
}

// Data returns the elements as a Go slice. It is good as long as the Slice is reachable, and must not be kept longer.
func (s Slice[T]) Data() []T {
	if s.array == nil {
		return nil
	}
	return unsafe.Slice((*T)(heap.ArrayData(s.array)), heap.ArrayLen(s.array))
}

// At returns element i; it panics as Go does when i is out of range.
func (s Slice[T]) At(i int) T { return s.Data()[i] }

// Set stores element i; it panics as Go does when i is out of range. Invariant builds reject it where the array was shared.
func (s Slice[T]) Set(i int, v T) {
	if invariant.Enabled && s.array != nil && heap.Immutable(s.array) {
		panic("gc: Set of a slice that was shared as val and so is immutable")
	}
	s.Data()[i] = v
}

// Root returns the heap pointer, for trace functions and frames.
func (s Slice[T]) Root() unsafe.Pointer { return s.array }

// arrayTypes has the descriptor of each element type, by reflect.Type: registered when first used.
var arrayTypes sync.Map

func arrayType[T Scalar]() *Type {
	key := reflect.TypeFor[T]()
	if t, ok := arrayTypes.Load(key); ok {
		return t.(*Type)
	}
	// Two goroutines may both come here; one descriptor too many does no harm.
	t, _ := arrayTypes.LoadOrStore(key, heap.NewArrayType("[]"+key.String(), key.Size()))
	return t.(*Type)
}
