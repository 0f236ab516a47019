package park

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
)

// barracks are workers that do as package rt does, around two kinds of work: for anybody, and for one worker.
type barracks struct {
	lot     *Lot
	shared  atomic.Int64
	pinned  []atomic.Int64
	stop    atomic.Bool
	handled atomic.Int64
	sleeps  atomic.Int64
	faults  atomic.Int64 // searchers that were not the only one, or not counted
	done    sync.WaitGroup
}

func newBarracks(workers int) *barracks {
	b := &barracks{lot: NewLot(workers, 0), pinned: make([]atomic.Int64, workers)}
	for w := range workers {
		b.done.Go(func() { b.work(w) })
	}
	return b
}

// close stops the workers and checks that nothing is left in the lot.
func (b *barracks) close(t *testing.T) {
	t.Helper()
	b.stop.Store(true)
	b.lot.WakeAll()
	b.done.Wait()
	wantCounts(t, b.lot, 0, 0)
	wantNoPermits(t, b.lot)
}

func take(n *atomic.Int64) bool {
	for {
		k := n.Load()
		if k == 0 {
			return false
		}
		if n.CompareAndSwap(k, k-1) {
			return true
		}
	}
}

func (b *barracks) work(w int) {
	searching := false
	for {
		if b.stop.Load() {
			if searching {
				b.lot.EndSearch()
			}
			return
		}
		if searching && b.lot.Searching() != 1 {
			b.faults.Add(1)
		}
		found := take(&b.pinned[w]) || take(&b.shared)
		if !found {
			if !searching {
				searching = b.lot.BeginSearch()
			}
			found = searching && take(&b.shared)
		}
		if searching && found {
			searching = false
			b.lot.EndSearch()
			if b.shared.Load() > 0 {
				b.lot.WakeOne()
			}
		}
		if found {
			b.handled.Add(1)
			continue
		}
		if searching {
			searching = false
			b.lot.EndSearch()
		}
		b.lot.Announce(w)
		if b.stop.Load() || b.pinned[w].Load() > 0 || b.shared.Load() > 0 {
			searching = b.lot.Retract(w) == Searcher || b.lot.BeginSearch()
			continue
		}
		b.sleeps.Add(1)
		searching = b.lot.Sleep(w) == Searcher
	}
}

// push makes one item ready, and wakes for it.
func (b *barracks) push(random *rand.Rand) {
	if k := random.IntN(4 * len(b.pinned)); k < len(b.pinned) {
		b.pinned[k].Add(1)
		b.lot.WakeWorker(k)
		return
	}
	b.shared.Add(1)
	b.lot.WakeOne()
}

// hammerBarracks pushes from several goroutines, each one to three items at a time, and waits until all are handled
// before it pushes again: so that most items meet workers on their way to sleep. A lost wake-up hangs.
func hammerBarracks(t *testing.T, rounds int) {
	for _, workers := range []int{1, 2, 4} {
		b := newBarracks(workers)
		var pushed atomic.Int64
		const pushers = 2
		var randoms [pushers]*rand.Rand
		for g := range randoms {
			randoms[g] = rand.New(rand.NewPCG(uint64(workers), uint64(g)))
		}
		hammer.Run(t, pushers, rounds, func(g, _ int) {
			random := randoms[g]
			for range 1 + random.IntN(3) {
				pushed.Add(1)
				b.push(random)
			}
			for b.handled.Load() < pushed.Load() {
				runtime.Gosched()
			}
			for range random.IntN(20) { // the workers get a different way ahead each time
				runtime.Gosched()
			}
		})
		require.Equal(t, pushed.Load(), b.handled.Load())
		require.Zero(t, b.faults.Load(), "searchers that were not the only one")
		require.NotZero(t, b.sleeps.Load(), "the workers never slept: nothing was tested")
		b.close(t)
	}
}

func TestNoWakeUpIsLost(t *testing.T) { hammerBarracks(t, hammer.Rounds(20_000, 1_000_000)) }

// Workers that announce, retract and sleep beside wakers of all kinds: each permit reaches the worker it was made for,
// and the counts are right whenever all are awake.
func TestRetractMeetsWake(t *testing.T) {
	rounds := hammer.Rounds(10_000, 500_000)
	l := NewLot(2, 0)
	var over atomic.Bool
	var wakers sync.WaitGroup
	var woken, got [2]atomic.Int64
	for range 2 {
		wakers.Go(func() {
			for !over.Load() {
				if l.WakeOne() {
					woken[Searcher].Add(1)
				}
				if l.WakeWorker(0) {
					woken[Plain].Add(1)
				}
				runtime.Gosched()
			}
		})
	}
	hammer.Run(t, 2, rounds, func(g, round int) {
		l.Announce(g)
		role := Plain
		if round%4 != 0 || g == 1 && round%8 != 0 {
			role = l.Retract(g) // takes the announcement or the permit, whichever is there
		} else if role = l.Sleep(g); role == Plain {
			got[Plain].Add(1)
		}
		if role == Searcher {
			got[Searcher].Add(1)
			if l.Searching() != 1 {
				t.Error("the searcher is not counted")
			}
			l.EndSearch()
		}
	})
	over.Store(true)
	wakers.Wait()
	wantCounts(t, l, 0, 0)
	wantNoPermits(t, l)
	require.Equal(t, woken[Searcher].Load(), got[Searcher].Load())
	require.GreaterOrEqual(t, woken[Plain].Load(), got[Plain].Load(), "Retract takes plain permits too")
}
