// Package imported has an actor that uses another package's objects.
package imported

import (
	other "github.com/encorert/encorert/ctxgen/testdata/BadObjects/shapes"
	"github.com/encorert/encorert/rt"
)

//encore:actor
type actor struct{ s *other.Shape }

//encore:behaviour
func (a *actor) Do(cctx **rt.Ctx) {
	a.s = &other.Shape{N: 1}
	a.s.Next = new(other.Shape)
	a.s.Kids[0] = nil
	a.s.N = 3
	var s other.Shape
	_ = s
}
