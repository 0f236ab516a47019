package heaps

import (
	"context"
	"time"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

//encore:object
type object struct {
	n    uint64
	next *object
}

// keeper keeps what it makes.
//
//encore:actor
type keeper struct{ kept *object }

// Make makes an object.
//
//encore:behaviour
func (k *keeper) Make(cctx **rt.Ctx, n uint64, to Counter) {
	ctx := *cctx
	k.kept = newObject(ctx, n, k.kept)
	to.Made(ctx)
}

// Sum adds up what the keeper has.
//
//encore:behaviour
func (k *keeper) Sum(cctx **rt.Ctx, to Counter) {
	for o := k.kept; o != nil; o = o.next {
		to.Add(*cctx, o.n)
	}
}

// counter counts what keepers report.
//
//encore:actor
type counter struct {
	left int // reports to come
	made int
	sum  uint64
	done futures.Promise[uint64]
}

// Expect has done fulfilled, with the sum, after so many reports.
//
//encore:behaviour
func (c *counter) Expect(cctx **rt.Ctx, reports int, done futures.Promise[uint64]) {
	c.left += reports
	c.done = done
	c.look(*cctx)
}

// Made is a report.
//
//encore:behaviour
func (c *counter) Made(cctx **rt.Ctx) {
	c.left--
	c.look(*cctx)
}

// Add is a report of what an object holds.
//
//encore:behaviour
func (c *counter) Add(cctx **rt.Ctx, n uint64) {
	c.left--
	c.sum += n
	c.look(*cctx)
}

func (c *counter) look(ctx *rt.Ctx) {
	if c.left == 0 {
		// Each promise is fulfilled here, once, and nowhere else: no error is possible.
		_ = c.done.Fulfil(ctx, c.sum)
	}
}

func (p params) manyActors(before uint64) (c crowd, err error) {
	n := p.Sizes["actors"]
	r, err := rt.New(rt.Config{Workers: p.Workers})
	if err != nil {
		return crowd{}, err
	}
	defer func() {
		if closed := r.Close(); err == nil {
			err = closed
		}
	}()
	keepers := make([]Keeper, n)
	var to Counter
	ask := func(reports int, each func(ctx *rt.Ctx)) (uint64, error) {
		var answer futures.Future[uint64]
		if err := r.Do(context.Background(), func(cctx **rt.Ctx) {
			ctx := *cctx
			done := futures.NewPromise[uint64](ctx, nil)
			answer = done.Future()
			each(ctx)
			to.Expect(ctx, reports, done)
		}); err != nil {
			return 0, err
		}
		return answer.Wait(context.Background())
	}
	start := time.Now()
	if _, err := ask(n, func(ctx *rt.Ctx) {
		to = NewCounter(ctx)
		for i := range keepers {
			keepers[i] = NewKeeper(ctx)
			keepers[i].Make(ctx, uint64(i), to)
		}
	}); err != nil {
		return crowd{}, err
	}
	c.took = time.Since(start)
	c.goBytes = since(before)
	heaps := r.Stats().Heap
	c.heapBytes = heaps.Used - heaps.Cached
	c.made = int(heaps.Heaps)
	c.sum, err = ask(n, func(ctx *rt.Ctx) {
		for _, k := range keepers {
			k.Sum(ctx, to)
		}
	})
	return c, err
}
