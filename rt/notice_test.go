//go:build race || encorert_invariants

package rt_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// Every second notice is dropped, and others come for nothing. A notice cannot be lost on its way: it is a permit in a
// buffered channel of one, given under the lock under which the sleeper announced itself. So it is dropped where it
// arrives: the worker that has been told goes straight back to sleep without having looked for what it was told of. All
// work still ends, since a worker never goes by a notice: on its way to sleep it looks at every queue, and there the work
// still is. Without the notices for nothing first, since those could make up for what was dropped.
func TestDroppedAndSpuriousNotices(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		dropNotices(t, n, false)
		dropNotices(t, n, true)
	}
}

func dropNotices(t *testing.T, n int, spurious bool) {
	const callers = 2
	r := runtimeOf(t, rt.Config{Workers: n})
	var came, forNothing atomic.Int64
	restore := invariant.OnUnheard(func(string) bool { return came.Add(1)%2 == 0 })
	var over atomic.Bool
	var noise sync.WaitGroup
	noise.Go(func() {
		if !spurious {
			return
		}
		random := rand.New(rand.NewPCG(uint64(n), 1))
		for !over.Load() {
			if r.Notice(random.IntN(n+1) - 1) {
				forNothing.Add(1)
			}
			for range random.IntN(20) {
				runtime.Gosched()
			}
		}
	})
	var randoms [callers]*rand.Rand
	for g := range randoms {
		randoms[g] = rand.New(rand.NewPCG(uint64(n), uint64(2+g)))
	}
	hammer.Run(t, callers, hammer.Rounds(1_000, 60_000), func(g, round int) {
		var done []<-chan error
		switch round % 4 {
		case 0:
			done = append(done, r.Inject(nothingToDo))
		case 1:
			for w := range n {
				done = append(done, r.Pin(w, nothingToDo))
			}
		case 2: // what is shared is for others
			done = append(done, r.Inject(func(cctx **rt.Ctx) {
				if n == 1 {
					return
				}
				var begun atomic.Bool
				rt.Share(*cctx, func(**rt.Ctx) { begun.Store(true) })
				for !begun.Load() {
					runtime.Gosched()
				}
			}))
		case 3: // a wait that another ends
			g := new(gate)
			done = append(done, r.Inject(func(cctx **rt.Ctx) { rt.Block(cctx, g) }))
			done = append(done, r.Inject(func(cctx **rt.Ctx) { g.unlock(*cctx) }))
		}
		for _, d := range done {
			if err := <-d; err != nil {
				t.Error(err)
			}
		}
		for range randoms[g].IntN(40) { // or nobody falls asleep
			runtime.Gosched()
		}
	})
	over.Store(true)
	noise.Wait()
	asleep(t, r)
	restore()
	assert.NotZero(t, came.Load()/2, "nothing was dropped")
	assert.Equal(t, spurious, forNothing.Load() > 0)
}
