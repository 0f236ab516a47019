package ctxgen

import "slices"

// Where heap pointers and contexts are in a type. Four questions, each about
// values of a type: may it be a field of an object (form), can a message carry
// it (heapPaths), can a collector find everything in it (traced, reaches), does
// it let a context out of its strand (reachesContext).

// A form is how an object stores a field.
type form uint8

const (
	scalarForm  form = iota // no heap pointer
	pointerForm             // one heap pointer
	arrayForm               // an array of object pointers
)

func formOf(t *Type) form {
	switch {
	case t == nil:
		return scalarForm
	case t.isHeapPointer():
		return pointerForm
	case t.is(arrayKind) && t.resolve().elem.isObjectPointer():
		return arrayForm
	}
	return scalarForm
}

// seen stops the walks on recursive types.
type seen map[*Type]bool

func (s seen) again(t *Type) bool {
	if s[t] {
		return true
	}
	s[t] = true
	return false
}

// traced reports whether a trace function reaches heap pointers in a value of t:
// directly, in fields, elements, keys.
func (t *Type) traced(s seen) bool {
	r := t.resolve()
	if r == nil || s.again(r) {
		return false
	}
	switch {
	case r.isHeapPointer():
		return true
	case r.role != plainRole:
		return false
	}
	switch r.kind {
	case sliceKind, arrayKind:
		return r.elem.traced(s)
	case mapKind:
		return r.key.traced(s) || r.elem.traced(s)
	case structKind:
		for _, f := range r.fields {
			if f.Type.traced(s) {
				return true
			}
		}
	}
	return false
}

// reaches reports whether heap pointers are anywhere behind a value of t, Go
// pointers and channels included. Nobody knows what is behind interfaces and functions.
func (t *Type) reaches(s seen) bool {
	r := t.resolve()
	if r == nil || s.again(r) {
		return false
	}
	switch {
	case r.isHeapPointer() || r.role == objectRole:
		return true
	case r.role != plainRole:
		return false
	}
	switch r.kind {
	case pointerKind, sliceKind, arrayKind, chanKind:
		return r.elem.reaches(s)
	case mapKind:
		return r.key.reaches(s) || r.elem.reaches(s)
	case structKind:
		for _, f := range r.fields {
			if f.Type.reaches(s) {
				return true
			}
		}
	}
	return false
}

// reachesContext reports whether an execution context is anywhere behind a value of t, in futures too. What the
// runtime's own types hold is its business.
func (t *Type) reachesContext(s seen) bool {
	for t != nil && t.kind == namedKind && t.role == plainRole {
		if t.under == nil || isRuntimes(t.path) {
			return false
		}
		t = t.under()
	}
	switch {
	case t == nil || s.again(t):
		return false
	case t.role == contextRole:
		return true
	case t.role == futureRole:
		return slices.ContainsFunc(t.args, func(u *Type) bool { return u.reachesContext(s) })
	case t.role != plainRole:
		return false
	}
	switch t.kind {
	case pointerKind, sliceKind, arrayKind, chanKind:
		return t.elem.reachesContext(s)
	case mapKind:
		return t.key.reachesContext(s) || t.elem.reachesContext(s)
	case structKind:
		return slices.ContainsFunc(t.fields, func(f Field) bool { return f.Type.reachesContext(s) })
	}
	return false
}

// A step leads from a value to one of its parts: a field, or an element if field is empty.
type step struct {
	field string
	index int64
}

// A heapPath is a heap pointer at a fixed place in a value.
type heapPath struct {
	steps []step
	typ   *Type
}

// heapPaths lists the heap pointers in a value of t that are at fixed places.
func (t *Type) heapPaths() []heapPath {
	if t.isHeapPointer() {
		return []heapPath{{typ: t}}
	}
	r := t.resolve()
	if r == nil || r.role != plainRole {
		return nil
	}
	var paths []heapPath
	add := func(s step, part *Type) {
		for _, p := range part.heapPaths() {
			paths = append(paths, heapPath{append([]step{s}, p.steps...), p.typ})
		}
	}
	switch r.kind {
	case arrayKind:
		if r.elem.heapPaths() != nil {
			for i := range min(r.len, maxHeapPaths+1) {
				add(step{index: i}, r.elem)
			}
		}
	case structKind:
		for _, f := range r.fields {
			add(step{field: f.Name}, f.Type)
		}
	}
	return paths
}

// maxHeapPaths bounds the heap pointers of one parameter; picked, not measured.
const maxHeapPaths = 64

// size and align are those of a 64-bit platform; they only decide which objects are large.
func (t *Type) size() (size, align int64) {
	r := t.resolve()
	if r == nil {
		return 8, 8
	}
	switch {
	case r.role == plainRole && r.kind == basicKind:
		size = basicSizes[r.name]
		return size, min(size, 8)
	case r.role == plainRole && r.kind == arrayKind:
		size, align = r.elem.size()
		return size * r.len, align
	case r.role == plainRole && r.kind == structKind:
		return structSize(r.fields)
	}
	return 8, 8
}

func structSize(fields []Field) (size, align int64) {
	align = 1
	for _, f := range fields {
		s, a := f.Type.size()
		size = roundUp(size, a) + s
		align = max(align, a)
	}
	return roundUp(size, align), align
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }
