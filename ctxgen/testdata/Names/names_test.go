package names

import (
	"math/rand"
	"testing"

	"github.com/encorert/encorert/ctxgen/testdata/Names/x/v2"
	ert "github.com/encorert/encorert/rt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	arand "github.com/encorert/encorert/ctxgen/testdata/Names/a/rand"
	brand "github.com/encorert/encorert/ctxgen/testdata/Names/b/rand"
)

func TestOddNames(t *testing.T) {
	r, err := ert.New(ert.Config{})
	require.NoError(t, err)
	require.NoError(t, r.Run(func(cctx **ert.Ctx) {
		o := NewOdd(*cctx, 1, 2, 3, 4, 5)
		kind, err := o.AskType(*cctx, "a", "bc", "def").Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, 6, kind)
		text, err := o.AskString(*cctx, "text", 1, 2).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, "text", text)
		g, err := o.AskImport(*cctx, 1, 2, true, "graph", false).Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, "graph", g)
		id, err := o.AskSend(*cctx, 1, "", 2, 3).Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, 3, id)
		_, err = o.AskClose(*cctx, arand.Seed(1), brand.Seed{A: 1}, x.Y("y"), rand.New(rand.NewSource(1))).Get(cctx)
		assert.NoError(t, err)
		p, err := o.askA(*cctx, nil, new(int), nil, nil, nil, nil).Get(cctx)
		assert.NoError(t, err)
		assert.NotNil(t, p)
		n, err := NewExportedRef(*cctx).AskDo(*cctx, ExportedRef{}).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 1, n)
		n, err = NewÜnïcode(*cctx).AskGröße(*cctx, 7).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 7, n)
	}))
	require.NoError(t, r.Close())
}
