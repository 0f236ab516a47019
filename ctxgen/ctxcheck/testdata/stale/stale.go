// Package stale uses contexts after calls that may have switched.
package stale

import (
	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/helper"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

func straight(cctx **rt.Ctx, f futures.Future[int]) {
	ctx := *cctx
	f.Get(cctx)
	helper.Leaf(ctx) // want `stale context: ctx was taken at stale.go:11, before f.Get \(stale.go:12\), which may switch threads or collect; load it again after that: ctx = \*cctx`
	helper.Leaf(ctx) // said once
}

func reloaded(cctx **rt.Ctx, f futures.Future[int]) {
	ctx := *cctx
	f.Get(cctx)
	ctx = *cctx
	helper.Leaf(ctx)
	helper.Leaf(*cctx)
	f.Get(cctx)
}

func branch(cctx **rt.Ctx, f futures.Future[int], c bool) {
	ctx := *cctx
	if c {
		f.Await(cctx)
	}
	helper.Leaf(ctx) // want `stale context: ctx .*before f.Await`
}

func branchReloaded(cctx **rt.Ctx, f futures.Future[int], c bool) {
	ctx := *cctx
	if c {
		f.Await(cctx)
		ctx = *cctx
	}
	helper.Leaf(ctx)
}

func branchReturned(cctx **rt.Ctx, f futures.Future[int], c bool) {
	ctx := *cctx
	if c {
		f.Await(cctx)
		return
	}
	helper.Leaf(ctx)
}

func loop(cctx **rt.Ctx, f futures.Future[int]) {
	ctx := *cctx
	for range 3 {
		helper.Leaf(ctx) // want `stale context: ctx .*before f.Get`
		f.Get(cctx)
	}
}

func loopReloaded(cctx **rt.Ctx, f futures.Future[int]) {
	ctx := *cctx
	for range 3 {
		helper.Leaf(ctx)
		f.Get(cctx)
		ctx = *cctx
	}
	helper.Leaf(ctx)
}

func loopContinue(cctx **rt.Ctx, f futures.Future[int]) {
	ctx := *cctx
	for i := range 3 {
		helper.Leaf(ctx) // want `stale context`
		if _, err := f.Get(cctx); err != nil && i > 1 {
			continue
		}
		ctx = *cctx
	}
}

func merged(cctx **rt.Ctx, f futures.Future[int], c bool) {
	ctx := *cctx
	other := ctx
	f.Get(cctx)
	if c {
		other = *cctx
	}
	helper.Leaf(other) // want `stale context: other`
}

func otherPackage(cctx **rt.Ctx) {
	ctx := *cctx
	helper.Wait(cctx)
	helper.Leaf(ctx) // want `before helper.Wait`
}

func throughInterface(cctx **rt.Ctx, w helper.Waiter) error {
	ctx := *cctx
	err := w.Wait(cctx)
	helper.Leaf(ctx) // want `before w.Wait`
	return err
}

func throughValue(cctx **rt.Ctx, f func(**rt.Ctx) int) {
	ctx := *cctx
	f(cctx)
	helper.Leaf(ctx) // want `before f \(`
}

func throughMethodValue(cctx **rt.Ctx, w helper.Waiter) {
	ctx := *cctx
	wait := w.Wait
	helper.Leaf(ctx)
	wait(cctx)
	helper.Leaf(ctx) // want `before wait`
}

func throughGeneric(cctx **rt.Ctx) {
	ctx := *cctx
	helper.Apply(cctx, helper.Wait)
	helper.Leaf(ctx) // want `before helper.Apply`
}

func generic[T any](cctx **rt.Ctx, f futures.Future[T]) (T, error) {
	ctx := *cctx
	v, err := f.Get(cctx)
	helper.Leaf(ctx) // want `before f.Get`
	return v, err
}

func recursive(cctx **rt.Ctx, depth int) {
	ctx := *cctx
	if depth > 0 {
		recursive(cctx, depth-1)
		helper.Leaf(ctx) // want `before recursive`
	}
}

func parameter(ctx *rt.Ctx, cctx **rt.Ctx) int {
	helper.Wait(cctx)
	return helper.Leaf(ctx) // want `ctx was taken as a parameter`
}

func throughHelpers(cctx **rt.Ctx, f futures.Future[int]) {
	ctx := helper.Current(cctx)
	helper.Leaf(ctx)
	same := helper.Same(ctx)
	f.Get(cctx)
	helper.Leaf(same) // want `stale context: same was taken at stale.go:147`
	again := helper.Current(cctx)
	helper.Leaf(again)
}

func returned(cctx **rt.Ctx) *rt.Ctx {
	ctx := *cctx
	helper.Wait(cctx)
	return ctx // want `stale context: ctx`
}

func fieldsOfIt(cctx **rt.Ctx) int {
	ctx := *cctx
	helper.Wait(cctx)
	return ctx.Worker() // want `stale context: ctx`
}

func inOneExpression(cctx **rt.Ctx) int {
	ctx := *cctx
	return helper.Wait(cctx) + helper.Leaf(ctx) // want `stale context: ctx`
}

func argument(cctx **rt.Ctx, f futures.Future[int]) {
	ctx := *cctx
	use(ctx, helper.Wait(cctx)) // want `stale context: ctx`
}

func argumentFresh(cctx **rt.Ctx, f futures.Future[int]) {
	n := helper.Wait(cctx)
	use(*cctx, n)
}

func use(ctx *rt.Ctx, n int) int { return ctx.Worker() + n }

func field(cctx **rt.Ctx) {
	w := helper.With{Ctx: *cctx, N: 1}
	w.Leaf()
	helper.Wait(cctx)
	w.Leaf() // want `stale context`
	w.Ctx = *cctx
	w.Leaf()
	w.N = 2
}

func fieldOfPointer(cctx **rt.Ctx, w *helper.With) {
	w.Leaf()
	helper.Wait(cctx)
	helper.Leaf(w.Ctx) // want `stale context: w.Ctx`
	w.Ctx = *cctx
	helper.Leaf(w.Ctx)
}

func wholeStruct(cctx **rt.Ctx) helper.With {
	w := helper.With{Ctx: *cctx}
	helper.Wait(cctx)
	return w // want `stale context: w`
}

func deferred(cctx **rt.Ctx, f futures.Future[int]) {
	ctx := *cctx
	defer helper.Leaf(ctx) // want `ctx is taken when the call is deferred, and used after f.Get`
	f.Get(cctx)
}

func deferredWithoutSwitch(cctx **rt.Ctx, f futures.Future[int]) {
	f.Get(cctx)
	ctx := *cctx
	defer helper.Leaf(ctx)
	helper.Leaf(ctx)
}

func deferredLiteral(cctx **rt.Ctx, f futures.Future[int]) {
	ctx := *cctx
	defer func() {
		helper.Leaf(ctx) // want `stale context: ctx`
	}()
	f.Get(cctx)
	ctx = *cctx // not on the way out of a panic
}

func deferredLiteralFresh(cctx **rt.Ctx, f futures.Future[int]) {
	ctx := *cctx
	defer func() {
		helper.Leaf(*cctx)
		ctx = *cctx
		helper.Leaf(ctx)
	}()
	f.Get(cctx)
}

func deferredSwitch(cctx **rt.Ctx) {
	ctx := *cctx
	defer helper.Leaf(ctx) // want `used after the deferred helper.Wait`
	defer helper.Wait(cctx)
}

func literal(cctx **rt.Ctx) {
	ctx := *cctx
	wait := func() { helper.Wait(cctx) }
	helper.Leaf(ctx)
	wait()
	helper.Leaf(ctx) // want `before helper.Wait`
}

func literalReloads(cctx **rt.Ctx) {
	ctx := *cctx
	wait := func() {
		helper.Wait(cctx)
		ctx = *cctx
	}
	wait()
	helper.Leaf(ctx)
}

func literalUses(cctx **rt.Ctx) {
	ctx := *cctx
	use := func() { helper.Leaf(ctx) } // want `stale context: ctx`
	use()
	helper.Wait(cctx)
	use()
}

func literalGiven(cctx **rt.Ctx) {
	ctx := *cctx
	helper.EachWith(cctx, func(int) {
		helper.Leaf(ctx) // want `stale context: ctx`
	})
}

func literalGivenFresh(cctx **rt.Ctx) {
	ctx := *cctx
	helper.EachWith(cctx, func(int) {
		helper.Leaf(*cctx)
	})
	ctx = *cctx
	helper.Each(func(int) bool { return helper.Leaf(ctx) > 0 })
	helper.Leaf(ctx)
}

func literalGivenAndSwitching(cctx **rt.Ctx) {
	ctx := *cctx
	helper.Each(func(int) bool {
		helper.Leaf(ctx) // want `stale context: ctx`
		return helper.Wait(cctx) > 0
	})
	helper.Leaf(*cctx)
}

func overFunction(cctx **rt.Ctx) {
	ctx := *cctx
	for i := range helper.Numbers(10) {
		helper.Leaf(ctx) // want `stale context: ctx`
		if i > 2 {
			helper.Wait(cctx)
		}
	}
}

func overFunctionAfter(cctx **rt.Ctx) {
	ctx := *cctx
	for range helper.Numbers(10) {
		helper.Wait(cctx)
	}
	helper.Leaf(ctx) // want `stale context: ctx`
}

func overFunctionReloaded(cctx **rt.Ctx) int {
	ctx := *cctx
	for i := range helper.Numbers(10) {
		helper.Leaf(ctx)
		helper.Wait(cctx)
		ctx = *cctx
		if i > 5 {
			return helper.Leaf(ctx)
		}
	}
	return helper.Leaf(ctx)
}

func overFunctionReturns(cctx **rt.Ctx) int {
	ctx := *cctx
	for i := range helper.Numbers(10) {
		for range helper.Numbers(i) {
			if i > 2 {
				return helper.Wait(cctx)
			}
			helper.Leaf(ctx)
		}
	}
	return helper.Leaf(ctx)
}

func overFunctionBreaks(cctx **rt.Ctx) int {
	ctx := *cctx
	for i := range helper.Numbers(10) {
		if i > 2 {
			helper.Wait(cctx)
			break
		}
	}
	return helper.Leaf(ctx) // want `stale context`
}

func deferredInLoop(cctx **rt.Ctx) {
	ctx := *cctx
	for range helper.Numbers(10) {
		defer helper.Leaf(ctx) // want `ctx is taken when the call is deferred`
	}
	helper.Wait(cctx)
}

func deferredBetween(cctx **rt.Ctx) {
	helper.Wait(cctx)
	ctx := *cctx
	defer func() { helper.Leaf(ctx) }()
	helper.Leaf(ctx)
}

func nested(cctx **rt.Ctx) {
	ctx := *cctx
	func() {
		func() { helper.Wait(cctx) }()
		helper.Leaf(ctx) // want `stale context: ctx`
	}()
}

func recursiveLiteral(cctx **rt.Ctx) {
	ctx := *cctx
	var walk func(int)
	walk = func(n int) {
		if n > 0 {
			walk(n - 1)
			helper.Wait(cctx)
		}
	}
	walk(3)
	helper.Leaf(ctx) // want `stale context: ctx`
}

func recursiveLeaf(ctx *rt.Ctx) {
	var walk func(int)
	walk = func(n int) {
		if n > 0 {
			walk(n - 1)
			helper.Leaf(ctx)
		}
	}
	walk(3)
}

func ownCell(cctx **rt.Ctx) {
	ctx := *cctx
	other := cctx
	helper.Wait(other)
	helper.Leaf(ctx) // want `before helper.Wait`
}

func selected(cctx **rt.Ctx, c chan int) {
	ctx := *cctx
	select {
	case <-c:
		helper.Wait(cctx)
	default:
	}
	helper.Leaf(ctx) // want `stale context`
}

func switched(cctx **rt.Ctx, n int) {
	ctx := *cctx
	switch n {
	case 1:
		helper.Wait(cctx)
		fallthrough
	case 2:
		helper.Leaf(ctx) // want `stale context`
	case 3:
		helper.Leaf(ctx)
	}
}

func jumped(cctx **rt.Ctx, n int) {
	ctx := *cctx
again:
	helper.Leaf(ctx) // want `stale context`
	helper.Wait(cctx)
	if n--; n > 0 {
		goto again
	}
}

func unreachable(cctx **rt.Ctx) {
	ctx := *cctx
	helper.Wait(cctx)
	panic("no")
	helper.Leaf(ctx)
}

func allowed(cctx **rt.Ctx) {
	ctx := *cctx
	helper.Wait(cctx)
	helper.Leaf(ctx) //ctxcheck:ignore what follows shows that it is stale
	//ctxcheck:ignore there is nothing // want `nothing is reported here`
	helper.Leaf(*cctx)
}
