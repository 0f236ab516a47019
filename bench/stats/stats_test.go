package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSummarise(t *testing.T) {
	for _, c := range []struct {
		name    string
		samples []float64
		want    Summary
	}{
		{"none", nil, Summary{}},
		{"one", []float64{4}, Summary{Median: 4, Min: 4, Max: 4}},
		{"odd", []float64{3, 1, 2}, Summary{Median: 2, Min: 1, Max: 3, SpreadPct: 50}},
		{"even", []float64{4, 1, 3, 2}, Summary{Median: 2.5, Min: 1, Max: 4, SpreadPct: 60}},
		{"one disturbed", []float64{10, 10, 10, 10, 500}, Summary{Median: 10, Min: 10, Max: 500}},
	} {
		require.Equal(t, c.want, Summarise(c.samples), c.name)
	}
}

func TestPaired(t *testing.T) {
	// Differences 1, 2, 3, 4: mean 2.5, standard deviation 1.290994, t(0.975; 3) = 3.182446 (any table).
	d, ok := Paired([]float64{10, 10, 10, 10}, []float64{11, 12, 13, 14})
	require.True(t, ok)
	require.InDelta(t, 2.5, d.Mean, 1e-12)
	require.InDelta(t, 2.5-3.182446*1.290994/2, d.Low, 1e-5)
	require.InDelta(t, 2.5+3.182446*1.290994/2, d.High, 1e-5)

	_, ok = Paired([]float64{1}, []float64{2})
	require.False(t, ok, "one pair has no spread")
	require.Panics(t, func() { Paired([]float64{1}, nil) })
}

func TestWelch(t *testing.T) {
	// Means 3 and 6, variances 2.5 and 10, five samples each: standard error sqrt(0.5+2), degrees of freedom
	// 2.5^2/(0.5^2/4+2^2/4) = 5.882353; t(0.975; 5.882353) = 2.458824 (integrated numerically).
	a, b := []float64{1, 2, 3, 4, 5}, []float64{2, 4, 6, 8, 10}
	d, ok := Welch(a, b)
	require.True(t, ok)
	require.InDelta(t, 3, d.Mean, 1e-12)
	require.InDelta(t, 3-2.458824*math.Sqrt(2.5), d.Low, 1e-4)
	require.InDelta(t, 3+2.458824*math.Sqrt(2.5), d.High, 1e-4)

	d, ok = Welch([]float64{2, 2}, []float64{3, 3, 3})
	require.True(t, ok)
	require.Equal(t, Interval{Mean: 1, Low: 1, High: 1}, d, "no spread, no width")
	_, ok = Welch(a, b[:1])
	require.False(t, ok)
}

func TestRound(t *testing.T) {
	require.Equal(t, 1.24, Round(1.2351, 2))
	require.Equal(t, -1.0, Round(-1.2, 0))
}
