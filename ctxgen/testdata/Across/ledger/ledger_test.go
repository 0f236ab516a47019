package ledger

import (
	"testing"

	"github.com/encorert/encorert/ctxgen/testdata/Across/audit"
	"github.com/encorert/encorert/rt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAcrossPackages(t *testing.T) {
	r, err := rt.New(rt.Config{})
	require.NoError(t, err)
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		auditor := audit.NewAuditor(*cctx)
		l := NewLedger(*cctx, auditor)
		l.Enter(*cctx, 1, 0)
		sum, err := l.AskEnter(*cctx, 2, 0).Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, 3, sum)
		sum, err = l.AskSum(*cctx, auditor).Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, 3, sum)
	}))
	require.NoError(t, r.Close())
}
