//go:build race || encorert_invariants

package rt_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// The tests of this file stop workers at chosen points, which only the builds with invariants have.

// Close meets the worker that looks whether the run is over, in the middle of that look.
func TestCloseMeetsTheLookForTheEnd(t *testing.T) {
	for range 50 {
		found, proceed := make(chan struct{}), make(chan struct{})
		var once sync.Once
		restore := invariant.OnPoint(func(point string) {
			if point == "rt.checkQuiet" {
				once.Do(func() {
					close(found)
					<-proceed
				})
			}
		})
		r, err := rt.New(rt.Config{Workers: 1})
		require.NoError(t, err)
		<-found // the worker holds the lot
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			r.Close()
		}()
		<-r.Done() // Close has begun
		close(proceed)
		within(t, func() { <-closed })
		restore()
	}
}
