package rt_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// loop has an actor send to itself until step returns false, so that its worker is never idle.
func loop(ctx *rt.Ctx, step func(cctx **rt.Ctx) bool) {
	a := spawn(ctx)
	var again func(cctx **rt.Ctx)
	again = func(cctx **rt.Ctx) {
		if step(cctx) {
			a.do(*cctx, again)
		}
	}
	a.do(ctx, again)
}

// both has the two workers of a runtime, which has no spares, begin f and g each, while neither is idle.
func both(t *testing.T, r *rt.Runtime, f, g func(cctx **rt.Ctx)) {
	t.Helper()
	var begun, busy atomic.Int32
	together := func(f func(cctx **rt.Ctx)) func(cctx **rt.Ctx) {
		return func(cctx **rt.Ctx) {
			for begun.Add(1); begun.Load() < 2; {
				runtime.Gosched()
			}
			for sleeping, searching := r.LotCounts(); sleeping+searching > 0; sleeping, searching = r.LotCounts() {
				runtime.Gosched()
			}
			for busy.Add(1); busy.Load() < 2; { // or one would have ended, and sleep, before the other has looked
				runtime.Gosched()
			}
			f(cctx)
		}
	}
	first, second := r.Pin(0, together(f)), r.Pin(1, together(g))
	ends(t, first)
	ends(t, second)
}

// soon fails if c is not closed: what would close it is lost.
func soon(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(10 * time.Second):
		require.FailNow(t, what)
	}
}

func TestRestingActorHearsItsOwnWorker(t *testing.T) {
	for _, limit := range []int{0, 1} {
		r := runtimeOf(t, rt.Config{Workers: 1, MailboxLimit: limit})
		handled, asked := 0, false
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			a, b := spawn(*cctx), spawn(*cctx)
			a.do(*cctx, func(**rt.Ctx) { handled++ })
			b.do(*cctx, func(cctx **rt.Ctx) {
				asked = rt.RestsHere(*cctx, &a.Actor)
				for range 3 {
					a.do(*cctx, func(**rt.Ctx) { handled++ })
				}
				assert.False(t, rt.RestsHere(*cctx, &a.Actor))
			})
		}))
		assert.True(t, asked, "nobody was idle, and it did not rest")
		assert.Equal(t, 4, handled)
	}
}

// More actors than may rest at one worker, and the end of a run is noticed each time.
func TestRingOfRestingActors(t *testing.T) {
	const n, laps = 3 * rt.RestMost, 4
	for _, workers := range workerCounts {
		for _, limit := range []int{0, 1} {
			r := runtimeOf(t, rt.Config{Workers: workers, MailboxLimit: limit})
			var ring []*scripted
			for range 3 {
				hops, most := 0, 0
				within(t, func() {
					require.NoError(t, r.Run(func(cctx **rt.Ctx) {
						for len(ring) < n {
							ring = append(ring, spawn(*cctx))
						}
						var hop func(cctx **rt.Ctx)
						hop = func(cctx **rt.Ctx) {
							hops++
							most = max(most, rt.Resting(*cctx))
							if hops < n*laps {
								ring[hops%n].do(*cctx, hop)
							}
						}
						ring[0].do(*cctx, hop)
					}))
				})
				assert.Equal(t, n*laps, hops)
				if workers == 1 {
					assert.Equal(t, rt.RestMost, most)
				}
			}
		}
	}
}

// A busy worker looks at those that rest every so many turns: it need not become idle, nor need the monitor ask.
func TestRestingActorHearsOtherWorkers(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	const rounds = 50
	const most = 2*61 + 2 // turns
	r := runtimeOf(t, rt.Config{Workers: 2, Spares: -1, Batch: 1})
	var receiver *scripted
	var round, sent, handled atomic.Int64 // the numbers of rounds that have begun, whose message was handed over and handled
	over := make(chan struct{})
	worst := 0
	both(t, r, func(cctx **rt.Ctx) {
		receiver = spawn(*cctx)
		receiver.do(*cctx, func(**rt.Ctx) {})
		turns := -1    // since the worker saw that a resting actor has a message; below 0: it has not
		elsewhere := 0 // turns
		loop(*cctx, func(cctx **rt.Ctx) bool {
			switch now := round.Load(); {
			case handled.Load() == now:
				if turns = -1; now == rounds {
					close(over)
					return false
				}
				if rt.RestsHere(*cctx, &receiver.Actor) {
					elsewhere = 0
					round.Add(1)
					return true
				}
				if elsewhere++; elsewhere%1000 == 0 {
					receiver = spawn(*cctx) // the other one may have come to stay there
				}
				receiver.do(*cctx, func(**rt.Ctx) {}) // it rests again after this, here or elsewhere
			case turns >= 0:
				turns++
				worst = max(worst, turns)
			case sent.Load() == now && rt.RestsHere(*cctx, &receiver.Actor):
				turns = 0
			}
			return true
		})
	}, func(cctx **rt.Ctx) {
		loop(*cctx, func(cctx **rt.Ctx) bool {
			if now := round.Load(); now > sent.Load() {
				receiver.do(*cctx, func(**rt.Ctx) { handled.Store(now) })
				rt.Flush(*cctx)
				sent.Store(now)
			}
			return handled.Load() < rounds
		})
	})
	soon(t, over, "a message to a resting actor is lost")
	assert.LessOrEqual(t, worst, most)
}

// While somebody sleeps nobody rests: the other worker may be the one to run it.
func TestNobodyRestsBesideTheIdle(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2, Spares: -1})
	seen, rested := 0, 0
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		a, b := spawn(*cctx), spawn(*cctx)
		for sleeping, _ := r.LotCounts(); sleeping == 0; sleeping, _ = r.LotCounts() {
			runtime.Gosched()
		}
		before, left := false, 2000
		var hit func(cctx **rt.Ctx)
		hit = func(cctx **rt.Ctx) {
			sleeping, _ := r.LotCounts()
			if sleeping > 0 && before {
				seen++
				if rt.Resting(*cctx) > 0 {
					rested++
				}
			}
			before = sleeping > 0
			if a, b = b, a; left > 0 {
				left--
				a.do(*cctx, hit)
			}
		}
		a.do(*cctx, hit)
	}))
	assert.NotZero(t, seen)
	assert.LessOrEqual(t, rested, seen/100, "of %d", seen)
}

// An actor that rested is anybody's when its worker sleeps.
func TestReleasedBeforeSleep(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2, Spares: -1})
	for range 20 {
		var a *scripted
		ran, handled := make(chan struct{}), make(chan struct{})
		both(t, r, func(cctx **rt.Ctx) {
			a = spawn(*cctx)
			a.do(*cctx, func(**rt.Ctx) { close(ran) })
		}, func(cctx **rt.Ctx) {
			<-ran
			for sleeping, _ := r.LotCounts(); sleeping == 0; sleeping, _ = r.LotCounts() {
				runtime.Gosched()
			}
			a.do(*cctx, func(**rt.Ctx) { close(handled) })
		})
		soon(t, handled, "an actor rests at a worker that sleeps")
	}
}

// When the monitor asks, all are released, since the next message may take for ever.
func TestReleasedWhenAsked(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 1})
	over := make(chan struct{})
	var stop atomic.Bool
	defer stop.Store(true)
	ends(t, r.Inject(func(cctx **rt.Ctx) {
		a := spawn(*cctx)
		a.do(*cctx, func(**rt.Ctx) {})
		rested := false
		loop(*cctx, func(cctx **rt.Ctx) bool {
			rests := rt.RestsHere(*cctx, &a.Actor)
			if rested && !rests {
				close(over)
				return false
			}
			rested = rests
			return !stop.Load()
		})
	}))
	soon(t, over, "it rests on")
}

// What rests at a spare is anybody's when the spare has left.
func TestReleasedWhenSpareLeaves(t *testing.T) {
	for range 3 {
		r := runtimeOf(t, rt.Config{Workers: 1})
		over := make(chan struct{})
		first := r.Inject(func(cctx **rt.Ctx) {
			<-over
			loop(*cctx, func(**rt.Ctx) bool { // not idle before the spare has left
				_, _, retired, _ := r.Posts()
				return retired == 0
			})
		})
		stuckSoon(t, r, 1)
		var a *scripted
		ran, handled := make(chan struct{}), make(chan struct{})
		ends(t, r.Inject(func(cctx **rt.Ctx) { // on the spare, while nobody is idle
			a = spawn(*cctx)
			a.do(*cctx, func(**rt.Ctx) {
				close(over)
				for r.Stats().Stuck > 0 { // after that the spare is to go
					runtime.Gosched()
				}
				close(ran)
			})
		}))
		ends(t, first)
		soon(t, ran, "the spare does not run")
		atRest(t, r)
		ends(t, r.Inject(func(cctx **rt.Ctx) { a.do(*cctx, func(**rt.Ctx) { close(handled) }) }))
		soon(t, handled, "an actor rests at a spare that left")
	}
}

// A worker keeps no actor that rested.
func TestRestedActorIsCollected(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 1})
	const n = 2 * rt.RestMost
	var collected atomic.Int32
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		for range n {
			a := spawn(*cctx)
			runtime.AddCleanup(a, func(c *atomic.Int32) { c.Add(1) }, &collected)
			a.do(*cctx, func(**rt.Ctx) {})
		}
	}))
	// Queues and strands may keep a few of the last.
	require.Eventually(t, func() bool {
		runtime.GC()
		return collected.Load() >= n-rt.RestMost/4
	}, 10*time.Second, time.Millisecond)
}
