// Package stats describes samples of measurements and their differences. It is apart from package harness so
// that the encorert command may compare results without what runs benchmarks.
package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Summary describes samples, in their unit.
type Summary struct {
	Median, Min, Max float64
	// SpreadPct is the distance between the quartiles in per cent of the median: half of the samples lie
	// in it, and a single disturbed one does not move it, as it would the standard deviation.
	SpreadPct float64
}

// Summarise describes samples; none give the zero Summary.
func Summarise(samples []float64) Summary {
	if len(samples) == 0 {
		return Summary{}
	}
	s := slices.Sorted(slices.Values(samples))
	sum := Summary{Median: Quantile(s, 0.5), Min: s[0], Max: s[len(s)-1]}
	if sum.Median != 0 {
		sum.SpreadPct = 100 * (Quantile(s, 0.75) - Quantile(s, 0.25)) / sum.Median
	}
	return sum
}

// Median is the middle of samples, the mean of the two middle ones if their number is even, 0 for none.
func Median(samples []float64) float64 { return Summarise(samples).Median }

// Quantile interpolates between the order statistics of sorted, which must not be empty, at p*(n-1): R's and NumPy's default (type 7
// of Hyndman and Fan). gonum's own kinds are types 1 and 4, whose median of an even number of samples is
// not the usual one.
func Quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(math.Floor(at))
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	part := at - float64(low)
	return sorted[low]*(1-part) + sorted[low+1]*part
}

// Interval is a mean with its 95 % confidence interval, in the unit of the samples.
type Interval struct{ Mean, Low, High float64 }

// confidence is the quantile of Student's t that bounds a two-sided interval of 95 %.
const confidence = 0.975

func interval(mean, stdErr, freedom float64) Interval {
	half := 0.0
	if stdErr > 0 { // samples without spread have no degrees of freedom by Welch
		half = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(confidence) * stdErr
	}
	return Interval{Mean: mean, Low: mean - half, High: mean + half}
}

// Paired is the mean of b[i]-a[i] with Student's 95 % interval. ok is false with fewer than two pairs, which
// say nothing about the spread.
// REQUIRES: a and b are of the same rounds, thus of the same length.
func Paired(a, b []float64) (_ Interval, ok bool) {
	if len(a) != len(b) {
		panic("stats: paired samples of different length")
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
	return interval(mean, stat.StdErr(dev, n), n-1), true
}

// Welch is the difference of the means of b and a, which are of different runs, with the 95 % interval of
// Welch's t-test (B. L. Welch, Biometrika 34, 1947): the two may differ in spread and in number. ok is false
// if either has fewer than two samples.
func Welch(a, b []float64) (_ Interval, ok bool) {
	if len(a) < 2 || len(b) < 2 {
		return Interval{}, false
	}
	na, nb := float64(len(a)), float64(len(b))
	meanA, varA := stat.MeanVariance(a, nil)
	meanB, varB := stat.MeanVariance(b, nil)
	va, vb := varA/na, varB/nb // of the means
	freedom := (va + vb) * (va + vb) / (va*va/(na-1) + vb*vb/(nb-1))
	return interval(meanB-meanA, math.Sqrt(va+vb), freedom), true
}

// Mean is the arithmetic mean of samples, which must not be empty.
func Mean(samples []float64) float64 { return stat.Mean(samples, nil) }

// Round rounds to a number of decimals, for figures whose further digits are noise.
func Round(v float64, decimals int) float64 {
	scale := math.Pow10(decimals)
	return math.Round(v*scale) / scale
}
