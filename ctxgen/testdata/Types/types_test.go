package types

import (
	"io"
	"math"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/encorert/encorert/ctxgen/testdata/Types/box"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type seq[T any] struct{ values []T }

func (s seq[T]) Each(f func(T)) {}

func TestEveryKindOfArgumentArrives(t *testing.T) {
	r, err := rt.New(rt.Config{})
	require.NoError(t, err)
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		h := NewTaker(*cctx)
		sum, err := h.AskNumbers(*cctx, -128, 65535, 1).Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, -128+65535+1, sum)
		sum, err = h.AskNamed(*cctx, -1, 0.5, math.MaxFloat64).Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, -1+0.5+math.MaxFloat64, sum)
		name, err := h.AskFlags(*cctx, true, false, "name").Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, "name", name)
		_, err = h.AskFlags(*cctx, true, true, "").Get(cctx)
		assert.ErrorIs(t, err, io.EOF)
		two := level(2)
		d, err := h.AskPointers(*cctx, time.Second, &settings{3}, &two).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, time.Second+5, d)
		number := 40
		n, err := h.AskUnsafe(*cctx, unsafe.Pointer(&number), -1, 3).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 42, n)
		c, err := h.AskComplex(*cctx, 1+2i, nil, io.EOF, pairOf{}).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 1+2i, c)
		n, err = h.AskFunctions(*cctx, func(x, y int, _ ...time.Time) (box.Box[int], error) { return box.Box[int]{Value: x + y}, nil }, nil).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 3, n)
		n, err = h.AskGeneric(*cctx, box.Box[int]{Value: 4}, box.Of[map[string]settings]{}, make(boxes, 2), seq[int]{}, box.Shown{N: 1}).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 7, n)
		n, err = h.AskEmbedded(*cctx, seq[level]{}, [3][2]string{2: {1: "abc"}}).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 3, n)
		n, err = h.AskVariadic(*cctx, "ab", "c", "d").Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 4, n)
		p := futures.NewPromise[int](*cctx, nil)
		h.Futures(*cctx, p, futures.Future[*settings]{}, h)
		n, err = p.Future().Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 1, n)
		s, err := h.AskStruct(*cctx, "a", strings.Repeat("b", 3)).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, "abbb", s.A+s.B)
	}))
	require.NoError(t, r.Close())
}
