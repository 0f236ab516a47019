// Package fields has an object and a message that cannot be, and uses of them that do not type-check.
package fields

import (
	"example.com/not/there"

	"github.com/encorert/encorert/rt"
)

//encore:actor
type actor struct {
	by     finding
	broken there.T
}

type recursive struct{ r recursive }

//encore:behaviour
func (a *actor) Do(cctx **rt.Ctx, list []*finding, r recursive, t there.T) {
	newFinding(*cctx)
	_ = &finding{text: "x"}
	var s string = 1
}

//encore:behaviour
func (a *actor) Other(cctx **there.T) {}

//encore:object
type finding struct {
	text string
	gone missing
	r    recursive
}
