// Package messages has parameters and results that no message can carry.
package messages

import (
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

//encore:object
type node struct{ next *node }

type holder struct{ n *node }

//encore:actor
type actor struct{}

//encore:new
func (a *actor) init(cctx **rt.Ctx, list []*node) {}

//encore:behaviour
func (a *actor) Take(cctx **rt.Ctx, v node, m map[string]*node, h *holder, c chan *node, good holder, rest ...*node) {
}

//encore:behaviour
func (a *actor) Contexts(cctx **rt.Ctx, c *rt.Ctx, cc **rt.Ctx, _ rt.Ctx, many [65]*node) {}

type request struct {
	next *request
	ctx  *rt.Ctx
}

//encore:behaviour
func (a *actor) Hidden(cctx **rt.Ctx, s []*rt.Ctx, m map[int]**rt.Ctx, v struct{ c []rt.Ctx }, p ***rt.Ctx, q [2]*request,
	f futures.Future[*rt.Ctx], d <-chan request, r *rt.Runtime, g func(**rt.Ctx)) (chan **rt.Ctx, error) {
	return nil, nil
}

//encore:behaviour
func (a *actor) Slice(cctx **rt.Ctx) gc.Slice[int] { return gc.Slice[int]{} }

//encore:behaviour
func (a *actor) Holder(cctx **rt.Ctx) (holder, error) { return holder{}, nil }

//encore:behaviour
func (a *actor) List(cctx **rt.Ctx) []*node { return nil }

//encore:behaviour
func (a *actor) Good(cctx **rt.Ctx) (*node, error) { return nil, nil }
