package rt_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// goroutinesReturn waits until there are no more goroutines than before.
func goroutinesReturn(t *testing.T, before int) {
	t.Helper()
	defer hammer.Watch(t, hammer.Limit)()
	for runtime.NumGoroutine() > before {
		time.Sleep(time.Millisecond)
	}
}

// Thousands of runtimes one after the other, each of which runs something, and some with a behaviour that is stuck when they
// are closed: they leave no goroutine behind.
func TestManyRestarts(t *testing.T) {
	before := runtime.NumGoroutine()
	for round := range hammer.Rounds(300, 5_000) {
		r, err := rt.New(rt.Config{Workers: 1 + round%4})
		require.NoError(t, err)
		var handled atomic.Int64
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			for range 10 {
				spawn(*cctx).do(*cctx, func(**rt.Ctx) { handled.Add(1) })
			}
		}))
		require.EqualValues(t, 10, handled.Load())
		if round%20 == 0 {
			over := make(chan struct{})
			ended := r.Inject(func(**rt.Ctx) { <-over })
			stuckSoon(t, r, 1)
			require.NoError(t, r.Do(background, nothingToDo))
			closed := make(chan struct{})
			go func() {
				defer close(closed)
				r.Close()
			}()
			<-r.Done()
			close(over)
			<-closed
			require.NoError(t, <-ended)
		}
		require.NoError(t, r.Close())
	}
	goroutinesReturn(t, before)
}

// Several runtimes at once, each with behaviours that are stuck: none holds up another, and they may be closed in any order.
func TestRuntimesAtOnceWithStuckBehaviours(t *testing.T) {
	const runtimes = 4
	before := runtime.NumGoroutine()
	for range hammer.Rounds(2, 50) {
		var all sync.WaitGroup
		over := make(chan struct{})
		var runs []*rt.Runtime
		for i := range runtimes {
			r, err := rt.New(rt.Config{Workers: 1 + i%2})
			require.NoError(t, err)
			runs = append(runs, r)
			for range 3 {
				r.Inject(func(**rt.Ctx) { <-over })
			}
		}
		for _, r := range runs {
			stuckSoon(t, r, 3)
			fromOutside(t, r, 50)
		}
		for _, r := range runs[:runtimes/2] {
			all.Go(func() { assert.NoError(t, r.Close()) })
			<-r.Done()
		}
		for _, r := range runs[runtimes/2:] {
			fromOutside(t, r, 50)
		}
		close(over)
		within(t, all.Wait)
		for _, r := range runs[runtimes/2:] {
			atRest(t, r)
			fromOutside(t, r, 10)
			require.NoError(t, r.Close())
		}
	}
	goroutinesReturn(t, before)
}
