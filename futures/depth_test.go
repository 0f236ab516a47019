package futures_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// nested asks a new actor, which asks a new one, and so on; each waits for the next in the way that its depth says.
func nested(cctx **rt.Ctx, depth int, way func(depth int) reading) (int, error) {
	if depth == 0 {
		return 0, nil
	}
	v, err := way(depth).read(cctx, ask(*cctx, spawn(*cctx), func(cctx **rt.Ctx) (int, error) { return nested(cctx, depth-1, way) }))
	return v + 1, err
}

// Questions within questions need no worker of their own: 64 on one worker, by get, by await, and by both in turns; and many more.
func TestNestedAsks(t *testing.T) {
	for name, way := range map[string]func(depth int) reading{
		"get":   func(int) reading { return readings[0] },
		"await": func(int) reading { return readings[1] },
		"both":  func(depth int) reading { return readings[depth%2] },
	} {
		deep := hammer.Rounds(5000, 100_000)
		if hammer.Race {
			deep /= 10
		}
		for _, depth := range []int{64, deep} {
			require.NoError(t, run(t, rt.Config{Workers: 1}, func(cctx **rt.Ctx) {
				v, err := nested(cctx, depth, way)
				assert.NoError(t, err)
				assert.Equal(t, depth, v)
			}), name)
		}
	}
}

// One actor may have waits of all kinds open at once, to any depth: each behaviour awaits the next one of the same actor, lets
// others run, and gets from another actor in between.
func TestWaitsNestedOnOneActor(t *testing.T) {
	depth := hammer.Rounds(2000, 20_000)
	if hammer.Race {
		depth /= 10
	}
	require.NoError(t, run(t, rt.Config{Workers: 2}, func(cctx **rt.Ctx) {
		a, b := spawn(*cctx), spawn(*cctx)
		running := 0
		var dive func(cctx **rt.Ctx, depth int) (int, error)
		dive = func(cctx **rt.Ctx, depth int) (int, error) {
			running++
			assert.Equal(t, 1, running, "two behaviours of one actor run at once")
			defer func() { running-- }()
			if depth == 0 {
				return 0, nil
			}
			v, err := ask(*cctx, b, echo(depth)).Get(cctx) // nobody else of a runs meanwhile
			assert.NoError(t, err)
			assert.Equal(t, depth, v)
			f := ask(*cctx, a, func(cctx **rt.Ctx) (int, error) { return dive(cctx, depth-1) })
			running--
			if depth%3 == 0 {
				assert.NoError(t, futures.Suspend(cctx))
			}
			v, err = f.Await(cctx)
			running++
			return v + 1, err
		}
		v, err := ask(*cctx, a, func(cctx **rt.Ctx) (int, error) { return dive(cctx, depth) }).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, depth, v)
	}))
}

// recurse uses stack: 100,000 calls of it do not fit one that does not grow.
func recurse(depth int) int {
	var room [8]int
	if depth == 0 {
		return 0
	}
	room[depth%8] = recurse(depth-1) + 1
	return room[depth%8]
}

// The stack of a behaviour grows after every kind of wait as before it.
func TestRecursionAfterAWait(t *testing.T) {
	const depth = 100_000
	for _, way := range readings {
		require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
			v, err := way.read(cctx, ask(*cctx, spawn(*cctx), func(cctx **rt.Ctx) (int, error) {
				_, err := way.read(cctx, ask(*cctx, spawn(*cctx), echo(1)))
				assert.NoError(t, err)
				return recurse(depth), nil
			}))
			assert.NoError(t, err)
			assert.Equal(t, depth, v)
			assert.Equal(t, depth, recurse(depth))
		}), way.name)
	}
}

// Behaviours that wait cost a strand each, no more, and all of them go on: thousands on one actor, many thousands in all.
func TestManyParkedAwaits(t *testing.T) {
	const most = 6 << 10 // bytes each; it is half of that
	n := hammer.Rounds(10_000, 100_000)
	if hammer.Race {
		n /= 10
	}
	for _, actors := range []int{1, 100} {
		var each float64
		sum := 0
		require.NoError(t, run(t, rt.Config{Workers: 1}, func(cctx **rt.Ctx) {
			p := futures.NewPromise[int](*cctx, nil)
			clerks := make([]*clerk, actors)
			for i := range clerks {
				clerks[i] = spawn(*cctx)
			}
			before := memory()
			for i := range n {
				clerks[i%actors].do(*cctx, func(cctx **rt.Ctx) {
					v, err := p.Future().Await(cctx)
					assert.NoError(t, err)
					sum += v
				})
			}
			for _, a := range clerks { // behind them: all are parked
				_, err := ask(*cctx, a, echo(0)).Get(cctx)
				assert.NoError(t, err)
			}
			each = (memory() - before) / float64(n)
			assert.NoError(t, p.Fulfil(*cctx, 1))
		}))
		assert.Equal(t, n, sum)
		if !hammer.Race {
			assert.Less(t, each, float64(most), "%d actors", actors)
		}
	}
}

// memory is what Go's heap and stacks take.
func memory() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

// Strands are used again: rounds of waits need no more than the first, and what many needed at once is given back.
func TestStrandsAreReturned(t *testing.T) {
	const waits = 2000
	require.NoError(t, run(t, rt.Config{Workers: 1}, func(cctx **rt.Ctx) {
		round := func() {
			p := futures.NewPromise[int](*cctx, nil)
			a := spawn(*cctx)
			var all []futures.Future[int]
			for range waits {
				all = append(all, ask(*cctx, a, func(cctx **rt.Ctx) (int, error) { return p.Future().Await(cctx) }))
			}
			_, err := ask(*cctx, a, echo(0)).Get(cctx)
			assert.NoError(t, err)
			assert.NoError(t, p.Fulfil(*cctx, 1))
			for _, f := range all {
				_, err := f.Get(cctx)
				assert.NoError(t, err)
			}
		}
		before := runtime.NumGoroutine()
		for range 5 {
			round()
			assert.NoError(t, futures.Suspend(cctx))
			assert.Less(t, runtime.NumGoroutine()-before, waits/2, "strands that nobody needs stay")
		}
	}))
}
