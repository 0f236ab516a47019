package gc

import (
	"fmt"
	"unsafe"

	"github.com/encorert/encorert/gc/heap"
)

// Ref refers to an object of any type, or to none: the variants and trait objects of a language. The zero value is nil. It is a heap
// pointer: the rules of the package comment hold for it, with Root for frames. Two are == when they are the same object.
type Ref struct{ object unsafe.Pointer }

// RefTo returns a reference to an object, nil included. A leaf. It panics when object is not of a heap, or not a T.
//
// It tells the object's descriptor what its Go type is, once. So Cast knows the type of whatever a Ref refers to, and no descriptor need be
// named.
func RefTo[T any](object *T) Ref {
	if object == nil {
		return Ref{}
	}
	if !heap.InArena(unsafe.Pointer(object)) {
		panic(fmt.Sprintf("gc: RefTo %p, which is not an object of a heap: was it made without its constructor?", object))
	}
	r := Ref{unsafe.Pointer(object)}
	t := heap.TypeOf(r.object)
	own := any((*T)(nil))
	bound := t.GoType()
	if bound == nil {
		if t.IsArray() || t.Size() != unsafe.Sizeof(*object) {
			panic(fmt.Sprintf("gc: RefTo a %T, which points to an object of type %s", own, t.Name()))
		}
		bound = t.Bind(own)
	}
	if bound != own {
		panic(fmt.Sprintf("gc: RefTo a %T, which points to a %T", own, bound))
	}
	return r
}

// Cast returns the object that r refers to if it is a T, nil otherwise: a few loads and a comparison, whatever the number of types. A leaf.
func Cast[T any](r Ref) *T {
	if r.object == nil || heap.TypeOf(r.object).GoType() != any((*T)(nil)) {
		return nil
	}
	return (*T)(r.object)
}

// IsNil reports whether r refers to nothing.
func (r Ref) IsNil() bool { return r.object == nil }

// Type returns the descriptor of the object, for reports and for switches over many types; nil for nil. A leaf.
func (r Ref) Type() *Type {
	if r.object == nil {
		return nil
	}
	return heap.TypeOf(r.object)
}

// Root returns the heap pointer, for trace functions and frames.
func (r Ref) Root() unsafe.Pointer { return r.object }
