package rt_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/rt"
)

// All behaviours of a runtime with one worker block on a channel; the message that opens it is run all the same.
func TestBlockingLeavesTheWorker(t *testing.T) {
	for _, n := range workerCounts {
		open := make(chan struct{})
		passed := 0
		require.NoError(t, run(t, rt.Config{Workers: n}, func(cctx **rt.Ctx) {
			ctx := *cctx
			counter := spawn(ctx)
			for range 50 {
				a := spawn(ctx)
				a.do(ctx, func(cctx **rt.Ctx) {
					assert.NoError(t, rt.Blocking(cctx, func() { <-open }))
					assert.Same(t, &a.Actor, (*cctx).Self())
					counter.do(*cctx, func(**rt.Ctx) { passed++ })
				})
			}
			spawn(ctx).do(ctx, func(**rt.Ctx) { close(open) })
		}))
		assert.Equal(t, 50, passed)
	}
}

func TestBlockingPassesPanicsOn(t *testing.T) {
	boom := errors.New("boom")
	for want, f := range map[error]func(){boom: func() { panic(boom) }, rt.ErrGoexit: runtime.Goexit} {
		err := run(t, rt.Config{}, func(cctx **rt.Ctx) { rt.Blocking(cctx, f) })
		p, ok := errors.AsType[*rt.PanicError](err)
		require.True(t, ok, "%v", err)
		assert.ErrorIs(t, p, want)
		assert.Equal(t, "main", p.Behaviour)
	}
}

func TestCloseDuringABlockingCall(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2})
	began, open, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go r.Do(background, func(cctx **rt.Ctx) {
		defer close(left)
		rt.Blocking(cctx, func() {
			close(began)
			<-open
		})
	})
	<-began
	within(t, func() { r.Close() })
	<-left
	close(open)
}
