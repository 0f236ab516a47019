package futures_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// A wait allocates nothing on Go's heap: what is left is the promise, one allocation each.
func TestWaitsAllocateOnlyTheCell(t *testing.T) {
	trips := hammer.Rounds(100_000, 1_000_000)
	for _, c := range []struct {
		name string
		each int // allocations per round trip
		trip func(cctx **rt.Ctx, a *account) error
	}{
		{"Get", 1, func(cctx **rt.Ctx, a *account) error { _, err := a.AskDeposit(*cctx, 1).Get(cctx); return err }},
		{"Await", 1, func(cctx **rt.Ctx, a *account) error { _, err := a.AskDeposit(*cctx, 1).Await(cctx); return err }},
		{"Suspend", 0, func(cctx **rt.Ctx, _ *account) error { return futures.Suspend(cctx) }},
		{"Chain", 2, func(cctx **rt.Ctx, a *account) error {
			// A function that captures nothing is no allocation.
			_, err := futures.Chain(*cctx, a.AskDeposit(*cctx, 1), plusOne).Await(cctx)
			return err
		}},
	} {
		require.NoError(t, run(t, rt.Config{Workers: 2}, func(cctx **rt.Ctx) {
			a := newAccount(*cctx)
			var before, after runtime.MemStats
			for i := range trips + 1000 {
				if i == 1000 { // pools are filled
					runtime.ReadMemStats(&before)
				}
				if err := c.trip(cctx, a); err != nil {
					assert.NoError(t, err)
					return
				}
			}
			runtime.ReadMemStats(&after)
			grown := int(after.Mallocs - before.Mallocs)
			assert.Less(t, grown, c.each*trips+1000, "%s: %d allocations in %d round trips", c.name, grown, trips)
		}))
	}
}

func plusOne(_ **rt.Ctx, v int64) (int64, error) { return v + 1, nil }
