package futures_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

var background = context.Background()

// promised makes a promise from outside.
func promised[T any](t testing.TB, r *rt.Runtime) (p futures.Promise[T]) {
	t.Helper()
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) { p = futures.NewPromise[T](*cctx, nil) }))
	return p
}

func TestWait(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	for _, want := range []error{nil, errNo} {
		for _, early := range []bool{false, true} {
			p := promised[string](t, r)
			fulfil := func() {
				assert.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
					assert.NoError(t, p.Settle(*cctx, "yes", want))
				}))
			}
			if early {
				fulfil()
			} else {
				time.AfterFunc(time.Millisecond, fulfil)
			}
			v, err := p.Future().Wait(background)
			assert.Equal(t, want, err)
			assert.Equal(t, want == nil, v == "yes")
		}
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	p := promised[int](t, r)
	stdctx, cancel := context.WithCancel(background)
	time.AfterFunc(time.Millisecond, cancel)
	_, err := p.Future().Wait(stdctx)
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "a future that no actor is named for")
}

// Whoever gives up takes nothing from the others, also when it gives up at the moment of the answer; and everybody
// sees either the one answer or the end of their own time.
func TestCancelledWaitTakesNothing(t *testing.T) {
	pauses(t)
	const patient, hasty = 2, 3
	rounds := hammer.Rounds(1500, 100_000)
	r := runtimeOf(t, rt.Config{})
	defer hammer.Watch(t, 10*hammer.Limit)()
	var answered, gaveUp atomic.Int64
	for round := range rounds {
		p := promised[int](t, r)
		stdctx, cancel := context.WithCancel(background)
		var ready, ended sync.WaitGroup
		for i := range patient + hasty {
			ready.Add(1)
			ended.Go(func() {
				mine := background
				if i%2 == 0 && i/2 < hasty { // they come in turns
					mine = stdctx
				}
				ready.Done()
				v, err := p.Future().Wait(mine)
				switch {
				case err == nil:
					answered.Add(1)
					assert.Equal(t, round, v)
				case mine == stdctx:
					gaveUp.Add(1)
					assert.ErrorIs(t, err, context.Canceled)
				default:
					assert.NoError(t, err)
				}
			})
		}
		ready.Wait()
		for range rand.N(4) {
			runtime.Gosched()
		}
		done := make(chan struct{})
		go func() { defer close(done); cancel() }()
		assert.NoError(t, r.Do(background, func(cctx **rt.Ctx) { assert.NoError(t, p.Fulfil(*cctx, round)) }))
		<-done
		ended.Wait()
		v, err := p.Future().Wait(background) // it is there for those who come later
		assert.NoError(t, err)
		assert.Equal(t, round, v)
		if t.Failed() {
			return
		}
	}
	assert.EqualValues(t, rounds*(patient+hasty), answered.Load()+gaveUp.Load())
	assert.Positive(t, gaveUp.Load(), "nobody ever gave up: the race was not met")
	assert.GreaterOrEqual(t, answered.Load(), int64(patient*rounds))
}

// Trying again and again with a short time leaves nothing behind.
func TestGivingUpLeavesNothingBehind(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	p := promised[int](t, r)
	stdctx, cancel := context.WithCancel(background)
	cancel()
	try := func() {
		_, err := p.Future().Wait(stdctx)
		assert.ErrorIs(t, err, context.Canceled)
	}
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapObjects
	}
	try()
	before := live()
	for range 2000 {
		try()
	}
	assert.Less(t, live(), before+500)
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) { assert.NoError(t, p.Fulfil(*cctx, 1)) }))
}

// Goroutines, strands and functions wait for the same future.
func TestAllKindsOfWaiters(t *testing.T) {
	const each = 20
	r := runtimeOf(t, rt.Config{})
	p := promised[int](t, r)
	var sum atomic.Int64
	var goroutines sync.WaitGroup
	var fs [each]futures.Future[int]
	for i := range each {
		var running sync.WaitGroup
		running.Add(1)
		goroutines.Go(func() {
			running.Done()
			v, err := p.Future().Wait(background)
			assert.NoError(t, err)
			sum.Add(int64(v))
		})
		running.Wait()
		require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
			ctx := *cctx
			way := readings[i%2].read
			a := spawn(ctx)
			fs[i] = ask(ctx, a, func(cctx **rt.Ctx) (int, error) { return way(cctx, p.Future()) })
			add := func(_ **rt.Ctx, v int) (int, error) { sum.Add(int64(v)); return 0, nil }
			a.do(ctx, func(cctx **rt.Ctx) { futures.Chain(*cctx, p.Future(), add) })
			futures.ChainDetached(ctx, p.Future(), add)
		}))
	}
	require.NoError(t, r.Run(func(cctx **rt.Ctx) { assert.NoError(t, p.Fulfil(*cctx, 1)) }))
	for _, f := range fs {
		v, err := f.Wait(background)
		assert.NoError(t, err)
		sum.Add(int64(v))
	}
	goroutines.Wait()
	assert.EqualValues(t, 4*each, sum.Load())
}

func TestWaitEndsWithTheRuntime(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		end  func(r *rt.Runtime)
		want error
	}{
		"Close": {func(r *rt.Runtime) { r.Close() }, rt.ErrClosed},
		"panic": {func(r *rt.Runtime) { _ = r.Run(func(**rt.Ctx) { panic(boom) }) }, boom},
	} {
		r := runtimeOf(t, rt.Config{})
		p := promised[int](t, r)
		ended := make(chan error)
		for range 3 {
			go func() {
				_, err := p.Future().Wait(background)
				ended <- err
			}()
		}
		time.Sleep(time.Millisecond)
		c.end(r)
		for range 3 {
			assert.ErrorIs(t, <-ended, c.want, name)
		}
		_, err := p.Future().Wait(background) // and for those who come later
		assert.ErrorIs(t, err, c.want, name)
	}
}

// An answer that was there before the end is not taken back.
func TestWaitAfterTheRuntime(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	p := promised[int](t, r)
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) { assert.NoError(t, p.Fulfil(*cctx, 4)) }))
	r.Close()
	v, err := p.Future().Wait(background)
	assert.NoError(t, err)
	assert.Equal(t, 4, v)
}
