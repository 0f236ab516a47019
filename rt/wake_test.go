package rt_test

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// Items from several goroutines outside, with gaps in which workers fall asleep: each is run, once.
func TestNoWakeUpIsLost(t *testing.T) {
	const outside = 3
	rounds := hammer.Rounds(3_000, 300_000)
	for _, n := range []int{1, 2, 4} {
		r := runtimeOf(t, rt.Config{Workers: n})
		var handled atomic.Int64
		var randoms [outside]*rand.Rand
		for g := range randoms {
			randoms[g] = rand.New(rand.NewPCG(uint64(n), uint64(g)))
		}
		hammer.Run(t, outside, rounds, func(g, _ int) {
			if err := r.Do(background, func(**rt.Ctx) { handled.Add(1) }); err != nil {
				t.Error(err)
			}
			for range randoms[g].IntN(20) {
				runtime.Gosched()
			}
		})
		assert.EqualValues(t, outside*rounds, handled.Load())
		assert.NotZero(t, r.Stats().Sleeps, "the workers never slept: nothing was tested")
	}
}

// asleep waits until every worker sleeps and nobody searches.
func asleep(t *testing.T, r *rt.Runtime) {
	t.Helper()
	within(t, func() {
		for {
			if sleeping, searching := r.LotCounts(); sleeping == r.Workers() && searching == 0 {
				return
			}
			runtime.Gosched()
		}
	})
}

// After many cycles of sleep and wake an idle runtime does nothing at all: its counters stand still.
func TestIdleRuntimeIsIdle(t *testing.T) {
	rounds := hammer.Rounds(3_000, 10_000)
	for _, n := range []int{1, 2, 4} {
		r := runtimeOf(t, rt.Config{Workers: n})
		for round := range rounds {
			require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
				if round%3 == 0 {
					for range 4 { // work for others
						spawn(*cctx).do(*cctx, nothingToDo)
					}
				}
			}))
		}
		asleep(t, r)
		var before rt.Stats
		require.Eventually(t, func() bool { // a worker that is announced may still be at its last look
			last := before
			before = r.Stats()
			return assert.ObjectsAreEqual(last, before)
		}, 30*time.Second, 10*time.Millisecond)
		for range 5 {
			time.Sleep(10 * time.Millisecond)
			require.Equal(t, before, r.Stats())
			sleeping, searching := r.LotCounts()
			require.Equal(t, n, sleeping)
			require.Zero(t, searching)
		}
		require.NoError(t, r.Do(background, nothingToDo), "and still wakes")
	}
}

func nothingToDo(**rt.Ctx) {}

// Reading the counters wakes and stops nobody, and loses nothing.
func TestStatsWhileAllSleep(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2})
	for range 200 {
		asleep(t, r)
		for range 5 {
			_ = r.Stats().String()
			r.Muted()
			r.Stuck()
		}
		sleeping, searching := r.LotCounts()
		require.Equal(t, 2, sleeping)
		require.Zero(t, searching)
		within(t, func() { require.NoError(t, r.Do(background, nothingToDo)) })
	}
}

// An actor that blocks again and again is sent to by all workers meanwhile, and its wait ends on any of them: whoever
// owns it, no sender may take its local part for its own.
func TestSendsToAnActorThatBlocks(t *testing.T) {
	const blockers, senders, sends = 4, 4, 30
	runs := hammer.Rounds(60, 3_000)
	for range runs {
		var got [blockers]int // owned by the actor
		require.NoError(t, run(t, rt.Config{Workers: 2, Batch: 3}, func(cctx **rt.Ctx) {
			var gates [blockers][sends]gate
			var blocking [blockers]*scripted
			for i := range blocking {
				blocking[i] = spawn(*cctx)
			}
			for range senders {
				sender := spawn(*cctx)
				for k := range sends {
					sender.do(*cctx, func(cctx **rt.Ctx) {
						for i, b := range blocking {
							b.do(*cctx, func(cctx **rt.Ctx) {
								got[i]++
								rt.Block(cctx, &gates[i][k])
							})
							gates[i][k].unlock(*cctx)
							b.do(*cctx, func(**rt.Ctx) { got[i]++ })
						}
					})
				}
			}
		}))
		for i := range got {
			assert.Equal(t, 2*senders*sends, got[i])
		}
	}
}

// The worker on which an actor has blocked sends to it while another ends the wait: the actor is not the sender's any
// more. -race sees a sender that touches the local part all the same.
func TestSenderMeetsTheEndOfTheWait(t *testing.T) {
	rounds := hammer.Rounds(300, 30_000)
	defer hammer.Watch(t, hammer.Limit)()
	r := runtimeOf(t, rt.Config{Workers: 2})
	for range rounds {
		g := new(gate)
		handled := 0
		var a *scripted
		var on int
		require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
			a = spawn(*cctx)
			a.do(*cctx, func(cctx **rt.Ctx) {
				on = (*cctx).Worker()
				rt.Block(cctx, g)
				handled++
			})
		}))
		for !g.waited() {
			runtime.Gosched()
		}
		ended := make(chan struct{})
		sent := r.Pin(on, func(cctx **rt.Ctx) {
			for k := range 3 {
				a.do(*cctx, func(**rt.Ctx) {
					if handled++; k == 2 {
						close(ended)
					}
				})
			}
		})
		opened := r.Pin(1-on, func(cctx **rt.Ctx) { g.unlock(*cctx) })
		require.NoError(t, <-sent)
		require.NoError(t, <-opened)
		<-ended
		if handled != 4 {
			require.Equal(t, 4, handled)
		}
	}
}

func (g *gate) waited() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiters != nil
}
