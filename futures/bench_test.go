package futures_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

// benchmark runs b.N round trips inside an actor, with another to ask. What it compares with is BenchmarkChannel.
func benchmark(b *testing.B, workers int, trip func(cctx **rt.Ctx, a *account) error) {
	r := runtimeOf(b, rt.Config{Workers: workers})
	b.ReportAllocs()
	var failed error
	require.NoError(b, r.Do(background, func(cctx **rt.Ctx) {
		a := newAccount(*cctx)
		for b.Loop() {
			if err := trip(cctx, a); err != nil {
				failed = err
			}
		}
	}))
	require.NoError(b, failed)
}

var trips = []struct {
	name string
	trip func(cctx **rt.Ctx, a *account) error
}{
	{"Get", func(cctx **rt.Ctx, a *account) error { _, err := a.AskDeposit(*cctx, 1).Get(cctx); return err }},
	{"Await", func(cctx **rt.Ctx, a *account) error { _, err := a.AskDeposit(*cctx, 1).Await(cctx); return err }},
	{"Suspend", func(cctx **rt.Ctx, _ *account) error { return futures.Suspend(cctx) }},
	{"ChainAwait", func(cctx **rt.Ctx, a *account) error {
		_, err := futures.Chain(*cctx, a.AskDeposit(*cctx, 1), plusOne).Await(cctx)
		return err
	}},
	{"FulfilledGet", func(cctx **rt.Ctx, _ *account) error {
		p := futures.NewPromise[int64](*cctx, nil)
		if err := p.Fulfil(*cctx, 1); err != nil {
			return err
		}
		_, err := p.Future().Get(cctx)
		return err
	}},
}

func BenchmarkRoundTrip(b *testing.B) {
	for _, t := range trips {
		b.Run(t.name+"/workers=1", func(b *testing.B) { benchmark(b, 1, t.trip) })
		b.Run(t.name+"/workers=2", func(b *testing.B) { benchmark(b, 2, t.trip) })
	}
	b.Run("Channel", benchmarkChannel)
}

// benchmarkChannel asks a goroutine over channels, with a message of the same size and a reply channel of its own for
// each question, as a future is.
func benchmarkChannel(b *testing.B) {
	type request struct {
		words [5]uint64
		reply chan int64
	}
	requests := make(chan request)
	go func() {
		var balance int64
		for q := range requests {
			balance += int64(q.words[0])
			q.reply <- balance
		}
	}()
	b.Run("reply=new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			q := request{reply: make(chan int64, 1)}
			q.words[0] = 1
			requests <- q
			<-q.reply
		}
	})
	b.Run("reply=reused", func(b *testing.B) {
		b.ReportAllocs()
		reply := make(chan int64, 1)
		for b.Loop() {
			q := request{reply: reply}
			q.words[0] = 1
			requests <- q
			<-q.reply
		}
	})
	close(requests)
}
