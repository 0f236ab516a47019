package heap

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Type describes the objects of one type to the collector. Immutable; registered for the life of the process.
type Type struct {
	name  string
	size  uintptr  // payload; of an array the size of an element
	total uintptr  // whole object with header, rounded up to 8; 0 for arrays
	ptrs  []uint32 // offsets of heap pointers in the payload, ascending
	id    uint32
	// goType is a nil pointer of the Go type of the objects, nil before Bind. Writers: Bind, once. Readers: GoType. Its CompareAndSwap pairs
	// with the Loads in both: two that bind at the same time agree on the first.
	goType atomic.Pointer[any]
}

// maxTypes bounds the table (picked; the header has room for more).
const maxTypes = 1 << 24

// registry is the table of types by id; entry 0 is nil, so that a cleared word is no header.
var registry struct {
	mu sync.Mutex
	// table is replaced, never changed. Writers: register, under mu. Readers: collections, which load it once at their
	// start. The Store pairs with the Load in typeTable: an object of a type exists only after its registration.
	table atomic.Pointer[[]*Type]
}

// typeTable returns the types registered so far. Package-level variables register before any init function, so the table
// begins with the first of them.
func typeTable() []*Type {
	if table := registry.table.Load(); table != nil {
		return *table
	}
	return []*Type{nil}
}

// NewType registers a type of objects: the size of the payload in bytes, and the offsets in it of the slots that hold
// pointers to heap objects or nil, in ascending order. Meant for package-level variables of generated code; any
// goroutine. Panics when the layout is impossible.
func NewType(name string, size uintptr, ptrs ...uintptr) *Type {
	t := &Type{name: name, size: size, total: roundUp(HeaderSize + size)}
	if size > 1<<31 {
		panic(fmt.Sprintf("heap: type %s of %d bytes is too large", name, size))
	}
	for i, p := range ptrs {
		switch {
		case p%unsafe.Sizeof(p) != 0 || p+unsafe.Sizeof(p) > size:
			panic(fmt.Sprintf("heap: type %s of %d bytes has no room for a pointer at offset %d", name, size, p))
		case i > 0 && p <= ptrs[i-1]:
			panic(fmt.Sprintf("heap: pointer offsets of type %s are not ascending", name))
		}
		t.ptrs = append(t.ptrs, uint32(p))
	}
	return register(t)
}

// NewArrayType registers a type of arrays without pointers, by the size of an element in bytes. Any goroutine.
func NewArrayType(name string, elem uintptr) *Type {
	if elem == 0 || elem > 1<<31 {
		panic(fmt.Sprintf("heap: array type %s with elements of %d bytes", name, elem))
	}
	return register(&Type{name: name, size: elem})
}

func register(t *Type) *Type {
	if t.name == "" {
		panic("heap: type without a name")
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	old := typeTable()
	if len(old) >= maxTypes {
		panic(fmt.Sprintf("heap: no room for type %s: %d types exist", t.name, len(old)-1))
	}
	t.id = uint32(len(old))
	// Amortised: readers of the shorter slice never look at the new entry.
	table := append(old, t)
	registry.table.Store(&table)
	return t
}

// Header returns the word to store before a fresh object.
func (t *Type) Header() uint64 { return uint64(t.id) << typeShift }

// Name returns the name given to NewType.
func (t *Type) Name() string { return t.name }

// Size returns the size of the payload in bytes; for an array type that of an element.
func (t *Type) Size() uintptr { return t.size }

// IsArray tells whether the type was made by NewArrayType.
func (t *Type) IsArray() bool { return t.total == 0 }

// sizeOf returns the whole size of an object of the type, header included.
func (t *Type) sizeOf(obj unsafe.Pointer) uintptr {
	if t.total != 0 {
		return t.total
	}
	return roundUp(ArrayOverhead + ArrayLen(obj)*t.size)
}

// TypeOf returns the type of a heap object. For the object's owner, and for who holds it as immutable.
func TypeOf(obj unsafe.Pointer) *Type { return typeTable()[typeID(obj)] }

// Bind tells which Go type the objects have, by a nil pointer of it, and returns what the first call told. Any goroutine.
func (t *Type) Bind(pointer any) any {
	if t.goType.Load() == nil {
		t.goType.CompareAndSwap(nil, &pointer)
	}
	return *t.goType.Load()
}

// GoType returns what Bind told, nil before. Any goroutine.
func (t *Type) GoType() any {
	if p := t.goType.Load(); p != nil {
		return *p
	}
	return nil
}

func roundUp(n uintptr) uintptr { return (n + 7) &^ 7 }
