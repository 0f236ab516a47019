package rt_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/encorert/encorert/rt"
)

// One goroutine outside posts as fast as it can, with some thousand events under way at most.
func BenchmarkPost(b *testing.B) {
	r, err := rt.New(rt.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	var s *rt.Source
	if err := r.Do(background, func(cctx **rt.Ctx) { s, err = rt.NewSource(*cctx, "bench") }); err != nil {
		b.Fatal(err)
	}
	slots := make(chan struct{}, 4096)
	f := func(**rt.Ctx) { <-slots }
	b.ReportAllocs()
	for b.Loop() {
		slots <- struct{}{}
		if err := s.Post(f); err != nil {
			b.Fatal(err)
		}
	}
}

// From Post to the event and back, with all asleep in between.
func BenchmarkPostAndWait(b *testing.B) {
	r, err := rt.New(rt.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	var s *rt.Source
	if err := r.Do(background, func(cctx **rt.Ctx) { s, err = rt.NewSource(*cctx, "bench") }); err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	f := func(**rt.Ctx) { done <- struct{}{} }
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Post(f); err != nil {
			b.Fatal(err)
		}
		<-done
	}
}

// Timers that fire at once, a thousand at a time: made, called by the clock, run.
func BenchmarkAfter(b *testing.B) {
	r, err := rt.New(rt.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	var events atomic.Int64
	b.ReportAllocs()
	for n := b.N; n > 0; n -= 1000 {
		if err := r.Run(func(cctx **rt.Ctx) {
			for range min(n, 1000) {
				rt.After(*cctx, 0, func(**rt.Ctx) { events.Add(1) })
			}
		}); err != nil {
			b.Fatal(err)
		}
	}
	if events.Load() != int64(b.N) {
		b.Fatal("an event is missing")
	}
}

// A timer that is put off again and again, as deadlines are.
func BenchmarkReset(b *testing.B) {
	r, err := rt.New(rt.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	err = r.Do(background, func(cctx **rt.Ctx) {
		t, err := rt.After(*cctx, time.Hour, func(**rt.Ctx) {})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			t.Reset(time.Hour)
		}
	})
	if err != nil {
		b.Fatal(err)
	}
}
