package rt_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

func TestMutexExcludes(t *testing.T) {
	for _, n := range workerCounts {
		var m rt.Mutex
		total, inside := 0, 0 // guarded by m; the race detector would see
		const actors, rounds = 20, 300
		require.NoError(t, run(t, rt.Config{Workers: n}, func(cctx **rt.Ctx) {
			for range actors {
				spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
					for i := range rounds {
						if !assert.NoError(t, m.Lock(cctx)) {
							return
						}
						inside++
						if i%50 == 0 {
							assert.NoError(t, rt.Suspend(cctx)) // holds it across a switch
						}
						assert.Equal(t, 1, inside)
						inside--
						total++
						m.Unlock(*cctx)
					}
				})
			}
		}))
		assert.Equal(t, actors*rounds, total)
	}
}

// Two behaviours meet at the lock as often as they can, on two workers at once.
func TestTryLockExcludes(t *testing.T) {
	var m rt.Mutex
	var inside atomic.Int32
	var on [2]atomic.Int32 // the workers that they run on, from 1
	rounds := hammer.Rounds(2_000_000, 50_000_000)
	if invariant.Enabled {
		rounds /= 10 // every leaf checks its context
	}
	require.NoError(t, run(t, rt.Config{Workers: 2}, func(cctx **rt.Ctx) {
		for i := range on {
			spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
				for other := int32(0); other == 0 || other == on[i].Load(); other = on[1-i].Load() {
					assert.NoError(t, rt.Suspend(cctx)) // until they are on two workers
					on[i].Store(int32((*cctx).Worker()) + 1)
				}
				ctx := *cctx
				for range rounds {
					if !m.TryLock(ctx) {
						continue
					}
					if inside.Add(1) != 1 {
						t.Error("two hold the lock")
						return
					}
					inside.Add(-1)
					m.Unlock(ctx)
				}
			})
		}
	}))
}

// One behaviour takes the lock again and again without ever waiting itself. Whoever waits gets it all the same: one that
// was woken at once and cannot run, since the greedy behaviour has the worker, and those behind it.
func TestMutexPassesNobodyOverForLong(t *testing.T) {
	for _, n := range []int{1, 2} {
		var m rt.Mutex
		got, seen := 0, 0 // guarded by m
		require.NoError(t, run(t, rt.Config{Workers: n}, func(cctx **rt.Ctx) {
			for range 20 {
				assert.NoError(t, m.Lock(cctx))
				want := got + 3
				for range 3 {
					spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
						assert.NoError(t, m.Lock(cctx))
						got++
						m.Unlock(*cctx)
					})
				}
				assert.NoError(t, rt.Suspend(cctx)) // they wait for the lock now, or will soon
				m.Unlock(*cctx)
				for end := time.Now().Add(10 * time.Second); seen < want && time.Now().Before(end); {
					assert.NoError(t, m.Lock(cctx))
					seen = got
					m.Unlock(*cctx)
				}
				assert.Equal(t, want, seen, "%d workers", n)
				if t.Failed() {
					return
				}
			}
		}))
	}
}

func TestMutexMisuse(t *testing.T) {
	err := run(t, rt.Config{}, func(cctx **rt.Ctx) {
		var m rt.Mutex
		assert.True(t, m.TryLock(*cctx))
		assert.False(t, m.TryLock(*cctx))
		m.Unlock(*cctx)
		m.Unlock(*cctx)
	})
	assert.ErrorContains(t, err, "rt: Unlock of a Mutex that is not locked")

	err = run(t, rt.Config{}, func(cctx **rt.Ctx) {
		var m rt.Mutex
		assert.NoError(t, m.Lock(cctx))
		assert.NoError(t, m.Lock(cctx), "twice: it waits for ever")
	})
	assert.ErrorContains(t, err, "rt.Run.main blocks on an rt.Mutex")
}

// A behaviour that waits belongs to one runtime, and a worker of another must not take it for its own.
func TestMutexOfTwoRuntimes(t *testing.T) {
	var m rt.Mutex
	here, there := runtimeOf(t, rt.Config{Workers: 1}), runtimeOf(t, rt.Config{Workers: 1})
	locked := make(chan struct{})
	there.Inject(func(cctx **rt.Ctx) {
		<-locked
		_ = m.Lock(cctx) // until there is closed
	})
	err := here.Do(background, func(cctx **rt.Ctx) {
		assert.True(t, m.TryLock(*cctx))
		close(locked)
		for there.Stats().Parks == 0 {
			time.Sleep(time.Millisecond)
		}
		m.Unlock(*cctx)
	})
	assert.ErrorContains(t, err, "an actor of another runtime")
}

// BenchmarkMutex is one increment under one lock, by 1 and by 8 behaviours on 8 workers.
func BenchmarkMutex(b *testing.B) {
	for _, actors := range []int{1, 8} {
		b.Run(fmt.Sprintf("actors=%d", actors), func(b *testing.B) {
			r, err := rt.New(rt.Config{Workers: 8})
			require.NoError(b, err)
			defer r.Close()
			var m rt.Mutex
			total := 0
			require.NoError(b, r.Run(func(cctx **rt.Ctx) {
				for range actors {
					spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
						for range b.N/actors + 1 {
							if m.Lock(cctx) != nil {
								return
							}
							total++
							m.Unlock(*cctx)
						}
					})
				}
			}))
		})
	}
}
