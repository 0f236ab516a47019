package rt_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/rt"
)

func TestConfigNamesTheWrongField(t *testing.T) {
	for _, c := range []struct {
		cfg  rt.Config
		want string
	}{
		{rt.Config{Workers: -1}, "Config.Workers is -1"},
		{rt.Config{Workers: 1025}, "Config.Workers is 1025"},
		{rt.Config{Spares: 1025}, "Config.Spares is 1025"},
		{rt.Config{Batch: -3}, "Config.Batch is -3"},
		{rt.Config{Tasks: -1}, "Config.Tasks is -1"},
		{rt.Config{Tasks: 1<<24 + 1}, "Config.Tasks is 16777217"},
		{rt.Config{Nursery: -1}, "Config.Nursery is -1"},
		{rt.Config{MemoryLimit: -1}, "Config.MemoryLimit is -1"},
		{rt.Config{AlwaysMigrate: true, Workers: 1}, "needs two workers"},
	} {
		_, err := rt.New(c.cfg)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestModesVariable(t *testing.T) {
	t.Setenv(rt.ModesVariable, "collect, migrate,poison,verify")
	r, err := rt.New(rt.Config{})
	require.NoError(t, err)
	r.Close()
	t.Setenv(rt.ModesVariable, "colect")
	_, err = rt.New(rt.Config{})
	assert.ErrorContains(t, err, `unknown mode "colect"`)
}

func TestZeroConfigWorks(t *testing.T) {
	called := false
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) { called = true }))
	assert.True(t, called)
}
