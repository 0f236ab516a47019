// Package arguments has annotations that cannot be read.
package arguments

import "github.com/encorert/encorert/rt"

//encore:object
type node struct{ next *node }

//encore:actor
type actor struct{}

//encore:new val=return
func (a *actor) init(cctx **rt.Ctx, n *node) {}

//encore:behaviour iso
func (a *actor) NoNames(cctx **rt.Ctx, n *node) {}

//encore:behaviour iso=
func (a *actor) Empty(cctx **rt.Ctx, n *node) {}

//encore:behaviour share=n
func (a *actor) Word(cctx **rt.Ctx, n *node) {}

//encore:behaviour iso=n val=n
func (a *actor) Twice(cctx **rt.Ctx, n *node) {}

//encore:behaviour iso=m,n val=_
func (a *actor) Unknown(cctx **rt.Ctx, n, _ *node) {}

//encore:behaviour val=return
func (a *actor) NoResult(cctx **rt.Ctx, n *node) error { return nil }

//encore:behaviour iso=return
func (a *actor) Given(cctx **rt.Ctx) *node { return nil }
