// Package fixed has what -fix mends.
package fixed

import (
	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/helper"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

func straight(cctx **rt.Ctx, f futures.Future[int]) {
	ctx := *cctx
	f.Get(cctx)
	helper.Leaf(ctx) // want `stale context`
	helper.Leaf(ctx)
}

func initialised(cell **rt.Ctx, f futures.Future[int]) error {
	here := *cell
	if _, err := f.Get(cell); err != nil {
		return err
	}
	helper.Leaf(here) // want `stale context`
	return nil
}

func inside(cctx **rt.Ctx, f futures.Future[int]) int {
	ctx := *cctx
	if _, err := f.Get(cctx); err != nil {
		return helper.Leaf(ctx) // want `stale context`
	}
	return 0
}

func loop(cctx **rt.Ctx, f futures.Future[int]) {
	ctx := *cctx
	for range 3 {
		helper.Leaf(ctx) // want `stale context`
		f.Get(cctx)
	}
}

func cases(cctx **rt.Ctx, n int) {
	ctx := *cctx
	switch n {
	case 1:
		helper.Wait(cctx)
	}
	helper.Leaf(ctx) // want `stale context`
}
