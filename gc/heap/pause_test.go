package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPauseBuckets(t *testing.T) {
	for ns := uint64(0); ns < 1<<41; ns = ns*9/8 + 1 {
		b := pauseBucket(ns)
		if b == pauseBuckets-1 {
			continue
		}
		require.LessOrEqual(t, time.Duration(ns), pauseCeiling(b), "%d ns", ns)
		if b > 0 {
			require.Greater(t, time.Duration(ns), pauseCeiling(b-1), "%d ns", ns)
		}
		require.LessOrEqual(t, float64(pauseCeiling(b)), float64(ns)*1.25+1)
	}
	require.Equal(t, pauseBuckets-1, pauseBucket(1<<63))
}

func TestPauseQuantiles(t *testing.T) {
	var c pauseCounter
	empty := c.snapshot()
	require.Zero(t, empty.Quantile(0.95))
	r := rand.New(rand.NewPCG(1, 5))
	var all []time.Duration
	var sum time.Duration
	for range 10000 {
		d := time.Duration(r.ExpFloat64() * 1e6)
		all = append(all, d)
		sum += d
		c.add(d)
	}
	slices.Sort(all)
	p := c.snapshot()
	for _, q := range []float64{0.5, 0.95, 0.99} {
		exact := all[int(q*float64(len(all)))-1]
		require.GreaterOrEqual(t, p.Quantile(q), exact)
		require.LessOrEqual(t, float64(p.Quantile(q)), float64(exact)*1.26)
	}
	require.Equal(t, all[len(all)-1], p.Max)
	require.Equal(t, p.Max, p.Quantile(1))
	require.Equal(t, sum, p.Sum)

	twice := p
	twice.Merge(&p)
	require.EqualValues(t, 20000, twice.Count())
	require.Equal(t, 2*sum, twice.Sum)
	require.Equal(t, p.Quantile(0.95), twice.Quantile(0.95))
}
