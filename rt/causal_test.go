package rt_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// causes counts what targets have seen, and says where an effect came before its cause.
type causes struct {
	t      testing.TB
	seen   map[[2]int]int // by source and target
	effect int
}

// cause sends the target what an effect will rely on; effect sends that.
func (c *causes) cause(ctx *rt.Ctx, target *scripted, key [2]int, seq int) {
	target.do(ctx, func(**rt.Ctx) {
		assert.Equal(c.t, c.seen[key], seq, "out of order")
		c.seen[key] = seq + 1
	})
}

func (c *causes) effectOf(ctx *rt.Ctx, target *scripted, key [2]int, seq int) {
	target.do(ctx, func(**rt.Ctx) {
		assert.Greater(c.t, c.seen[key], seq, "an effect came before its cause")
		c.effect++
	})
}

// cast is a number of actors of each kind, who have all run once, somewhere.
func cast(ctx *rt.Ctx, n int) []*scripted {
	all := make([]*scripted, n)
	for i := range all {
		all[i] = spawn(ctx)
		all[i].do(ctx, func(**rt.Ctx) {})
	}
	return all
}

// causality has sources that send to a target and then, by a relay, to the same; waits is what a source and a relay do
// between.
func causality(t testing.TB, r *rt.Runtime, between func(cctx **rt.Ctx, step int)) {
	const sources, relays, targets, steps = 4, 3, 3, 6
	c := &causes{t: t, seen: map[[2]int]int{}}
	relayed := map[[2]int]int{} // what relays have sent of their own to targets
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		from, via, to := cast(ctx, sources), cast(ctx, relays), cast(ctx, targets)
		for s, source := range from {
			var sent [targets]int
			var step func(cctx **rt.Ctx, i int)
			step = func(cctx **rt.Ctx, i int) {
				k, relay := (i*i+s)%targets, via[(i+s)%relays]
				key := [2]int{s, k}
				c.cause(*cctx, to[k], key, sent[k])
				sent[k]++
				if i+1 < steps {
					source.do(*cctx, func(cctx **rt.Ctx) { step(cctx, i+1) })
				}
				between(cctx, i)
				seq := sent[k] - 1 // another step may have run meanwhile
				relay.do(*cctx, func(cctx **rt.Ctx) {
					r := [2]int{-1 - (i+s)%relays, k}
					c.cause(*cctx, to[k], r, relayed[r])
					relayed[r]++
					between(cctx, i+1)
					c.effectOf(*cctx, to[k], key, seq)
				})
			}
			source.do(ctx, func(cctx **rt.Ctx) { step(cctx, 0) })
		}
	}))
	assert.Equal(t, sources*steps, c.effect)
}

func TestSeedsOfCausality(t *testing.T) {
	seeds(t, rt.Config{Batch: 2}, func(t testing.TB, r *rt.Runtime) {
		causality(t, r, func(**rt.Ctx, int) {})
	})
}

// What a behaviour has sent before it waits, and goes on elsewhere, comes before what it sends then.
func TestSeedsOfCausalParks(t *testing.T) {
	for _, migrate := range []bool{false, true} {
		seeds(t, rt.Config{Batch: 3, AlwaysMigrate: migrate}, func(t testing.TB, r *rt.Runtime) {
			var m rt.Mutex
			causality(t, r, func(cctx **rt.Ctx, step int) {
				switch step % 3 {
				case 0:
					assert.NoError(t, rt.Suspend(cctx))
				case 1:
					assert.NoError(t, m.Lock(cctx))
					assert.NoError(t, rt.Blocking(cctx, func() {})) // others want it meanwhile
					m.Unlock(*cctx)
				}
			})
		})
	}
}

// A muted actor goes on at the worker of the one that it was muted on.
func TestSeedsOfCausalMutes(t *testing.T) {
	seeds(t, rt.Config{MailboxLimit: 1, Batch: 3}, func(t testing.TB, r *rt.Runtime) {
		causality(t, r, func(**rt.Ctx, int) {})
	})
}

// Who waits for Do, or for its failure, may send by another one.
func TestCausalDo(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	failure := errors.New("on purpose")
	for _, fails := range []bool{false, true} {
		r, err := rt.New(rt.Config{Workers: 2, OnPanic: func(*rt.PanicError) {}})
		require.NoError(t, err)
		var targets []*scripted
		require.NoError(t, r.Do(t.Context(), func(cctx **rt.Ctx) { targets = cast(*cctx, 3) }))
		stop := keepBusy(t, r, targets)
		for range hammer.Rounds(300, 20_000) {
			heard := make([]int, len(targets)) // one target each
			err := r.Do(t.Context(), func(cctx **rt.Ctx) {
				for k, target := range targets {
					target.do(*cctx, func(**rt.Ctx) { heard[k] = 1 })
				}
				if fails {
					panic(failure)
				}
			})
			assert.Equal(t, fails, errors.Is(err, failure))
			answers := make(chan int, len(targets))
			require.NoError(t, r.Do(t.Context(), func(cctx **rt.Ctx) {
				for k, target := range targets {
					target.do(*cctx, func(**rt.Ctx) { answers <- heard[k] })
				}
			}))
			for range targets {
				require.Equal(t, 1, <-answers, "an effect came before its cause")
			}
		}
		stop()
		require.NoError(t, r.Close())
	}
}

// keepBusy has actors send to themselves until the returned function is called, so that they are never idle, and no worker
// sleeps.
func keepBusy(t *testing.T, r *rt.Runtime, all []*scripted) (stop func()) {
	t.Helper()
	var stopped atomic.Bool
	require.NoError(t, r.Do(t.Context(), func(cctx **rt.Ctx) {
		for _, a := range all {
			var again func(cctx **rt.Ctx)
			again = func(cctx **rt.Ctx) {
				if !stopped.Load() {
					a.do(*cctx, again)
				}
			}
			a.do(*cctx, again)
		}
	}))
	return func() { stopped.Store(true) }
}
