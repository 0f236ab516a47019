package heaps

import (
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

// churner does churn.
//
//encore:actor
type churner struct {
	window []gc.Slice[byte]
	arrays int
	done   futures.Promise[uint64]
	x      random
	sum    uint64
}

//encore:new
func (c *churner) init(cctx **rt.Ctx, window, arrays int) {
	c.window, c.arrays, c.x = make([]gc.Slice[byte], window), arrays, seed
}

// Start begins the job.
//
//encore:behaviour
func (c *churner) Start(cctx **rt.Ctx, done futures.Promise[uint64]) {
	c.done = done
	ctx := *cctx
	c.Self(ctx).Turn(ctx)
}

// Turn makes the next arrays.
//
//encore:behaviour
func (c *churner) Turn(cctx **rt.Ctx) {
	ctx := *cctx
	for made := 0; made < turnBytes; {
		if c.arrays == 0 {
			// The promise is fulfilled here and nowhere else: no error is possible.
			_ = c.done.Fulfil(ctx, c.sum)
			return
		}
		c.arrays--
		t := turnOf(&c.x, len(c.window))
		if old := c.window[t.place].Data(); old != nil {
			c.sum = weigh(c.sum, uint64(old[t.of(len(old))]))
		}
		fresh := gc.MakeSlice[byte](ctx, t.size)
		copy(fresh.Data(), text)
		c.window[t.place] = fresh
		made += t.size
	}
	c.Self(ctx).Turn(ctx)
}

// turnBytes is how many bytes of arrays a behaviour makes at least.
const turnBytes = 1 << 20
