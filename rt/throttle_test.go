package rt_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// How often workers are woken: not for what the waker runs next itself, but for all that others could run.

// wakeUps runs main to its end and returns how often a worker was woken meanwhile, and how often in vain.
func wakeUps(t *testing.T, r *rt.Runtime, main func(cctx **rt.Ctx)) (woken, inVain uint64) {
	t.Helper()
	defer hammer.Watch(t, hammer.Limit)()
	asleep(t, r)
	before := r.Stats()
	require.NoError(t, r.Run(main))
	asleep(t, r)
	after := r.Stats()
	return after.Woken - before.Woken, after.WokeInVain - before.WokeInVain
}

// Two actors take turns. Whoever was woken for a message would come too late, since the sender's worker runs it next: one
// of eight messages could wake somebody without harm to the rate, but it is only the start of the pair that does.
func TestTakingTurnsWakesFew(t *testing.T) {
	messages := hammer.Rounds(40_000, 1_000_000)
	for _, n := range []int{2, 4, 8} {
		handled := 0 // owned by whoever has the turn
		woken, _ := wakeUps(t, runtimeOf(t, rt.Config{Workers: n}), func(cctx **rt.Ctx) {
			pair := [2]*scripted{spawn(*cctx), spawn(*cctx)}
			var hit func(cctx **rt.Ctx)
			hit = func(cctx **rt.Ctx) {
				if handled++; handled < messages {
					pair[handled%2].do(*cctx, hit)
				}
			}
			pair[0].do(*cctx, hit)
		})
		assert.Equal(t, messages, handled)
		assert.LessOrEqual(t, woken, uint64(messages/8), "%d workers", n)
		assert.Less(t, woken, uint64(20), "%d workers", n)
		t.Logf("%d workers: %d woken for %d messages", n, woken, messages)
	}
}

// One actor sends to itself while all other workers sleep. Nobody is woken for it.
func TestSelfSenderWakesNobody(t *testing.T) {
	messages := hammer.Rounds(200_000, 2_000_000)
	for _, n := range []int{2, 4, 8} {
		handled := 0
		woken, _ := wakeUps(t, runtimeOf(t, rt.Config{Workers: n}), func(cctx **rt.Ctx) {
			a := spawn(*cctx)
			var again func(cctx **rt.Ctx)
			again = func(cctx **rt.Ctx) {
				if handled++; handled < messages {
					a.do(*cctx, again)
				}
			}
			a.do(*cctx, again)
		})
		assert.Equal(t, messages, handled)
		assert.Less(t, woken, uint64(20), "%d workers", n)
		t.Logf("%d workers: %d woken", n, woken)
	}
}

// An event for one worker wakes one worker, and that one does not wake another.
func TestOneEventWakesOne(t *testing.T) {
	const events = 500
	for _, n := range []int{2, 4, 8} {
		woken := uint64(0)
		r := runtimeOf(t, rt.Config{Workers: n})
		for range events {
			w, _ := wakeUps(t, r, nothingToDo)
			woken += w
		}
		assert.LessOrEqual(t, woken, uint64(events), "%d workers", n)
	}
}

// One behaviour starts actors that each run until as many of them run at once as there are workers: it only ends if
// every worker is woken, though each is woken by another who found more than one thing to do.
func TestWorkForAllWakesAll(t *testing.T) {
	rounds := hammer.Rounds(100, 10_000)
	for _, n := range []int{2, 4, 8} {
		r := runtimeOf(t, rt.Config{Workers: n})
		for _, actors := range []int{n, 3 * n} {
			for round := range rounds {
				var running, ran atomic.Int64
				var all atomic.Bool
				wakeUps(t, r, func(cctx **rt.Ctx) {
					for range actors {
						spawn(*cctx).do(*cctx, func(**rt.Ctx) {
							if running.Add(1) == int64(n) {
								all.Store(true)
							}
							for !all.Load() {
								runtime.Gosched()
							}
							running.Add(-1)
							ran.Add(1)
						})
					}
				})
				if got := ran.Load(); got != int64(actors) {
					require.EqualValues(t, actors, got, "round %d", round)
				}
			}
		}
	}
}

// A mix of what programs do: events from outside, and for every third of them some actors compute and answer while two
// others take turns. More than half of those who are woken find something to do. It would be far more where a processor is
// free for everybody who is woken; where there is only one, nobody who is woken beside another comes in time.
func TestFewAreWokenInVain(t *testing.T) {
	const answering, turns = 8, 50
	rounds := hammer.Rounds(300, 20_000)
	for _, n := range []int{2, 4} {
		r := runtimeOf(t, rt.Config{Workers: n})
		var handled atomic.Int64
		woken, inVain := uint64(0), uint64(0)
		for round := range 3 * rounds {
			w, v := wakeUps(t, r, func(cctx **rt.Ctx) {
				if round%3 != 0 {
					return
				}
				asker := spawn(*cctx)
				for range answering {
					spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
						compute(50_000)
						asker.do(*cctx, func(**rt.Ctx) { handled.Add(1) })
					})
				}
				pair := [2]*scripted{spawn(*cctx), spawn(*cctx)}
				var hit func(ctx *rt.Ctx, left int)
				hit = func(ctx *rt.Ctx, left int) {
					pair[left%2].do(ctx, func(cctx **rt.Ctx) {
						if handled.Add(1); left > 1 {
							hit(*cctx, left-1)
						}
					})
				}
				hit(*cctx, turns)
			})
			woken += w
			inVain += v
		}
		assert.EqualValues(t, rounds*(answering+turns), handled.Load())
		assert.Less(t, 2*inVain, woken, "%d workers", n)
		t.Logf("%d workers: %d woken, %d in vain", n, woken, inVain)
	}
}

// compute takes about a nanosecond per step.
func compute(steps uint64) {
	x := steps
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	computed.Store(x)
}

var computed atomic.Uint64

// A worker that finds nothing looks at every other worker in each of exactly as many rounds as are set, and then sleeps.
// Rounds are what there is to set: no time is involved in going to sleep.
func TestSearchGoesAsManyRoundsAsAreSet(t *testing.T) {
	const events = 200
	for _, n := range []int{2, 4} {
		r := runtimeOf(t, rt.Config{Workers: n})
		for _, rounds := range []int{1, 4, 9} {
			asleep(t, r)
			r.SetSearchRounds(rounds)
			before := r.Stats()
			for range events {
				require.NoError(t, r.Do(background, nothingToDo))
				asleep(t, r)
			}
			after := r.Stats()
			assert.EqualValues(t, events*rounds*(n-1), after.Steals-before.Steals, "%d workers, %d rounds", n, rounds)
			assert.LessOrEqual(t, after.Sleeps-before.Sleeps, uint64(events))
		}
	}
}
