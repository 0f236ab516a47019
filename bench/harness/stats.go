package harness

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Summary describes the repetitions of one variant, in milliseconds.
type Summary struct {
	Median float64 `json:"median_ms"`
	Min    float64 `json:"min_ms"`
	Max    float64 `json:"max_ms"`
	// SpreadPct is the distance between the quartiles in per cent of the median: half of the repetitions
	// lie in it, and a single disturbed one does not move it, as it would the standard deviation.
	SpreadPct float64 `json:"spread_pct"`
}

// Summarise describes samples; none give the zero Summary.
func Summarise(samples []float64) Summary {
	if len(samples) == 0 {
		return Summary{}
	}
	s := slices.Sorted(slices.Values(samples))
	sum := Summary{Median: quantile(s, 0.5), Min: s[0], Max: s[len(s)-1]}
	if sum.Median != 0 {
		sum.SpreadPct = 100 * (quantile(s, 0.75) - quantile(s, 0.25)) / sum.Median
	}
	return sum
}

// Median is the middle of samples, the mean of the two middle ones if their number is even, 0 for none.
func Median(samples []float64) float64 { return Summarise(samples).Median }

// quantile interpolates between the order statistics of sorted at p*(n-1): R's and NumPy's default (type 7
// of Hyndman and Fan). gonum's own kinds are types 1 and 4, whose median of an even number of samples is
// not the usual one.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(math.Floor(at))
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	part := at - float64(low)
	return sorted[low]*(1-part) + sorted[low+1]*part
}

// Interval is a mean with its 95 % confidence interval, in milliseconds.
type Interval struct {
	Mean float64 `json:"mean_ms"`
	Low  float64 `json:"low_ms"`
	High float64 `json:"high_ms"`
}

// PairedDifference is the mean of b[i]-a[i] with Student's 95 % interval. ok is false with fewer than two
// pairs, which say nothing about the spread.
// REQUIRES: a and b are of the same rounds, thus of the same length.
func PairedDifference(a, b []float64) (_ Interval, ok bool) {
	if len(a) != len(b) {
		panic("harness: paired samples of different length")
	}
	n := float64(len(a))
	if n < 2 {
		return Interval{}, false
	}
	diff := make([]float64, len(a))
	for i := range a {
		diff[i] = b[i] - a[i]
	}
	mean, dev := stat.MeanStdDev(diff, nil)
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * stat.StdErr(dev, n)
	return Interval{Mean: mean, Low: mean - half, High: mean + half}, true
}
