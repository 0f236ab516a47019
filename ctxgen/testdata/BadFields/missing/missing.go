// Package missing uses what annotations would give that are not there.
package missing

import "github.com/encorert/encorert/rt"

//encore:actor
type actor struct{ c Counter }

type counter struct{}

type finding struct{ next *finding }

type Report struct{}

type number int

//encore:behaviour
func (a *actor) Do(cctx **rt.Ctx) {
	a.c = NewCounter(*cctx)
	_ = newFinding(*cctx, nil)
	_ = NewReport(*cctx)
	_ = NewReportRef(*cctx)
	_ = newNumber(*cctx)
	_ = newActor(*cctx)
}
