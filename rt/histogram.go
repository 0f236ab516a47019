package rt

import "math/bits"

// Histogram counts values in classes that double. Class 0 has the value 0, class k those from 2^(k-1) to 2^k-1, the last
// one also what is larger.
type Histogram [histogramClasses]uint64

const histogramClasses = 48 // of nanoseconds: 39 hours

func (h *Histogram) add(v uint64) { h[min(bits.Len64(v), histogramClasses-1)]++ }

func (h *Histogram) merge(o *Histogram) {
	for k := range h {
		h[k] += o[k]
	}
}

// Count returns how many values there are.
func (h *Histogram) Count() (n uint64) {
	for _, c := range h {
		n += c
	}
	return n
}

// Quantile returns the upper end of the class in which the value lies that a share q of all values, from 0 to 1, does not
// exceed: the median for 0.5. 0 where there are no values.
func (h *Histogram) Quantile(q float64) uint64 {
	rank := uint64(q * float64(h.Count()))
	for k, c := range h {
		if c > rank || c > 0 && c == rank && q >= 1 {
			return 1<<k - 1
		}
		rank -= c
	}
	return h.Max()
}

// Max returns the upper end of the highest class that has a value.
func (h *Histogram) Max() uint64 {
	for k := histogramClasses - 1; k >= 0; k-- {
		if h[k] > 0 {
			return 1<<k - 1
		}
	}
	return 0
}
