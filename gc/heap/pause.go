package heap

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// pauseBuckets covers 1 ns to 2^40 ns (18 minutes), four buckets to a doubling: quantiles are exact to a quarter.
const pauseBuckets = 4 * 40

// Pauses is a histogram of pauses. The zero value is empty.
type Pauses struct {
	Buckets [pauseBuckets]uint64
	Max     time.Duration
	Sum     time.Duration
}

func pauseBucket(ns uint64) int {
	if ns < 4 {
		return int(ns)
	}
	log := bits.Len64(ns) - 1 // at least 2
	return min(4*(log-1)+int(ns>>(log-2)&3), pauseBuckets-1)
}

// pauseCeiling is the largest pause in a bucket.
func pauseCeiling(bucket int) time.Duration {
	if bucket < 4 {
		return time.Duration(bucket)
	}
	log := bucket/4 + 1
	return time.Duration((4+uint64(bucket%4)+1)<<(log-2) - 1)
}

// Count returns the number of pauses.
func (p *Pauses) Count() (n uint64) {
	for _, b := range p.Buckets {
		n += b
	}
	return n
}

// Quantile returns a pause that the fraction q of all does not exceed, to within a quarter above; 0 without pauses.
func (p *Pauses) Quantile(q float64) time.Duration {
	total := p.Count()
	var seen uint64
	for i, b := range p.Buckets {
		if seen += b; seen > 0 && float64(seen) >= q*float64(total) {
			return min(pauseCeiling(i), p.Max)
		}
	}
	return 0
}

// Merge adds the pauses of another histogram.
func (p *Pauses) Merge(other *Pauses) {
	for i, b := range other.Buckets {
		p.Buckets[i] += b
	}
	p.Max = max(p.Max, other.Max)
	p.Sum += other.Sum
}

// pauseCounter is a histogram that many heaps add to. Writers: collections of any heap. Readers: snapshot. Single
// additions are atomic; a snapshot may see one of two of them, which no reader minds.
type pauseCounter struct {
	buckets [pauseBuckets]atomic.Uint64
	longest atomic.Int64
	sum     atomic.Int64
}

func (p *pauseCounter) add(d time.Duration) {
	p.buckets[pauseBucket(uint64(max(d, 0)))].Add(1)
	p.sum.Add(int64(d))
	for {
		// Without the CompareAndSwap a shorter pause could overwrite a longer one.
		longest := p.longest.Load()
		if int64(d) <= longest || p.longest.CompareAndSwap(longest, int64(d)) {
			return
		}
	}
}

func (p *pauseCounter) snapshot() (s Pauses) {
	for i := range p.buckets {
		s.Buckets[i] = p.buckets[i].Load()
	}
	s.Max, s.Sum = time.Duration(p.longest.Load()), time.Duration(p.sum.Load())
	return s
}
