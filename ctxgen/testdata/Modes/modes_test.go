package modes

import (
	"testing"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var strict = rt.Config{Workers: 2, AlwaysMigrate: true, CollectAlways: true, Verify: true, Poison: true}

func run(t *testing.T, cfg rt.Config, main func(cctx **rt.Ctx)) error {
	t.Helper()
	r, err := rt.New(cfg)
	require.NoError(t, err)
	defer r.Close()
	return r.Run(main)
}

func TestAllModesInOneMessage(t *testing.T) {
	require.NoError(t, run(t, strict, func(cctx **rt.Ctx) {
		k, m := NewKeeper(*cctx, nil, nil), NewMaker(*cctx)
		for range 3 {
			n, err := m.AskMake(*cctx, k, 6).Get(cctx)
			assert.NoError(t, err)
			assert.Equal(t, 63+63+3+7+10+1000, n)
		}
	}))
}

func TestResultThatIsShared(t *testing.T) {
	require.NoError(t, run(t, strict, func(cctx **rt.Ctx) {
		m := NewMaker(*cctx)
		k, err := m.AskStart(*cctx).Get(cctx)
		assert.NoError(t, err)
		a, err := k.AskConfig(*cctx).Get(cctx)
		assert.NoError(t, err)
		f := gc.Push(*cctx, a)
		b, err := k.AskChecked(*cctx, nil).Get(cctx)
		assert.NoError(t, err)
		assert.Same(t, a, b, "nothing was copied")
		assert.Equal(t, 7, a.Name)
		f.Pop(*cctx)
		one, err := k.AskTree(*cctx).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 15, one.count())
	}))
}

func TestStoreIntoWhatIsShared(t *testing.T) {
	err := run(t, rt.Config{Workers: 1}, func(cctx **rt.Ctx) {
		m := NewMaker(*cctx)
		_, err := m.AskStart(*cctx).Get(cctx)
		assert.NoError(t, err)
		_, err = m.AskChange(*cctx).Get(cctx)
		assert.ErrorContains(t, err, "modes.config")
		assert.ErrorContains(t, err, "which was shared as val and so is immutable")
	})
	require.NoError(t, err)
}

func TestSliceThatIsShared(t *testing.T) {
	require.NoError(t, run(t, strict, func(cctx **rt.Ctx) {
		ctx := *cctx
		k := NewKeeper(ctx, nil, nil)
		rates := gc.MakeSlice[float64](ctx, 1000)
		rates.Set(999, 2.5)
		last, err := k.AskRates(ctx, rates).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 2.5, last)
		k.Give(*cctx, nil)
	}))
}
