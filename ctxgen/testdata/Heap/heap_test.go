package heap

import (
	"runtime"
	"testing"

	"github.com/encorert/encorert/rt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every send, adoption, frame and trace function is exercised with a collection at each safepoint, freed memory
// poisoned, and each resume on another worker.
func run(t *testing.T, cfg rt.Config, main func(cctx **rt.Ctx)) {
	t.Helper()
	r, err := rt.New(cfg)
	require.NoError(t, err)
	require.NoError(t, r.Run(main))
	require.NoError(t, r.Close())
}

var strict = rt.Config{Workers: 2, AlwaysMigrate: true, CollectAlways: true, Verify: true, Poison: true}

func TestTreesAreCopiedAndKept(t *testing.T) {
	run(t, strict, func(cctx **rt.Ctx) {
		ctx := *cctx
		k, b := NewKeeper(ctx), NewBuilder(ctx)
		for range 5 {
			size, err := b.AskBuild(*cctx, k, 8).Get(cctx)
			assert.NoError(t, err)
			assert.Equal(t, 255, size)
		}
		root, err := k.AskRoot(*cctx).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 255, root.size())
	})
}

func TestNoGoAllocationPerObject(t *testing.T) {
	const objects = 1_000_000
	run(t, rt.Config{}, func(cctx **rt.Ctx) {
		k := NewKeeper(*cctx)
		count := func(n int) uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			size, err := k.AskChurn(*cctx, n).Get(cctx)
			assert.NoError(t, err)
			assert.Equal(t, 2, size)
			runtime.ReadMemStats(&after)
			return after.Mallocs - before.Mallocs
		}
		count(objects / 10)
		assert.Less(t, count(objects), uint64(1000))
	})
}
