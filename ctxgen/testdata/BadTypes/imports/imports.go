// Package imports imports what is not there.
package imports

import (
	"example.com/not/there"

	"github.com/encorert/encorert/ctxgen/testdata/BadTypes/broken"
	"github.com/encorert/encorert/rt"
)

//encore:actor
type a struct{ b broken.B }

//encore:behaviour
func (a *a) Do(cctx **rt.Ctx, n there.T) {}
