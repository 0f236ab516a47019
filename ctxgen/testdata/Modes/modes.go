// Package modes sends objects to other actors in all ways.
package modes

import (
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

//encore:object
type tree struct {
	left, right *tree
	Size        int
}

//encore:object
type config struct {
	next  *config
	rates gc.Slice[float64]
	Name  int
}

// shape is a value with objects in it, which go the same way.
type shape struct {
	outer, inner *tree
	area         float64
}

//encore:actor
type keeper struct {
	tree   *tree
	config *config
	log    *tree
	shape  shape
}

// Start takes over what it is made with.
//
//encore:new iso=t val=cfg
func (k *keeper) start(cctx **rt.Ctx, t *tree, cfg *config) { k.tree, k.config = t, cfg }

// Mix gets one of each.
//
//encore:behaviour iso=t,s val=cfg copy=log
func (k *keeper) Mix(cctx **rt.Ctx, log *tree, cfg *config, t *tree, s shape, n int) (int, error) {
	k.log, k.config, k.tree, k.shape = log, cfg, t, s
	gc.Collect(cctx)
	return k.log.count() + k.tree.count() + k.shape.outer.count() + k.shape.inner.count() + k.config.rates.Len() + n, nil
}

// Give gets a tree for good.
//
//encore:behaviour	iso=t
func (k *keeper) Give(cctx **rt.Ctx, t *tree) { k.tree = t }

//encore:behaviour val=rates
func (k *keeper) Rates(cctx **rt.Ctx, rates gc.Slice[float64]) float64 { return rates.At(rates.Len() - 1) }

// Config is read by many, and copied for none of them.
//
//encore:behaviour val=return
func (k *keeper) Config(cctx **rt.Ctx) *config { return k.config }

//encore:behaviour val=return,_unused
func (k *keeper) Checked(cctx **rt.Ctx, _unused *tree) (*config, error) { return k.config, nil }

//encore:behaviour
func (k *keeper) Tree(cctx **rt.Ctx) *tree { return k.tree }

func (t *tree) count() int {
	if t == nil {
		return 0
	}
	return 1 + t.left.count() + t.right.count()
}

func grow(ctx *rt.Ctx, depth int) *tree {
	if depth == 0 {
		return nil
	}
	l := grow(ctx, depth-1)
	return newTree(ctx, l, grow(ctx, depth-1), depth)
}

//encore:actor
type maker struct{ kept *config }

// Make sends everything, and answers with what the keeper has counted.
//
//encore:behaviour
func (m *maker) Make(cctx **rt.Ctx, to Keeper, depth int) (int, error) {
	ctx := *cctx
	rates := gc.MakeSlice[float64](ctx, 10)
	rates.Set(9, 0.5)
	m.kept = newConfig(ctx, nil, rates, 1)
	t := gc.Isolate(ctx, func(ctx *rt.Ctx) *tree { return grow(ctx, depth) })
	s := shape{outer: gc.Isolate(ctx, func(ctx *rt.Ctx) *tree { return grow(ctx, 2) }), inner: grow(ctx, 3)}
	return to.AskMix(ctx, grow(ctx, depth), m.kept, t, s, 1000).Get(cctx)
}

// Start makes a keeper that has something from the beginning.
//
//encore:behaviour
func (m *maker) Start(cctx **rt.Ctx) Keeper {
	ctx := *cctx
	m.kept = newConfig(ctx, nil, gc.Slice[float64]{}, 7)
	return NewKeeper(ctx, gc.Isolate(ctx, func(ctx *rt.Ctx) *tree { return grow(ctx, 4) }), m.kept)
}

// Change stores into what was shared.
//
//encore:behaviour
func (m *maker) Change(cctx **rt.Ctx) { m.kept.setNext(*cctx, nil) }

var _ = futures.FailReply
