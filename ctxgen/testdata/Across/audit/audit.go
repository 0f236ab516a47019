// Package audit is a dependency with generated code of its own.
package audit

import "github.com/encorert/encorert/rt"

//encore:object
type Record struct {
	Next   *Record
	Amount int64
}

//encore:actor
type auditor struct{ records *Record }

//encore:behaviour
func (a *auditor) Note(cctx **rt.Ctx, r *Record) { a.records = r }

//encore:behaviour
func (a *auditor) Sum(cctx **rt.Ctx) (sum int64) {
	for r := a.records; r != nil; r = r.Next {
		sum += r.Amount
	}
	return sum
}
