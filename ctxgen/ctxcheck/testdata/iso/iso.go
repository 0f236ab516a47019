// Package iso uses objects after it has given them away.
package iso

import (
	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/helper"
	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/model"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

func used(ctx *rt.Ctx, to model.Keeper) int64 {
	n := model.NewNode(ctx, nil, nil, 1)
	to.Give(ctx, 1, n)
	return n.I // want `n was given away by to.Give \(iso.go:13\), and belongs to the receiver`
}

func notUsed(ctx *rt.Ctx, to model.Keeper) int64 {
	n := model.NewNode(ctx, nil, nil, 1)
	i := n.I
	to.Give(ctx, 1, n)
	n = model.NewNode(ctx, nil, nil, 2)
	to.Keep(ctx, n)
	return i + n.I
}

func asked(ctx *rt.Ctx, to model.Keeper, n *model.Node) {
	to.AskGive(ctx, 1, n)
	n.SetLeft(ctx, nil) // want `n was given away by to.AskGive`
}

func made(ctx *rt.Ctx, n *model.Node) {
	model.NewKeeper(ctx, n)
	n.I++ // want `n was given away by model.NewKeeper`
}

func twice(ctx *rt.Ctx, to model.Keeper, n *model.Node) {
	to.Give(ctx, 1, n)
	to.Give(ctx, 1, n) // want `n was given away by to.Give`
}

func loop(ctx *rt.Ctx, to model.Keeper, n *model.Node) {
	for range 3 {
		to.Give(ctx, 1, n) // want `n was given away by to.Give`
	}
}

func loopOfOthers(ctx *rt.Ctx, to model.Keeper) {
	for i := range int64(3) {
		to.Give(ctx, 1, gc.Isolate(ctx, func(ctx *rt.Ctx) *model.Node { return model.NewNode(ctx, nil, nil, i) }))
	}
}

func oneWay(ctx *rt.Ctx, to model.Keeper, n *model.Node, c bool) int64 {
	if c {
		to.Give(ctx, 1, n)
		return 0
	}
	return n.I
}

func reached(ctx *rt.Ctx, to model.Keeper, n *model.Node) {
	kid, left := n.Kids[0], n.Left()
	other := model.NewNode(ctx, nil, nil, 1)
	to.Give(ctx, 1, n)
	kid.I++  // want `kid was given away by to.Give`
	left.I++ // want `left was given away by to.Give`
	other.I++
}

func captured(ctx *rt.Ctx, to model.Keeper, n *model.Node) {
	give := func() { to.Give(ctx, 1, n) }
	n.I++
	give()
	n.I++ // want `n was given away by to.Give`
}

func framed(cctx **rt.Ctx, to model.Keeper, n *model.Node) {
	frame := gc.Push(*cctx, n)
	helper.Wait(cctx)
	n.I++
	to.Give(*cctx, 1, n)
	helper.Wait(cctx)
	frame.Pop(*cctx)
}
