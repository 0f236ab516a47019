// Package context has behaviours that take another context.
package context

import "github.com/encorert/encorert/rt"

type other struct{}

type cell = **rt.Ctx

//encore:actor
type a struct{}

//encore:behaviour
func (a *a) Other(cctx **other) {}

//encore:behaviour
func (a *a) Good(cctx **rt.Ctx) {}
