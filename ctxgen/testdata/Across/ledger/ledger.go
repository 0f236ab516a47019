// Package ledger uses the handles of another package.
package ledger

import (
	. "time"

	"github.com/encorert/encorert/ctxgen/testdata/Across/audit"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

//encore:actor
type ledger struct {
	auditor audit.Auditor
	last    *audit.Record
}

//encore:new
func (l *ledger) init(cctx **rt.Ctx, auditor audit.Auditor) { l.auditor = auditor }

//encore:behaviour
func (l *ledger) Enter(cctx **rt.Ctx, amount int64, after Duration) (int64, error) {
	ctx := *cctx
	l.last = audit.NewRecord(ctx, l.last, amount)
	l.auditor.Note(ctx, l.last)
	return l.auditor.AskSum(ctx).Await(cctx)
}

//encore:behaviour
func (l *ledger) Sum(cctx **rt.Ctx, auditor audit.Auditor) futures.Future[int64] {
	return auditor.AskSum(*cctx)
}
