package rt_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// crowd is a scenario with much to choose from: actors that send, wait, suspend and meet at a lock.
func crowd(cctx **rt.Ctx) {
	ctx := *cctx
	var m rt.Mutex
	var opened gate
	target := spawn(ctx)
	for i := range 4 {
		a := spawn(ctx)
		a.do(ctx, func(cctx **rt.Ctx) {
			for range 3 {
				target.do(*cctx, func(cctx **rt.Ctx) {
					if (*cctx).Rand()%4 == 0 {
						_ = rt.Suspend(cctx)
					}
				})
			}
			_ = m.Lock(cctx)
			_ = rt.Suspend(cctx)
			m.Unlock(*cctx)
			if i == 3 {
				opened.unlock(*cctx)
			} else {
				_ = rt.Await(cctx, &opened)
			}
			spawn(*cctx).do(*cctx, func(**rt.Ctx) {})
		})
	}
}

// signatureOf runs a scenario on a runtime of its own.
func signatureOf(t *testing.T, cfg rt.Config, main func(cctx **rt.Ctx)) uint64 {
	t.Helper()
	r, err := rt.New(cfg)
	require.NoError(t, err)
	within(t, func() { require.NoError(t, r.Run(main)) })
	within(t, func() {
		for range 3 { // each comes while what the one before has begun still runs
			require.NoError(t, r.Do(background, crowd))
		}
		require.NoError(t, r.Run(func(**rt.Ctx) {}))
	})
	s := r.Signature()
	within(t, func() { require.NoError(t, r.Close()) })
	return s
}

func TestSameSeedSameOrder(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	seeds := hammer.Rounds(100, 10_000)
	if hammer.Race {
		seeds /= 4
	}
	for _, workers := range []int{1, 2, 3, 4} {
		orders := map[uint64]int{}
		for seed := range uint64(seeds) {
			cfg := rt.Config{Seed: seed + 1, Workers: workers}
			first, second := signatureOf(t, cfg, crowd), signatureOf(t, cfg, crowd)
			require.Equal(t, first, second, "%d workers, seed %d", workers, seed+1)
			orders[first]++
		}
		assert.Greater(t, len(orders), seeds/2, "%d workers: different seeds go different ways", workers)
	}
}
