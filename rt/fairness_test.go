package rt_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// As many actors that send to themselves without end as there are workers, and twice as many: messages from outside are
// all handled meanwhile, and so is what they send on.
func TestSelfSendersDoNotStarveWorkFromOutside(t *testing.T) {
	messages := hammer.Rounds(1_000, 50_000)
	if invariant.Enabled {
		messages /= 10
	}
	for _, n := range []int{1, 2} {
		for _, senders := range []int{n, 2 * n} {
			r := runtimeOf(t, rt.Config{Workers: n})
			var stop atomic.Bool
			var sent atomic.Int64
			require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
				for range senders {
					a := spawn(*cctx)
					var again func(cctx **rt.Ctx)
					again = func(cctx **rt.Ctx) {
						if sent.Add(1); !stop.Load() {
							a.do(*cctx, again)
						}
					}
					a.do(*cctx, again)
				}
			}))
			fromOutside(t, r, messages)
			assert.NotZero(t, sent.Load())
			stop.Store(true)
			atRest(t, r)
		}
	}
}

// Actors that block and are woken by each other without end do not starve it either: no batch ever ends by its budget.
func TestWaitersDoNotStarveWorkFromOutside(t *testing.T) {
	for _, n := range []int{1, 2} {
		r := runtimeOf(t, rt.Config{Workers: n})
		var stop atomic.Bool
		require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
			for range 2 * n {
				spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
					for !stop.Load() {
						assert.NoError(t, rt.Suspend(cctx))
					}
				})
			}
		}))
		fromOutside(t, r, 100)
		stop.Store(true)
		atRest(t, r)
	}
}
