package ctxgen

import (
	"fmt"
	"path"
	"strings"
)

// The packages that generated code imports.
const (
	runtimeModule = "github.com/encorert/encorert"
	rtPath        = runtimeModule + "/rt"
	gcPath        = runtimeModule + "/gc"
	futuresPath   = runtimeModule + "/futures"
)

// isRuntimes reports whether a package is one of those, or one that they are made of.
func isRuntimes(importPath string) bool {
	for _, part := range []string{rtPath, gcPath, futuresPath, runtimeModule + "/internal"} {
		if rest, ok := strings.CutPrefix(importPath, part); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// A Type describes a Go type as far as the generator must know it: how it is
// written, how it travels in a message and where heap pointers are in it. Types
// are immutable and made by the functions of this file.
type Type struct {
	kind   kind
	role   role
	path   string // import path of a named type
	name   string // of a named or basic type; direction of a channel
	args   []*Type
	key    *Type
	elem   *Type
	len    int64
	fields []Field
	under  func() *Type // of a named type; nil: unknown
	parts  []any        // of a raw type: string or *Type
}

type kind uint8

const (
	basicKind kind = iota
	namedKind
	pointerKind
	sliceKind
	arrayKind
	mapKind
	chanKind
	structKind
	rawKind
)

// A role is what the runtime makes of a named type.
type role uint8

const (
	plainRole   role = iota
	objectRole       // lives in an actor's heap
	handleRole       // one word, refers to an actor
	futureRole       // one word: futures.Future or futures.Promise
	heapRole         // one word, points into an actor's heap: gc.Slice, gc.String, gc.Ref, gc.Array
	contextRole      // rt.Ctx
)

// Basic returns the predeclared type of that name, or unsafe.Pointer. It panics
// if there is none.
func Basic(name string) *Type {
	if basicSizes[name] == 0 {
		panic(fmt.Sprintf("ctxgen: %q is no basic type", name))
	}
	return &Type{kind: basicKind, name: name}
}

// basicSizes are the sizes in bytes on a 64-bit platform.
var basicSizes = map[string]int64{
	"bool": 1, "string": 16, "unsafe.Pointer": 8, "uintptr": 8,
	"int": 8, "int8": 1, "int16": 2, "int32": 4, "int64": 8, "rune": 4,
	"uint": 8, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8, "byte": 1,
	"float32": 4, "float64": 8, "complex64": 8, "complex128": 16,
}

// Named returns the type (or alias) called name in the package at importPath,
// with its type arguments. under is what it stands for; nil means that nobody
// knows, and then it may hold no heap pointer.
func Named(importPath, name string, under *Type, args ...*Type) *Type {
	t := &Type{kind: namedKind, path: importPath, name: name, args: args}
	if under != nil {
		t.under = func() *Type { return under }
	}
	return t
}

// ObjectPointer returns the type of pointers to the heap object type called
// name: what is called a heap pointer everywhere else.
func ObjectPointer(importPath, name string) *Type {
	return Pointer(&Type{kind: namedKind, role: objectRole, path: importPath, name: name})
}

// HandleOf returns the handle type called name that was generated in the
// package at importPath.
func HandleOf(importPath, name string) *Type {
	return &Type{kind: namedKind, role: handleRole, path: importPath, name: name}
}

// FutureOf returns futures.Future[elem].
func FutureOf(elem *Type) *Type {
	return &Type{kind: namedKind, role: futureRole, path: futuresPath, name: "Future", args: []*Type{elem}}
}

// PromiseOf returns futures.Promise[elem].
func PromiseOf(elem *Type) *Type {
	return &Type{kind: namedKind, role: futureRole, path: futuresPath, name: "Promise", args: []*Type{elem}}
}

// HeapSlice returns gc.Slice[elem], an array of scalars in an actor's heap.
func HeapSlice(elem *Type) *Type {
	return &Type{kind: namedKind, role: heapRole, path: gcPath, name: "Slice", args: []*Type{elem}}
}

// HeapString returns gc.String, an immutable string in an actor's heap.
func HeapString() *Type {
	return &Type{kind: namedKind, role: heapRole, path: gcPath, name: "String"}
}

// HeapRef returns gc.Ref, a reference to an object of any type.
func HeapRef() *Type { return &Type{kind: namedKind, role: heapRole, path: gcPath, name: "Ref"} }

// HeapArray returns gc.Array[elem], an array of references to objects of the type elem in an actor's heap.
func HeapArray(elem *Type) *Type {
	return &Type{kind: namedKind, role: heapRole, path: gcPath, name: "Array", args: []*Type{elem}}
}

// Pointer returns *elem.
func Pointer(elem *Type) *Type { return &Type{kind: pointerKind, elem: elem} }

// Slice returns []elem.
func Slice(elem *Type) *Type { return &Type{kind: sliceKind, elem: elem} }

// Array returns [n]elem.
func Array(n int64, elem *Type) *Type { return &Type{kind: arrayKind, len: n, elem: elem} }

// Map returns map[key]elem.
func Map(key, elem *Type) *Type { return &Type{kind: mapKind, key: key, elem: elem} }

// Chan returns a channel type; direction is "chan", "<-chan" or "chan<-".
func Chan(direction string, elem *Type) *Type {
	return &Type{kind: chanKind, name: direction, elem: elem}
}

// Struct returns a struct type without a name.
func Struct(fields ...Field) *Type { return &Type{kind: structKind, fields: fields} }

// Raw returns a type given by its Go text, in which a *Type may stand wherever
// the name of a type would: Raw("func(", t, ") error"). Nothing is known about
// what is in its values: it is for functions and interfaces.
func Raw(parts ...any) *Type {
	for _, p := range parts {
		switch p.(type) {
		case string, *Type:
		default:
			panic(fmt.Sprintf("ctxgen: part of a raw type must be a string or a *Type, not a %T", p))
		}
	}
	return &Type{kind: rawKind, parts: parts}
}

// String writes the type as a reader of messages knows it: packages by the last
// element of their path.
func (t *Type) String() string { return t.in("") }

// in is String for readers in the package at home, whose types have no package in front.
func (t *Type) in(home string) string {
	switch t.kind {
	case basicKind:
		return t.name
	case pointerKind:
		return "*" + t.elem.in(home)
	case sliceKind:
		return "[]" + t.elem.in(home)
	case arrayKind:
		return fmt.Sprintf("[%d]%s", t.len, t.elem.in(home))
	case mapKind:
		return fmt.Sprintf("map[%s]%s", t.key.in(home), t.elem.in(home))
	case chanKind:
		return t.name + " " + t.elem.in(home)
	case structKind:
		var fields []string
		for _, f := range t.fields {
			fields = append(fields, f.Name+" "+f.Type.in(home))
		}
		return "struct{" + strings.Join(fields, "; ") + "}"
	case rawKind:
		var text strings.Builder
		for _, p := range t.parts {
			if u, ok := p.(*Type); ok {
				p = u.in(home)
			}
			fmt.Fprint(&text, p)
		}
		return text.String()
	}
	text := t.name
	if t.path != "" && t.path != home {
		text = path.Base(t.path) + "." + text
	}
	if len(t.args) > 0 {
		var args []string
		for _, a := range t.args {
			args = append(args, a.in(home))
		}
		text += "[" + strings.Join(args, ", ") + "]"
	}
	return text
}

// resolve follows plain names to the type they stand for. It returns nil for a
// name of which nothing is known, and a type with a role as it is.
func (t *Type) resolve() *Type {
	for t != nil && t.kind == namedKind && t.role == plainRole {
		if t.under == nil {
			return nil
		}
		t = t.under()
	}
	return t
}

// is reports whether t resolves to the kind k without a role.
func (t *Type) is(k kind) bool {
	r := t.resolve()
	return r != nil && r.kind == k && r.role == plainRole
}

func (t *Type) has(r role) bool {
	u := t.resolve()
	return u != nil && u.role == r
}

// isObjectPointer reports whether values of t are pointers to heap objects.
func (t *Type) isObjectPointer() bool {
	r := t.resolve()
	return r != nil && r.kind == pointerKind && r.elem.has(objectRole)
}

// isHeapPointer reports whether a value of t is one word that the collector of
// an actor's heap must see.
func (t *Type) isHeapPointer() bool { return t.isObjectPointer() || t.has(heapRole) }

// references calls f for t and every type that its text mentions.
func (t *Type) references(f func(*Type)) {
	if t == nil {
		return
	}
	f(t)
	t.key.references(f)
	t.elem.references(f)
	for _, a := range t.args {
		a.references(f)
	}
	for _, field := range t.fields {
		field.Type.references(f)
	}
	for _, p := range t.parts {
		if u, ok := p.(*Type); ok {
			u.references(f)
		}
	}
}
