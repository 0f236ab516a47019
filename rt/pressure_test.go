package rt_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

var (
	freeType  = rt.ActorType{Name: "test.free", MailboxLimit: -1}
	tightType = rt.ActorType{Name: "test.tight", MailboxLimit: 2}
)

// noneMuted checks that all that was held back went on.
func noneMuted(t *testing.T, r *rt.Runtime) rt.Stats {
	t.Helper()
	assert.Empty(t, r.Muted())
	s := r.Stats()
	assert.Equal(t, s.Mutes, s.UnmutedDrained+s.UnmutedBlocked+s.UnmutedAtOnce, "%+v", s)
	return s
}

// counted is an actor that knows how many of its messages wait.
type counted struct {
	*scripted
	waiting, most atomic.Int64
}

func (c *counted) do(ctx *rt.Ctx, f func(cctx **rt.Ctx)) {
	n := c.waiting.Add(1)
	for m := c.most.Load(); n > m && !c.most.CompareAndSwap(m, n); m = c.most.Load() {
	}
	c.scripted.do(ctx, func(cctx **rt.Ctx) {
		c.waiting.Add(-1)
		f(cctx)
	})
}

// Producers are faster than the consumer, since each of their behaviours sends several messages. On one worker (and no spare), what
// waits is exactly bounded; on more, nothing is lost.
func TestFanInStaysBounded(t *testing.T) {
	const producers, each, rounds = 8, 3, 400
	for _, n := range workerCounts {
		for _, limit := range []int{1, 7, 64, 1000} {
			r := runtimeOf(t, rt.Config{Workers: n, Spares: -1, MailboxLimit: limit})
			handled := 0
			var consumer *counted
			within(t, func() {
				require.NoError(t, r.Run(func(cctx **rt.Ctx) {
					consumer = &counted{scripted: spawn(*cctx)}
					for range producers {
						p := spawn(*cctx)
						var produce func(left int) func(cctx **rt.Ctx)
						produce = func(left int) func(cctx **rt.Ctx) {
							return func(cctx **rt.Ctx) {
								for range each {
									consumer.do(*cctx, func(**rt.Ctx) { handled++ })
								}
								if left > 1 {
									p.do(*cctx, produce(left-1))
								}
							}
						}
						p.do(*cctx, produce(rounds))
					}
				}))
			})
			assert.Equal(t, producers*each*rounds, handled)
			s := noneMuted(t, r)
			if n == 1 {
				assert.NotZero(t, s.Mutes)
				assert.LessOrEqual(t, consumer.most.Load(), int64(limit+producers*each), "limit %d", limit)
			}
		}
	}
}

// Who has sent to an overloaded actor begins no further behaviour before that one has been relieved, on any number of
// workers.
func TestSenderWaitsForTheReceiver(t *testing.T) {
	const producers, each = 5, 4
	rounds := hammer.Rounds(400, 100_000)
	for _, n := range []int{1, 2, 4} {
		r := runtimeOf(t, rt.Config{Workers: n, Spares: -1, Batch: 7})
		handled := 0
		within(t, func() {
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				consumer := new(scripted)
				rt.Spawn(*cctx, &consumer.Actor, &tightType) // and the producers have no limit
				for range producers {
					p := spawn(*cctx)
					heldBack, since := false, uint64(0)
					var produce func(left int) func(cctx **rt.Ctx)
					produce = func(left int) func(cctx **rt.Ctx) {
						return func(cctx **rt.Ctx) {
							before, pressed := rt.PressureOf(&consumer.Actor)
							if pressed && heldBack && before == since {
								t.Error("a behaviour ran while its actor was to be held back")
							}
							for range each {
								consumer.do(*cctx, func(**rt.Ctx) { handled++ })
							}
							after, still := rt.PressureOf(&consumer.Actor)
							heldBack, since = pressed && still && before == after, after
							if left > 1 {
								p.do(*cctx, produce(left-1))
							}
						}
					}
					p.do(*cctx, produce(rounds))
				}
			}))
		})
		assert.Equal(t, producers*each*rounds, handled)
		noneMuted(t, r)
	}
}

// The last stage of a pipeline is slow, and the pressure reaches the source: no stage has more waiting than the limits
// before it allow. (A stage that is overloaded hands on what it has: it is not muted.)
func TestPressureReachesTheSource(t *testing.T) {
	const stages, limit, messages = 4, 20, 5_000
	for _, n := range workerCounts {
		r := runtimeOf(t, rt.Config{Workers: n, Spares: -1, MailboxLimit: limit, Batch: 10})
		var line [stages]*counted
		handled := 0
		within(t, func() {
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				for i := range line {
					line[i] = &counted{scripted: spawn(*cctx)}
				}
				source := spawn(*cctx)
				var pass func(ctx *rt.Ctx, stage int)
				pass = func(ctx *rt.Ctx, stage int) {
					line[stage].do(ctx, func(cctx **rt.Ctx) {
						if stage+1 < stages {
							pass(*cctx, stage+1)
							return
						}
						handled++
						if handled%4 == 0 {
							rt.Suspend(cctx) // its turn is over early
						}
					})
				}
				var feed func(left int) func(cctx **rt.Ctx)
				feed = func(left int) func(cctx **rt.Ctx) {
					return func(cctx **rt.Ctx) {
						pass(*cctx, 0)
						if left > 1 {
							source.do(*cctx, feed(left-1))
						}
					}
				}
				source.do(*cctx, feed(messages))
			}))
		})
		assert.Equal(t, messages, handled)
		s := noneMuted(t, r)
		if n == 1 {
			assert.NotZero(t, s.Mutes)
			for i := range line {
				assert.LessOrEqual(t, line[i].most.Load(), int64((i+1)*(limit+2)), "stage %d", i)
			}
		}
	}
}

// Rings of actors that are all under pressure go round until all tokens are used up.
func TestRingUnderPressure(t *testing.T) {
	const actors, tokens, hops = 5, 40, 200
	for _, n := range workerCounts {
		for _, limit := range []int{1, 2, 5} {
			r := runtimeOf(t, rt.Config{Workers: n, MailboxLimit: limit, Batch: 3})
			var handled atomic.Int64
			within(t, func() {
				require.NoError(t, r.Run(func(cctx **rt.Ctx) {
					var ring [actors]*scripted
					for i := range ring {
						ring[i] = spawn(*cctx)
					}
					var hop func(ctx *rt.Ctx, at, left int)
					hop = func(ctx *rt.Ctx, at, left int) {
						ring[at%actors].do(ctx, func(cctx **rt.Ctx) {
							handled.Add(1)
							if left > 1 {
								hop(*cctx, at+1, left-1)
							}
						})
					}
					for k := range tokens {
						hop(*cctx, k, hops)
					}
				}))
			})
			assert.EqualValues(t, tokens*hops, handled.Load())
			noneMuted(t, r)
		}
	}
}

// An overloaded actor needs the answer of one that is muted because of it: A has too many messages, B has sent to A,
// and A asks B. One worker and turns of one message make the order certain.
func TestAnswerOfAMutedActor(t *testing.T) {
	for _, how := range []struct {
		name string
		wait func(cctx **rt.Ctx, g *gate) error
	}{
		{"get", func(cctx **rt.Ctx, g *gate) error { return rt.Block(cctx, g) }},
		{"await", func(cctx **rt.Ctx, g *gate) error { return rt.Await(cctx, g) }},
		{"message", nil},
	} {
		for _, n := range workerCounts {
			t.Run(fmt.Sprintf("%s/workers=%d", how.name, n), func(t *testing.T) {
				r := runtimeOf(t, rt.Config{Workers: n, MailboxLimit: 4, Batch: 1})
				handled, answered := 0, false
				var muted []rt.MutedActor
				within(t, func() {
					require.NoError(t, r.Run(func(cctx **rt.Ctx) {
						a, b := spawn(*cctx), spawn(*cctx)
						var g gate
						a.do(*cctx, func(cctx **rt.Ctx) {
							a.do(*cctx, func(cctx **rt.Ctx) { // after B's turn
								muted = r.Muted()
								b.do(*cctx, func(cctx **rt.Ctx) {
									answered = true
									if how.wait == nil {
										a.do(*cctx, func(**rt.Ctx) {})
										return
									}
									g.unlock(*cctx)
								})
								if how.wait != nil {
									assert.NoError(t, how.wait(cctx, &g))
									assert.True(t, answered)
								}
							})
							for range 20 {
								a.do(*cctx, func(**rt.Ctx) { handled++ })
							}
						})
						b.do(*cctx, func(cctx **rt.Ctx) { a.do(*cctx, func(**rt.Ctx) { handled++ }) })
					}))
				})
				assert.Equal(t, 21, handled)
				assert.True(t, answered)
				s := noneMuted(t, r)
				if n == 1 {
					assert.Equal(t, []rt.MutedActor{{Actor: "test.scripted", On: "test.scripted"}}, muted)
					assert.EqualValues(t, 1, s.Mutes)
					if how.name == "get" {
						assert.EqualValues(t, 1, s.UnmutedBlocked)
					} else {
						assert.EqualValues(t, 1, s.UnmutedDrained)
					}
				}
			})
		}
	}
}

// Actors ask each other round and round, with get and with await, all overloaded: everything is answered.
func TestCyclesOfQuestions(t *testing.T) {
	const actors, questions = 4, 60
	for _, n := range workerCounts {
		for _, await := range []bool{true, false} {
			r := runtimeOf(t, rt.Config{Workers: n, MailboxLimit: 1, Batch: 2})
			var answered atomic.Int64
			within(t, func() {
				require.NoError(t, r.Run(func(cctx **rt.Ctx) {
					var all [actors]*scripted
					for i := range all {
						all[i] = spawn(*cctx)
					}
					for i, a := range all {
						// With get only later ones are asked, so that no cycle of gets closes; each also sends to earlier ones.
						if !await && i+1 == actors {
							break
						}
						for range questions {
							a.do(*cctx, func(cctx **rt.Ctx) {
								var g gate
								all[(i+1)%actors].do(*cctx, func(cctx **rt.Ctx) {
									a.do(*cctx, func(**rt.Ctx) {})
									all[(*cctx).Rand()%actors].do(*cctx, func(**rt.Ctx) {})
									answered.Add(1)
									g.unlock(*cctx)
								})
								if await {
									assert.NoError(t, rt.Await(cctx, &g))
								} else {
									assert.NoError(t, rt.Block(cctx, &g))
								}
							})
						}
					}
				}))
			})
			want := actors * questions
			if !await {
				want -= questions
			}
			assert.EqualValues(t, want, answered.Load())
			noneMuted(t, r)
		}
	}
}

// mute -> message -> unmute in all orders: messages come for actors that are held back, are being held back, and are being
// released. Each is handled once, one at a time, and at the end nobody is held back.
func TestMuteMeetsMessage(t *testing.T) {
	const senders, feeders = 3, 3
	rounds := hammer.Rounds(30, 5_000) // with 200 messages a feeder
	if invariant.Enabled {
		rounds = 8
	}
	for _, n := range []int{2, 4} {
		r := runtimeOf(t, rt.Config{Workers: n, MailboxLimit: 2, Batch: 3})
		for range rounds {
			var inside [senders]atomic.Int32
			var ticks [senders]int
			handled := 0
			within(t, func() {
				require.NoError(t, r.Run(func(cctx **rt.Ctx) {
					sink := spawn(*cctx)
					var all [senders]*scripted
					for i := range all {
						all[i] = spawn(*cctx)
					}
					tick := func(ctx *rt.Ctx, i int) {
						all[i].do(ctx, func(cctx **rt.Ctx) {
							if inside[i].Add(1) != 1 {
								t.Error("two behaviours of one actor at once")
							}
							ticks[i]++
							sink.do(*cctx, func(**rt.Ctx) { handled++ })
							inside[i].Add(-1)
						})
					}
					for f := range feeders {
						a := spawn(*cctx)
						var feed func(left int) func(cctx **rt.Ctx)
						feed = func(left int) func(cctx **rt.Ctx) {
							return func(cctx **rt.Ctx) {
								tick(*cctx, (left+f)%senders)
								if left > 1 {
									a.do(*cctx, feed(left-1))
								}
							}
						}
						a.do(*cctx, feed(200))
					}
				}))
			})
			require.Equal(t, feeders*200, handled)
			require.Equal(t, feeders*200, ticks[0]+ticks[1]+ticks[2])
			require.Empty(t, r.Muted())
		}
		assert.NotZero(t, noneMuted(t, r).Mutes)
	}
}

// Actors send to each other at random, with random limits and waits: the run ends, and nothing is lost.
func TestPressureStorm(t *testing.T) {
	rounds := hammer.Rounds(20, 3_000)
	if invariant.Enabled {
		rounds = 5
	}
	for _, n := range workerCounts {
		mutes := uint64(0)
		for round := range rounds {
			random := rand.New(rand.NewPCG(uint64(n), uint64(round)))
			r := runtimeOf(t, rt.Config{
				Workers: n, MailboxLimit: 1 + random.IntN(6), Batch: 1 + random.IntN(10), AlwaysMigrate: n > 1 && round%3 == 0,
			})
			actors := 2 + random.IntN(7)
			var sent, handled atomic.Int64
			within(t, func() {
				require.NoError(t, r.Run(func(cctx **rt.Ctx) {
					all := make([]*scripted, actors)
					for i := range all {
						all[i] = spawn(*cctx)
					}
					var act func(ctx *rt.Ctx, generation int)
					act = func(ctx *rt.Ctx, generation int) {
						sent.Add(1)
						all[ctx.Rand()%uint64(actors)].do(ctx, func(cctx **rt.Ctx) {
							handled.Add(1)
							if generation == 0 {
								return
							}
							for range (*cctx).Rand() % 3 {
								act(*cctx, generation-1)
							}
							switch (*cctx).Rand() % 8 {
							case 0:
								assert.NoError(t, rt.Suspend(cctx))
							case 1:
								fresh, g := spawn(*cctx), new(gate)
								sent.Add(1)
								fresh.do(*cctx, func(cctx **rt.Ctx) {
									handled.Add(1)
									act(*cctx, 0)
									g.unlock(*cctx)
								})
								if (*cctx).Rand()%2 == 0 {
									assert.NoError(t, rt.Await(cctx, g))
								} else {
									assert.NoError(t, rt.Block(cctx, g))
								}
							}
							act(*cctx, generation-1)
						})
					}
					for range 6 {
						act(*cctx, 6)
					}
				}))
			})
			require.Equal(t, sent.Load(), handled.Load())
			mutes += noneMuted(t, r).Mutes
			r.Close()
		}
		assert.NotZero(t, mutes)
	}
}

// Two sides flood each other, and a third both.
func TestFloodBothWays(t *testing.T) {
	const messages = 3_000
	for _, n := range workerCounts {
		r := runtimeOf(t, rt.Config{Workers: n, MailboxLimit: 3, Batch: 4})
		var handled atomic.Int64
		within(t, func() {
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				all := [3]*scripted{spawn(*cctx), spawn(*cctx), spawn(*cctx)}
				for i, a := range all {
					var flood func(left int) func(cctx **rt.Ctx)
					flood = func(left int) func(cctx **rt.Ctx) {
						return func(cctx **rt.Ctx) {
							for j, b := range all {
								if j != i {
									b.do(*cctx, func(**rt.Ctx) { handled.Add(1) })
								}
							}
							if left > 1 {
								a.do(*cctx, flood(left-1))
							}
						}
					}
					a.do(*cctx, flood(messages))
				}
			}))
		})
		assert.EqualValues(t, 3*2*messages, handled.Load())
		noneMuted(t, r)
	}
}

// tangle floods between three actors, with a limit of one or two messages: who is overloaded changes all the time.
func tangle(sent, handled *int) func(cctx **rt.Ctx) {
	return func(cctx **rt.Ctx) {
		all := [3]*scripted{spawn(*cctx), spawn(*cctx), spawn(*cctx)}
		for i, a := range all {
			var flood func(left int) func(cctx **rt.Ctx)
			flood = func(left int) func(cctx **rt.Ctx) {
				return func(cctx **rt.Ctx) {
					to := all[(uint64(i)+1+(*cctx).Rand()%2)%3]
					for range 1 + (*cctx).Rand()%3 {
						*sent++
						to.do(*cctx, func(**rt.Ctx) { *handled++ })
					}
					if left > 1 {
						a.do(*cctx, flood(left-1))
					}
				}
			}
			a.do(*cctx, flood(6))
		}
	}
}

// Every order of steps that the seeds give, in invariant builds also between the steps of muting and releasing.
func TestMutingUnderManySeeds(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	seeds := hammer.Rounds(300, 100_000)
	mutes := uint64(0)
	for _, workers := range []int{1, 2, 3} {
		for seed := range uint64(seeds) {
			r, err := rt.New(rt.Config{Seed: seed + 1, Workers: workers, MailboxLimit: 1 + int(seed%2)})
			require.NoError(t, err)
			sent, handled := 0, 0
			require.NoError(t, r.Run(tangle(&sent, &handled)), "%d workers, seed %d", workers, seed+1)
			require.Equal(t, sent, handled, "%d workers, seed %d", workers, seed+1)
			mutes += noneMuted(t, r).Mutes
			require.NoError(t, r.Close())
		}
	}
	assert.NotZero(t, mutes)
}

// The limit of a type goes before that of the config.
func TestLimitOfAType(t *testing.T) {
	for _, c := range []struct {
		typ    *rt.ActorType
		config int
		mutes  bool
	}{{&freeType, 2, false}, {&tightType, 0, true}, {&scriptedType, 0, false}, {&scriptedType, 2, true}} {
		r := runtimeOf(t, rt.Config{Workers: 1, MailboxLimit: c.config})
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			to, from := new(scripted), new(scripted)
			rt.Spawn(*cctx, &to.Actor, c.typ)
			rt.Spawn(*cctx, &from.Actor, &freeType)
			from.do(*cctx, func(cctx **rt.Ctx) {
				for range 10 {
					to.do(*cctx, nothingToDo)
				}
			})
		}))
		assert.Equal(t, c.mutes, noneMuted(t, r).Mutes > 0, "%s, config %d", c.typ.Name, c.config)
	}
	_, err := rt.New(rt.Config{MailboxLimit: -1})
	assert.ErrorContains(t, err, "MailboxLimit")
}

// A goroutine outside feels the pressure: its Do returns when the receiver has been relieved. Meanwhile the report names
// who waits for whom, though the receiver's behaviour does not return.
func TestDoIsHeldBack(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2, MailboxLimit: 4})
	slow := overloaded(t, r)
	stdctx, cancel := context.WithCancel(background)
	gaveUp := make(chan error, 1)
	go func() {
		gaveUp <- r.Do(stdctx, func(cctx **rt.Ctx) { slow.a.do(*cctx, nothingToDo) })
	}()
	mutedOn := rt.MutedActor{Actor: "rt.Do", On: "test.scripted"}
	within(t, func() {
		for len(r.Muted()) < 1 {
			runtime.Gosched()
		}
	})
	assert.Equal(t, []rt.MutedActor{mutedOn}, r.Muted())
	assert.Equal(t, "rt.Do is muted on test.scripted", mutedOn.String())
	cancel()
	assert.ErrorIs(t, <-gaveUp, context.Canceled)

	returned := make(chan error, 1)
	go func() {
		returned <- r.Do(background, func(cctx **rt.Ctx) { slow.a.do(*cctx, nothingToDo) })
	}()
	within(t, func() {
		for len(r.Muted()) < 2 {
			runtime.Gosched()
		}
	})
	assert.Empty(t, returned)
	close(slow.goOn)
	within(t, func() { assert.NoError(t, <-returned) })
	require.NoError(t, r.Run(nothingToDo))
	noneMuted(t, r)
}

type overloadedActor struct {
	a    *scripted
	goOn chan struct{}
}

// overloaded returns an actor that has too many messages and is in a behaviour that goes on when it is told.
func overloaded(t *testing.T, r *rt.Runtime) overloadedActor {
	slow := overloadedActor{goOn: make(chan struct{})}
	inside := make(chan struct{})
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		slow.a = spawn(*cctx)
		slow.a.do(*cctx, func(cctx **rt.Ctx) {
			slow.a.do(*cctx, func(**rt.Ctx) {
				close(inside)
				<-slow.goOn
			})
			for range 20 {
				slow.a.do(*cctx, nothingToDo)
			}
		})
	}))
	<-inside
	return slow
}

// A behaviour of the overloaded actor itself calls Do: it would wait for itself.
func TestDoInsideIsNotHeldBack(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2, MailboxLimit: 2})
	returned := false
	within(t, func() {
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			a := spawn(*cctx)
			a.do(*cctx, func(cctx **rt.Ctx) {
				for range 10 {
					a.do(*cctx, nothingToDo)
				}
				assert.NoError(t, r.Do(background, func(cctx **rt.Ctx) { a.do(*cctx, nothingToDo) }))
				returned = true
			})
		}))
	})
	assert.True(t, returned)
	noneMuted(t, r)
}

// If somebody stayed muted when nothing can happen any more, the run would end with its name rather than hang.
func TestRunReportsWhoIsMuted(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2})
	err := r.Run(func(cctx **rt.Ctx) { rt.FeignMuted(*cctx, &spawn(*cctx).Actor, &spawn(*cctx).Actor) })
	blocked, ok := errors.AsType[*rt.BlockedError](err)
	require.True(t, ok, "%v", err)
	assert.Empty(t, blocked.Waits)
	assert.Equal(t, []rt.MutedActor{{Actor: "test.scripted", On: "test.scripted"}}, blocked.Muted)
	assert.ErrorContains(t, err, "test.scripted is muted on test.scripted")
}

// The list for reports holds whoever was entered and not taken out, in whatever order.
func TestListOfMuted(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 1})
	random := rand.New(rand.NewPCG(4, 2))
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		on := spawn(*cctx)
		var in, out []*rt.Actor
		for range 8 {
			out = append(out, &spawn(*cctx).Actor)
		}
		for range 1_000 {
			from, to, move := &out, &in, func(a *rt.Actor) { rt.FeignMuted(*cctx, a, &on.Actor) }
			if random.IntN(2) == 0 {
				from, to, move = &in, &out, rt.FeignReleased
			}
			if len(*from) > 0 {
				k := random.IntN(len(*from))
				a := (*from)[k]
				*from = slices.Delete(*from, k, k+1)
				*to = append(*to, a)
				move(a)
			}
			require.Len(t, r.Muted(), len(in))
		}
		for _, a := range in {
			rt.FeignReleased(a)
		}
	}))
}

// Close ends a runtime in which actors are held back, and Do calls with them.
func TestCloseWhileMuted(t *testing.T) {
	for _, n := range []int{2, 4} {
		r := runtimeOf(t, rt.Config{Workers: n, MailboxLimit: 4})
		slow := overloaded(t, r)
		var callers sync.WaitGroup
		for i := range 3 {
			callers.Go(func() {
				err := r.Do(background, func(cctx **rt.Ctx) {
					slow.a.do(*cctx, nothingToDo)
					if i == 0 { // muted where it waits
						_ = rt.Suspend(cctx)
					}
				})
				if err != rt.ErrClosed && err != nil { // nil: a worker that still searched took what was released last
					t.Errorf("Do: %v", err)
				}
			})
		}
		within(t, func() {
			for len(r.Muted()) < 3 {
				runtime.Gosched()
			}
			go func() {
				<-r.Done() // then hardly anybody is released any more
				close(slow.goOn)
			}()
			r.Close()
			callers.Wait()
		})
	}
}

// Floods that never end are closed at any time.
func TestCloseAFlood(t *testing.T) {
	for round := range hammer.Rounds(40, 5_000) {
		r := runtimeOf(t, rt.Config{Workers: 1 + round%4, MailboxLimit: 1 + round%3, Batch: 1 + round%5})
		var handled atomic.Int64
		require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
			all := [4]*scripted{spawn(*cctx), spawn(*cctx), spawn(*cctx), spawn(*cctx)}
			var flood func(cctx **rt.Ctx)
			flood = func(cctx **rt.Ctx) {
				handled.Add(1)
				all[(*cctx).Rand()%4].do(*cctx, flood)
				if handled.Load() < 200 {
					all[(*cctx).Rand()%4].do(*cctx, flood)
				}
			}
			for range 4 {
				all[0].do(*cctx, flood)
			}
		}))
		for handled.Load() < int64(50*(round%8)) {
			runtime.Gosched()
		}
		within(t, func() { require.NoError(t, r.Close()) })
	}
}
