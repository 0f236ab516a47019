// Package names has every name that could hide another.
package names

import (
	"math/rand"
	"sync/atomic"

	arand "github.com/encorert/encorert/ctxgen/testdata/Names/a/rand"
	brand "github.com/encorert/encorert/ctxgen/testdata/Names/b/rand"
	"github.com/encorert/encorert/ctxgen/testdata/Names/x/v2"
	ert "github.com/encorert/encorert/rt"
)

// Names of the package that generated code would like to have.
type (
	oddActor  struct{}
	oddType   int
	rt        int8
	futures   float32
	graph     string
	args      bool
	accountID uint32
)

var (
	gc, math, oddTypeArgs, runOddType = 1, 2, 3, 4
	unsafe                            atomic.Int32
)

func traceOdd() {}

//encore:actor
type odd struct {
	type_   int
	message string
	Actor   int
	state   int
}

//encore:new
func (o *odd) New(cctx **ert.Ctx, a, n, p, h, ctx int) { o.type_ = a + n + p + h + ctx }

//encore:behaviour
func (o *odd) Type(cctx **ert.Ctx, context, fmt, encorert string) (oddType, error) {
	o.message = context + fmt + encorert
	return oddType(len(o.message)), nil
}

//encore:behaviour
func (o *odd) String(cctx **ert.Ctx, string string, len int, uint64 uint64) string { return string }

//encore:behaviour
func (o *odd) Import(cctx **ert.Ctx, rt rt, futures futures, unsafe bool, graph graph, args args) graph {
	return graph
}

//encore:behaviour
func (o *odd) Send(cctx **ert.Ctx, _ int, _ string, accountID, second accountID) accountID {
	return second
}

//encore:behaviour
func (o *odd) Close(**ert.Ctx, arand.Seed, brand.Seed, x.Y, *rand.Rand) {}

//encore:behaviour
func (o *odd) a(cctx **ert.Ctx, m, a, cctx_, v, err, f *int) (h *int, err_ error) { return a, nil }

//encore:behaviour
func (o *odd) Actors(cctx **ert.Ctx, odd []odd, oddSend map[oddActor]Odd) int { return len(odd) }

//encore:actor
type Exported struct{}

//encore:behaviour
func (e *Exported) Do(cctx **ert.Ctx, e2 ExportedRef) int { return 1 }

//encore:behaviour
func (e *Exported) do(cctx **ert.Ctx) int { return 2 }

//encore:actor
type ünïcode struct{}

//encore:behaviour
func (ü *ünïcode) Größe(cctx **ert.Ctx, größe int) int { return größe }
