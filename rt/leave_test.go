//go:build race || encorert_invariants

package rt_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// A worker lets an actor go without locking senders out, since all others sleep; at that moment another is woken and sends to
// the actor, by way of the worker that is still its home. The message is not left behind there, and what follows it
// comes after it.
func TestActorIsLetGoAsAnotherWakesUp(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for range hammer.Rounds(20, 1_000) {
		r, err := rt.New(rt.Config{Workers: 2, Spares: -1})
		require.NoError(t, err)
		armed, sent, gone, done := false, make(chan struct{}), make(chan struct{}), make(chan error, 2)
		var seen []int
		var a *scripted
		send := func(cctx **rt.Ctx, seq int) {
			a.do(*cctx, func(**rt.Ctx) { seen = append(seen, seq) })
		}
		restore := invariant.OnPoint(func(point string) {
			if point != "rt.alone" || !armed {
				return
			}
			armed = false
			go func() {
				done <- r.Do(background, func(cctx **rt.Ctx) {
					send(cctx, 1)
					close(sent)
					<-gone
					send(cctx, 2)
				})
			}()
			<-sent
		})
		require.NoError(t, r.Do(background, func(cctx **rt.Ctx) { a = spawn(*cctx) }))
		asleep(t, r)
		done <- r.Do(background, func(cctx **rt.Ctx) { a.do(*cctx, func(**rt.Ctx) { armed = true }) })
		<-sent
		for { // until the first worker has let the actor go, and sleeps
			if sleeping, _ := r.LotCounts(); sleeping == 1 {
				break
			}
			runtime.Gosched()
		}
		close(gone)
		require.NoError(t, <-done)
		require.NoError(t, <-done)
		asleep(t, r)
		restore()
		assert.Equal(t, []int{1, 2}, seen)
		require.NoError(t, r.Close())
	}
}
