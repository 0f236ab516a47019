// Package blank has declarations without names.
package blank

import "github.com/encorert/encorert/rt"

//encore:actor
type _ struct{ n int }

//encore:object
type _ struct{ n int }

//encore:actor
type a struct{}

//encore:new
func (a *a) _(cctx **rt.Ctx) {}

//encore:behaviour
func (a *a) _(cctx **rt.Ctx) {}

//encore:behaviour
func (a *a) Good(cctx **rt.Ctx, _ int) {}
