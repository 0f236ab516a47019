// Package shapes has objects that are used as they should, which is no error.
package shapes

import (
	"unsafe"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

//encore:object
type Shape struct {
	Next    *Shape
	Kids    [3]*Shape
	Samples gc.Slice[int32]
	N       int
	At      point
}

type point struct{ x, y int }

//encore:actor
type holder struct{ first *Shape }

type alias = *Shape

const (
	size   = unsafe.Sizeof(Shape{})
	offset = unsafe.Offsetof(Shape{}.Next)
)

var table = map[string]*Shape{}

//encore:behaviour
func (h *holder) Do(cctx **rt.Ctx) bool {
	ctx := *cctx
	s := NewShape(ctx, nil, [3]*Shape{}, gc.MakeSlice[int32](ctx, 3), 1, point{1, 2})
	h.first, table["s"] = s, s
	s.N, s.At.x = 5, 6
	s.At = point{3, 4}
	s.N++
	n := &s.N
	*n = 7
	s.SetNext(ctx, s)
	s.SetKids(ctx, 1, s.Next)
	s.Samples.Set(0, 1)
	list := append([]*Shape{s, nil}, s.Kids[:]...)
	copy(list, s.Kids[1:])
	for i, kid := range s.Kids[:] {
		list[i] = kid
	}
	for _, kid := range &s.Kids {
		list[0] = kid
	}
	kids := s.Kids
	kids[0] = s
	f := gc.Push[Shape](ctx, s)
	defer f.Pop(ctx)
	_ = *s
	var any any = s
	_, ok := any.(*Shape)
	p := &*s
	local := struct {
		*Shape
		other *Shape
	}{s, s}
	local.Shape, local.other, local.N = p, p, 3
	at := &local.other
	*at = (alias)(p)
	return ok && *s == *p && s.Next != nil && (*s).Kids[0] == nil && local.Next == s && s.Kids[:][0] == s && *s != (Shape{})
}
