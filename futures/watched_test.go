package futures_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

// keeper is an actor's message closure that holds a promise for as long as the actor is kept.
type keeper struct{ p futures.Promise[int] }

// Who waits for a promise that nobody holds is told, in every way of waiting, also behind a forward; while somebody holds it,
// however long, nobody is.
func TestAbandonedPromise(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2})
	hold := r.Hold() // the run does not end by itself
	errs := make(chan error, 4)
	kept := make(chan *keeper, 1)
	var held futures.Future[int]
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		for i, way := range readings[:2] {
			spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
				_, f := futures.NewWatchedPromise[int](*cctx)
				if i == 1 {
					p := futures.NewPromise[int](*cctx, nil)
					p.Forward(*cctx, f)
					f = p.Future()
				}
				_, err := way.read(cctx, f)
				errs <- err
			})
		}
		spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
			p, f := futures.NewWatchedPromise[int](*cctx)
			kept <- &keeper{p}
			held = f
			v, err := f.Get(cctx)
			assert.Equal(t, 6, v)
			errs <- err
		})
	}))
	k := <-kept
	for range 2 {
		for done := false; !done; { // collections, not time, show it
			runtime.GC()
			select {
			case err := <-errs:
				assert.ErrorIs(t, err, futures.ErrAbandoned)
				done = true
			case <-time.After(time.Millisecond):
			}
		}
	}
	for range 5 {
		runtime.GC()
	}
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		_, _, there := held.TryGet(*cctx)
		assert.False(t, there, "somebody holds the promise")
		assert.NoError(t, k.p.Fulfil(*cctx, 6))
	}))
	assert.NoError(t, <-errs)
	hold.Release()
}

// A collection is started while a behaviour waits, without anybody's help.
func TestCollectionIsStartedForThoseWhoWait(t *testing.T) {
	r := runtimeOf(t, rt.Config{})
	ended := make(chan error, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
		spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
			_, f := futures.NewWatchedPromise[int](*cctx)
			_, err := f.Await(cctx)
			ended <- err
		})
	}))
	assert.ErrorIs(t, <-ended, futures.ErrAbandoned)
	runtime.ReadMemStats(&after)
	assert.Greater(t, after.NumGC, before.NumGC)
}
