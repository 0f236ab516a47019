package rt_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// A goroutine outside sends message k at random gaps, with a hold, while workers sleep and wake: Run returns after
// exactly all of them.
func TestRunEndsAfterTheLastMessageFromOutside(t *testing.T) {
	runs := hammer.Rounds(300, 10_000)
	defer hammer.Watch(t, hammer.Limit)()
	for _, n := range []int{1, 2, 4} {
		r := runtimeOf(t, rt.Config{Workers: n})
		random := rand.New(rand.NewPCG(3, uint64(n)))
		for range runs {
			messages := int64(1 + random.IntN(8))
			var handled atomic.Int64
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				hold := (*cctx).Runtime().Hold()
				go func() {
					gaps := rand.New(rand.NewPCG(uint64(messages), uint64(n)))
					for range messages {
						switch gap := gaps.IntN(40); {
						case gap == 0:
							time.Sleep(20 * time.Microsecond)
						default:
							for range gap {
								runtime.Gosched()
							}
						}
						if err := r.Do(background, func(**rt.Ctx) { handled.Add(1) }); err != nil {
							t.Error(err)
						}
					}
					hold.Release()
					hold.Release() // does nothing: the other runs' holds are not touched
				}()
			}))
			if got := handled.Load(); got != messages {
				require.Equal(t, messages, got)
			}
		}
		within(t, func() { require.NoError(t, r.Run(nothingToDo), "with nothing held a run ends") })
	}
}

// The last hold may be released before, while or after the last worker falls asleep.
func TestReleaseMeetsTheLastWorker(t *testing.T) {
	runs := hammer.Rounds(2_000, 200_000)
	defer hammer.Watch(t, hammer.Limit)()
	for _, n := range []int{1, 2} {
		r := runtimeOf(t, rt.Config{Workers: n})
		for run := range runs {
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				hold := (*cctx).Runtime().Hold()
				go func() {
					for range run % 30 {
						runtime.Gosched()
					}
					hold.Release()
				}()
			}))
		}
	}
}

// A run does not end while messages hop between actors, though most workers find nothing to do most of the time.
func TestRunEndsAfterTheLastHop(t *testing.T) {
	const actors, tokens, hops = 6, 3, 25
	runs := hammer.Rounds(100, 10_000)
	for _, n := range []int{1, 2, 4} {
		r := runtimeOf(t, rt.Config{Workers: n, Batch: 2})
		for run := range runs {
			var handled atomic.Int64
			within(t, func() {
				require.NoError(t, r.Run(func(cctx **rt.Ctx) {
					var all [actors]*scripted
					for i := range all {
						all[i] = spawn(*cctx)
					}
					var hop func(ctx *rt.Ctx, at, left int)
					hop = func(ctx *rt.Ctx, at, left int) {
						all[at%actors].do(ctx, func(cctx **rt.Ctx) {
							handled.Add(1)
							if left%8 == run%8 {
								rt.Suspend(cctx)
							}
							if left > 1 {
								hop(*cctx, at+1+left%2, left-1)
							}
						})
					}
					for k := range tokens {
						hop(*cctx, k, hops)
					}
				}))
			})
			if got := handled.Load(); got != tokens*hops {
				require.EqualValues(t, tokens*hops, got)
			}
		}
	}
}

// Several Run calls share one end, and each has all its messages handled by then.
func TestRunsSideBySide(t *testing.T) {
	const goroutines = 3
	r := runtimeOf(t, rt.Config{Workers: 2})
	hammer.Run(t, goroutines, hammer.Rounds(300, 20_000), func(_, _ int) {
		var handled atomic.Int64
		err := r.Run(func(cctx **rt.Ctx) {
			for range 3 {
				spawn(*cctx).do(*cctx, func(**rt.Ctx) { handled.Add(1) })
			}
		})
		if err != nil || handled.Load() != 3 {
			t.Errorf("%d messages handled, error %v", handled.Load(), err)
		}
	})
}

// Runtimes start, run and end, several at once, a thousand times and more; some are closed while they run or before
// their workers have got going.
func TestStartAndStop(t *testing.T) {
	before := runtime.NumGoroutine()
	hammer.Run(t, 4, hammer.Rounds(400, 20_000), func(g, round int) {
		r, err := rt.New(rt.Config{Workers: 1 + (g+round)%4})
		if err != nil {
			t.Error(err)
			return
		}
		var handled atomic.Int64
		main := func(cctx **rt.Ctx) {
			handled.Add(1)
			for range 3 {
				spawn(*cctx).do(*cctx, func(**rt.Ctx) { handled.Add(1) })
			}
		}
		switch round % 4 {
		case 0, 1:
			if err := r.Run(main); err != nil || handled.Load() != 4 {
				t.Errorf("%d messages handled, error %v", handled.Load(), err)
			}
		case 2: // Close meets Run
			var running sync.WaitGroup
			running.Go(func() {
				if err := r.Run(main); err != nil && err != rt.ErrClosed {
					t.Error(err)
				}
			})
			for range round % 16 {
				runtime.Gosched()
			}
			r.Close()
			running.Wait()
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := r.Do(background, nothingToDo); err != rt.ErrClosed {
			t.Errorf("Do after Close: %v", err)
		}
	})
	defer hammer.Watch(t, hammer.Limit)() // goroutines are left behind
	for runtime.NumGoroutine() > before {
		time.Sleep(time.Millisecond)
	}
}
