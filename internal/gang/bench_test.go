package gang_test

import (
	"testing"
	"time"

	"github.com/encorert/encorert/internal/gang"
)

// Dispatch of empty jobs to two participants; `encorert bench gang` is the one with figures.

func BenchmarkDispatch(b *testing.B) {
	empty := func(*gang.Share) {}
	for _, gap := range []time.Duration{0, 50 * time.Microsecond} {
		suffix := ""
		if gap > 0 {
			suffix = "WithGaps"
		}
		b.Run("Run"+suffix, func(b *testing.B) {
			g := gang.New(1)
			defer g.Close()
			dispatch(b, gap, func() error { return g.Run(2, empty) })
		})
		b.Run("Delegate"+suffix, func(b *testing.B) {
			g := gang.New(2)
			defer g.Close()
			dispatch(b, gap, func() error { return g.Delegate(2, empty) })
		})
		b.Run("Alone"+suffix, func(b *testing.B) {
			g := gang.New(0)
			defer g.Close()
			dispatch(b, gap, func() error { return g.Run(2, empty) })
		})
	}
}

func dispatch(b *testing.B, gap time.Duration, run func() error) {
	if gap == 0 {
		for b.Loop() {
			if err := run(); err != nil {
				b.Fatal(err)
			}
		}
		return
	}
	var spent time.Duration
	for b.Loop() {
		start := time.Now()
		if err := run(); err != nil {
			b.Fatal(err)
		}
		end := time.Now()
		spent += end.Sub(start)
		for time.Since(end) < gap {
		}
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/dispatch")
}
