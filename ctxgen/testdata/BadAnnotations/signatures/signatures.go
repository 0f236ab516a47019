// Package signatures has methods that cannot be behaviours.
package signatures

import (
	"context"

	"github.com/encorert/encorert/rt"
)

//encore:actor
type a struct{}

//encore:behaviour
func (a *a) None() {}

//encore:behaviour
func (a *a) Leaf(ctx *rt.Ctx) {}

//encore:behaviour
func (*a) Go(stdctx context.Context, n int) {}

//encore:behaviour
func (a a) Copy(cctx **rt.Ctx) {}

//encore:behaviour
func (a *a) Two(cctx **rt.Ctx) (int, string) { return 0, "" }

//encore:behaviour
func (a *a) Three(cctx **rt.Ctx) (n, m int, err error) { return }

//encore:behaviour
func (a *a) Order(cctx **rt.Ctx) (error, int) { return nil, 0 }

//encore:new
func (a *a) make(cctx **rt.Ctx) error { return nil }

//encore:new
func (a *a) one(cctx **rt.Ctx) {}

//encore:new
func (a *a) two(cctx **rt.Ctx) {}
