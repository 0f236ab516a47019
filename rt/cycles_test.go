package rt_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// sleepersCounts is with how many workers the runtime is put to sleep and woken.
var sleepersCounts = []int{1, 2, 4, 16, 32}

// cyclesOfSleep is how many real sleeps each of these tests demands: a million in its long form.
func cyclesOfSleep() uint64 {
	if invariant.Enabled {
		return uint64(hammer.Rounds(1_000, 100_000))
	}
	return uint64(hammer.Rounds(3_000, 1_000_000))
}

// throughSleep calls event again and again until workers have slept so often. A worker that is caught at its last look
// has not slept, so that there are more events than sleeps; not one of either may be lost.
func throughSleep(t *testing.T, name string, event func(r *rt.Runtime) (handled int)) {
	for _, n := range sleepersCounts {
		t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
			defer hammer.Watch(t, 5*hammer.Limit)()
			r := runtimeOf(t, rt.Config{Workers: n})
			asleep(t, r)
			began := r.Stats()
			cycles, handled := cyclesOfSleep(), 0
			slept := func() uint64 { return r.Stats().Sleeps - began.Sleeps }
			for slept() < cycles {
				for range 100 { // reading the counters takes longer than an event
					handled += event(r)
				}
			}
			asleep(t, r)
			assert.EqualValues(t, handled, r.Stats().Messages-began.Messages)
			t.Logf("%d events, %d sleeps", handled, slept())
		})
	}
}

// One event each time all workers have just gone to sleep.
func TestSleepAndWakeCycles(t *testing.T) {
	throughSleep(t, "when all sleep", func(r *rt.Runtime) int {
		for {
			if sleeping, searching := r.LotCounts(); sleeping == r.Workers() && searching == 0 {
				break
			}
			runtime.Gosched()
		}
		if err := <-r.Inject(nothingToDo); err != nil {
			require.NoError(t, err)
		}
		return 1
	})
}

// Some events at any moment: while workers run, search, announce sleep, look for the last time, or sleep.
func TestSleepAndWakeAtAnyMoment(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	throughSleep(t, "at any moment", func(r *rt.Runtime) int {
		var done [3]<-chan error
		n := 1 + random.IntN(len(done))
		for i := range n {
			done[i] = r.Inject(nothingToDo)
			for range random.IntN(6) {
				runtime.Gosched()
			}
		}
		for _, d := range done[:n] {
			if err := <-d; err != nil {
				require.NoError(t, err)
			}
		}
		for range random.IntN(20) {
			runtime.Gosched()
		}
		return n
	})
}

// One actor, one message that it sends itself again and again, 32 workers: reports come from outside all the while, and
// the run ends when it is told to.
func TestOnePingOnManyWorkers(t *testing.T) {
	const between = 1_000
	reports := hammer.Rounds(100, 20_000)
	if invariant.Enabled { // every leaf checks its context, and -race looks on
		reports = min(reports, 1_000)
	}
	defer hammer.Watch(t, hammer.Limit)()
	r := runtimeOf(t, rt.Config{Workers: 32})
	var handled atomic.Int64
	var over atomic.Bool
	end := make(chan error, 1)
	go func() {
		end <- r.Run(func(cctx **rt.Ctx) {
			pinger := spawn(*cctx)
			var ping func(cctx **rt.Ctx)
			ping = func(cctx **rt.Ctx) {
				if handled.Add(1); !over.Load() {
					pinger.do(*cctx, ping)
				}
			}
			pinger.do(*cctx, ping)
		})
	}()
	for range reports {
		from := handled.Load()
		for handled.Load() < from+between {
			runtime.Gosched()
		}
		require.NoError(t, r.Do(background, nothingToDo))
	}
	over.Store(true)
	require.NoError(t, <-end)
	asleep(t, r)
	assert.GreaterOrEqual(t, handled.Load(), int64(reports*between))
	assert.EqualValues(t, handled.Load()+int64(reports)+1, r.Stats().Messages, "and the main behaviour")
}
