//go:build race || encorert_invariants

package futures

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// A path b, c back to the one who looks. When the n-th edge has been seen, the cell of the first or second was answered all
// the same: then there is no circle, at whatever moment that shows. Without it there is one.
func TestPathThatChangesIsNoCircle(t *testing.T) {
	noting := rt.Behaviour{Name: "note", Run: func(cctx **rt.Ctx, _ *rt.Actor, m *rt.Message) { rt.NoteBlock(*cctx, m.P0) }}
	typ := rt.ActorType{Name: "test.noting"}
	const reads = 6 // three of each walk
	for changed := range 3 {
		for at := range reads + 1 {
			r, err := rt.New(rt.Config{Workers: 1})
			require.NoError(t, err)
			var cells [3]cell[int]
			var found error
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				ctx := *cctx
				b, c := new(rt.Actor), new(rt.Actor)
				rt.Spawn(ctx, b, &typ)
				rt.Spawn(ctx, c, &typ)
				for i, owner := range []*rt.Actor{b, c, ctx.Self()} {
					cells[i].init(ctx, owner, nil)
				}
				rt.Send(ctx, b, rt.Message{B: &noting, P0: unsafe.Pointer(&cells[1])})
				rt.Send(ctx, c, rt.Message{B: &noting, P0: unsafe.Pointer(&cells[2])})
				assert.NoError(t, Suspend(cctx))
				ctx = *cctx
				seen := 0
				defer invariant.OnPoint(func(point string) {
					if point == "futures.path" {
						if seen == at {
							seen = reads
							assert.NoError(t, Promise[int]{&cells[changed]}.Fulfil(ctx, 1))
						}
						seen++
					}
				})()
				found = cells[0].circle(ctx)
			}))
			require.NoError(t, r.Close())
			// What the second walk has passed was closed at the moment before it.
			if at < changed+reads/2 {
				assert.NoError(t, found, "cell %d, read %d", changed, at)
			} else {
				assert.Error(t, found, "cell %d, read %d", changed, at)
			}
		}
	}
}
