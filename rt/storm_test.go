package rt_test

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// long is set for runs of hours: stress tests multiply their rounds.
var long = os.Getenv("ENCORERT_LONG") != ""

// TestStorm lets actors do everything at once at random: send, spawn, block, await, suspend, panic, leave by Goexit. All
// that was sent must have run, each actor one behaviour at a time, and the run must end.
func TestStorm(t *testing.T) {
	rounds := 3
	if invariant.Enabled {
		rounds = 1 // every leaf checks its context
	}
	if long {
		rounds = 300
	}
	for round := range rounds {
		for _, n := range workerCounts {
			for _, migrate := range []bool{false, n > 1} {
				name := fmt.Sprintf("round=%d/workers=%d/migrate=%v", round, n, migrate)
				t.Run(name, func(t *testing.T) { storm(t, rt.Config{Workers: n, Batch: 5, AlwaysMigrate: migrate}) })
				t.Run(name+"/limit=2", func(t *testing.T) {
					storm(t, rt.Config{Workers: n, Batch: 5, AlwaysMigrate: migrate, MailboxLimit: 2})
				})
			}
		}
	}
}

type stormActor struct {
	*scripted
	inside atomic.Int32
	opened gate // for those that wait for this actor
}

func storm(t *testing.T, cfg rt.Config) {
	const steps, generations = 12, 4
	var sent, done, broken atomic.Int64
	cfg.OnPanic = func(*rt.PanicError) { broken.Add(1) }
	var act func(a *stormActor, generation int) func(cctx **rt.Ctx)
	born := func(ctx *rt.Ctx) *stormActor { return &stormActor{scripted: spawn(ctx)} }
	send := func(ctx *rt.Ctx, a *stormActor, generation int) {
		sent.Add(1)
		a.do(ctx, act(a, generation))
	}
	act = func(a *stormActor, generation int) func(cctx **rt.Ctx) {
		return func(cctx **rt.Ctx) {
			if !assert.EqualValues(t, 1, a.inside.Add(1), "two behaviours of one actor at once") {
				return
			}
			// Not where it waits with the mailbox open: others come in then.
			open := func(wait func() error) {
				a.inside.Add(-1)
				assert.NoError(t, wait())
				assert.EqualValues(t, 1, a.inside.Add(1))
			}
			for range steps {
				if generation == 0 {
					break
				}
				ctx := *cctx
				assert.Same(t, &a.Actor, ctx.Self())
				switch ctx.Rand() % 8 {
				case 0, 1:
					send(ctx, a, generation-1)
				case 2:
					send(ctx, born(ctx), generation-1)
				case 3:
					open(func() error { return rt.Suspend(cctx) })
				case 4, 5:
					b := born(ctx)
					sent.Add(1)
					b.do(ctx, func(cctx **rt.Ctx) {
						if (*cctx).Rand()%2 == 0 {
							assert.NoError(t, rt.Suspend(cctx))
						}
						b.opened.unlock(*cctx)
						done.Add(1)
					})
					if ctx.Rand()%2 == 0 {
						assert.NoError(t, rt.Block(cctx, &b.opened))
					} else {
						open(func() error { return rt.Await(cctx, &b.opened) })
					}
				case 6:
					if ctx.Rand()%4 == 0 {
						a.inside.Add(-1)
						panic("storm")
					}
				case 7:
					if ctx.Rand()%8 == 0 {
						a.inside.Add(-1)
						runtime.Goexit()
					}
				}
			}
			a.inside.Add(-1)
			done.Add(1)
		}
	}
	r := runtimeOf(t, cfg)
	within(t, func() {
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			for range 8 {
				send(*cctx, born(*cctx), generations)
			}
		}))
	})
	assert.Equal(t, sent.Load(), done.Load()+broken.Load())
	s := r.Stats()
	if cfg.AlwaysMigrate {
		assert.Equal(t, s.Resumes, s.Migrations)
		assert.NotZero(t, s.Migrations)
	}
	within(t, func() { r.Close() })
}
