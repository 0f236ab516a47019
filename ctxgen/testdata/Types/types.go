// Package types has a parameter of every kind of type.
package types

import (
	"io"
	"time"
	"unsafe"

	"github.com/encorert/encorert/ctxgen/testdata/Types/box"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

type (
	level       int8
	ratio       float32
	flag        bool
	title       string
	meters      float64
	next        *level
	settings    struct{ level level }
	boxes       = []box.Box[settings]
	pairOf      [2]level
	each[T any] interface {
		box.Seq[T]
		comparable() T
	}
)

//encore:actor
type taker struct{ sum float64 }

//encore:behaviour
func (t *taker) Numbers(cctx **rt.Ctx, a int8, b uint16, c uintptr) float64 {
	return float64(a) + float64(b) + float64(c)
}

//encore:behaviour
func (t *taker) Named(cctx **rt.Ctx, l level, r ratio, m meters) float64 {
	return float64(l) + float64(r) + float64(m)
}

//encore:behaviour
func (t *taker) Flags(cctx **rt.Ctx, f flag, b bool, name title) (title, error) {
	if !bool(f) || b {
		return "", io.EOF
	}
	return name, nil
}

//encore:behaviour
func (t *taker) Pointers(cctx **rt.Ctx, d time.Duration, p *settings, n next) time.Duration {
	return d + time.Duration(p.level+*n)
}

//encore:behaviour
func (t *taker) Unsafe(cctx **rt.Ctx, p unsafe.Pointer, r rune, b byte) int {
	return *(*int)(p) + int(r) + int(b)
}

//encore:behaviour
func (t *taker) Complex(cctx **rt.Ctx, c complex128, a any, e error, pair pairOf) complex128 {
	return c
}

//encore:behaviour
func (t *taker) Functions(cctx **rt.Ctx, f func(x, y int, rest ...time.Time) (box.Box[int], error), g func()) int {
	b, _ := f(1, 2)
	return b.Value
}

//encore:behaviour
func (t *taker) Channels(cctx **rt.Ctx, c chan int, s chan<- (<-chan box.Of[string]), r <-chan struct{}) {
}

//encore:behaviour
func (t *taker) Generic(cctx **rt.Ctx, b box.Box[int], o box.Of[map[string]settings], s boxes, q box.Seq[int], h box.Shown) int {
	return b.Value + len(s) + h.N
}

//encore:behaviour
func (t *taker) Literal(cctx **rt.Ctx, s struct {
	A int `json:"a"`
	B int
	box.Box[level]
}, i interface {
	io.Reader
	Size() time.Duration
}) int {
	return s.A
}

//encore:behaviour
func (t *taker) Embedded(cctx **rt.Ctx, q interface{ box.Seq[level] }, arrays [3][2]string) int {
	return len(arrays[2][1])
}

//encore:behaviour
func (t *taker) Variadic(cctx **rt.Ctx, prefix string, rest ...string) int {
	return len(prefix) + len(rest)
}

//encore:behaviour
func (t *taker) Futures(cctx **rt.Ctx, p futures.Promise[int], f futures.Future[*settings], self Taker) {
	_ = p.Fulfil(*cctx, 1)
}

//encore:behaviour
func (t *taker) Struct(cctx **rt.Ctx, a, b string) (struct{ A, B string }, error) {
	return struct{ A, B string }{a, b}, nil
}
