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

// BenchmarkParkedAwaits parks 100,000 behaviours, on 100 actors, and has them go on; bytes is what each has cost while it was
// parked.
func BenchmarkParkedAwaits(b *testing.B) {
	const parked, actors = 100_000, 100
	for b.Loop() {
		r := runtimeOf(b, rt.Config{Workers: 1})
		require.NoError(b, r.Run(func(cctx **rt.Ctx) {
			p := futures.NewPromise[int](*cctx, nil)
			clerks := make([]*clerk, actors)
			for i := range clerks {
				clerks[i] = spawn(*cctx)
			}
			before := memory()
			for i := range parked {
				clerks[i%actors].do(*cctx, func(cctx **rt.Ctx) { _, _ = p.Future().Await(cctx) })
			}
			for _, a := range clerks {
				_, _ = ask(*cctx, a, echo(0)).Get(cctx)
			}
			b.ReportMetric((memory()-before)/parked, "bytes/await")
			_ = p.Fulfil(*cctx, 1)
		}))
		r.Close()
	}
}

// BenchmarkCombinators answers ten futures that something waits for.
func BenchmarkCombinators(b *testing.B) {
	const n = 10
	for name, make := range map[string]func(ctx *rt.Ctx, fs []futures.Future[int]) func(cctx **rt.Ctx) error{
		"None": func(*rt.Ctx, []futures.Future[int]) func(cctx **rt.Ctx) error {
			return func(**rt.Ctx) error { return nil }
		},
		"All": func(ctx *rt.Ctx, fs []futures.Future[int]) func(cctx **rt.Ctx) error {
			f := futures.All(ctx, fs...)
			return func(cctx **rt.Ctx) error { _, err := f.Get(cctx); return err }
		},
		"Race": func(ctx *rt.Ctx, fs []futures.Future[int]) func(cctx **rt.Ctx) error {
			f := futures.Race(ctx, fs...)
			return func(cctx **rt.Ctx) error { _, err := f.Get(cctx); return err }
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			require.NoError(b, runtimeOf(b, rt.Config{Workers: 1}).Do(background, func(cctx **rt.Ctx) {
				for b.Loop() {
					ps, fs := several(*cctx, n)
					read := make(*cctx, fs)
					for i, p := range ps {
						_ = p.Fulfil(*cctx, i)
					}
					if err := read(cctx); err != nil {
						panic(err)
					}
				}
			}))
		})
	}
}
