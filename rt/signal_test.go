//go:build unix

package rt_test

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

func raise(t *testing.T, sig syscall.Signal) {
	t.Helper()
	require.NoError(t, syscall.Kill(os.Getpid(), sig))
}

// outlive keeps these signals from ending the process when a source is closed before they have come.
func outlive(t *testing.T, signals ...os.Signal) {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, signals...)
	t.Cleanup(func() { signal.Stop(ch) })
}

// The signals that were asked for come, and hold the run open until the source is closed.
func TestNotify(t *testing.T) {
	outlive(t, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH)
	r := runtimeOf(t, rt.Config{Workers: 2})
	came := make(chan os.Signal, 10)
	var signals *rt.Signals
	end := make(chan error, 1)
	ready := make(chan struct{})
	go func() {
		end <- r.Run(func(cctx **rt.Ctx) {
			var err error
			signals, err = rt.Notify(*cctx, func(_ **rt.Ctx, _ *rt.Signals, s os.Signal) { came <- s }, syscall.SIGUSR1, syscall.SIGUSR2)
			assert.NoError(t, err)
			close(ready)
		})
	}()
	<-ready
	within(t, func() {
		for range 3 {
			raise(t, syscall.SIGUSR1)
			assert.Equal(t, syscall.SIGUSR1, <-came)
			raise(t, syscall.SIGUSR2)
			assert.Equal(t, syscall.SIGUSR2, <-came)
			raise(t, syscall.SIGWINCH)
		}
	})
	asleep(t, r)
	assert.Empty(t, end)
	assert.Zero(t, signals.Close())
	assert.Zero(t, signals.Close())
	raise(t, syscall.SIGUSR1)
	within(t, func() { require.NoError(t, <-end) })
	assert.Empty(t, came)
}

// Signals that come while the same one waits are one with it; different ones are not; Close drops what waits.
func TestSignalsThatWait(t *testing.T) {
	outlive(t, syscall.SIGUSR1, syscall.SIGUSR2)
	r := runtimeOf(t, rt.Config{Workers: 1, Spares: -1})
	var came []os.Signal
	var signals *rt.Signals
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		signals, _ = rt.Notify(*cctx, func(_ **rt.Ctx, _ *rt.Signals, s os.Signal) { came = append(came, s) }, syscall.SIGUSR1, syscall.SIGUSR2)
		for r.Stats().EventsMissed < 3 { // the system may make one of several, too
			raise(t, syscall.SIGUSR1)
			raise(t, syscall.SIGUSR2)
			runtime.Gosched()
		}
	}))
	var first []os.Signal
	within(t, func() {
		for len(first) < 2 {
			require.NoError(t, r.Do(background, func(**rt.Ctx) { first = slices.Clone(came) }))
		}
	})
	assert.ElementsMatch(t, []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2}, first[:2], "one of each before another of the same")
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		before := r.Stats().EventsMissed
		for r.Stats().EventsMissed == before {
			raise(t, syscall.SIGUSR1)
			runtime.Gosched()
		}
		came = nil
		assert.GreaterOrEqual(t, signals.Close(), 1)
	}))
	require.NoError(t, r.Run(nothingToDo))
	assert.Empty(t, came)
}

// Sources for the same signal come and go while it is raised: none has an event after Close but the one that had begun,
// and one that stays gets it.
func TestCloseAndReopenSignalsInFlight(t *testing.T) {
	outlive(t, syscall.SIGUSR1)
	rounds := hammer.Rounds(200, 20_000)
	defer hammer.Watch(t, hammer.Limit)()
	r := runtimeOf(t, rt.Config{Workers: 2})
	var got atomic.Int64
	for round := range rounds {
		var closed, after atomic.Int64
		var s *rt.Signals
		require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
			var err error
			s, err = rt.Notify(*cctx, func(**rt.Ctx, *rt.Signals, os.Signal) {
				after.Add(closed.Load())
				got.Add(1)
			}, syscall.SIGUSR1)
			assert.NoError(t, err)
		}))
		before := got.Load()
		raise(t, syscall.SIGUSR1)
		for round%2 == 0 && got.Load() == before {
			runtime.Gosched()
		}
		raise(t, syscall.SIGUSR1)
		s.Close()
		closed.Store(1)
		require.NoError(t, r.Run(nothingToDo))
		require.LessOrEqual(t, after.Load(), int64(1))
	}
	assert.NotZero(t, got.Load())
	assert.Zero(t, r.Stats().Sources)
}

// A run that ends when it is asked to.
func ExampleNotify() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	err = r.Run(func(cctx **rt.Ctx) {
		_, err := rt.Notify(*cctx, func(_ **rt.Ctx, s *rt.Signals, sig os.Signal) {
			fmt.Println("asked to end:", sig)
			s.Close() // nothing else holds the run open
		}, os.Interrupt, syscall.SIGTERM)
		if err != nil {
			panic(err)
		}
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
	})
	fmt.Println("the run has ended:", err)
	// Output:
	// asked to end: terminated
	// the run has ended: <nil>
}
