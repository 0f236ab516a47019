// Package elsewhere has type errors that have nothing to do with generated code.
package elsewhere

import "github.com/encorert/encorert/rt"

//encore:actor
type a struct{ x missing }

//encore:behaviour
func (a *a) Do(cctx **rt.Ctx, n alsoMissing) {
	var s string = 1
	a.Self(*cctx).Undo(*cctx)
	a.Self(*cctx).Do(*cctx, n)
}

type alias = *rt.Ctx

type other struct{}

//encore:behaviour
func (a *a) Other(cctx **other) {}

//encore:behaviour
func (a *a) Again(cctx **rt.Ctx, n alsoMissing) {}
