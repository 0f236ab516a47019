package gc_test

import (
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/rt"
)

// arraySizes are lengths at which the tree of an array has another form.
var arraySizes = []int{1, 2, 3, 127, 128, 129, 255, 256, 257, 383, 385, 16_383, 16_384, 16_385, 16_513, 40_000}

// Every element is there after collections, whether the array was made long or has grown.
func TestArrays(t *testing.T) {
	for _, n := range arraySizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			_, err := in(t, rt.Config{Workers: 2, Verify: true, Poison: true}, func(cctx **rt.Ctx, h *holder) {
				ctx := *cctx
				made := gc.MakeArray[Node](ctx, n)
				var grown gc.Array[Node]
				for i := range n {
					assert.Nil(t, made.At(i))
					made.Set(ctx, i, NewNode(ctx, nil, nil, int32(i), -int32(i)))
					grown = grown.Append(ctx, made.At(i))
				}
				f := gc.Push2(ctx, (*byte)(made.Root()), (*byte)(grown.Root()))
				for range 2 {
					gc.Collect(cctx)
				}
				ctx = *cctx
				for _, a := range []gc.Array[Node]{made, grown} {
					assert.Equal(t, n, a.Len())
					next := 0
					for i, v := range a.All() {
						if i != next || v != a.At(i) || v != made.At(i) || int(v.I) != i || v.J != -v.I {
							assert.Fail(t, "not what was stored", "element %d has %d", i, v.I)
							break
						}
						next++
					}
					assert.Equal(t, n, next)
					assert.Panics(t, func() { a.At(n) })
					assert.Panics(t, func() { a.At(-1) })
					assert.Panics(t, func() { a.Set(ctx, n, nil) })
				}
				f.Pop(ctx)
			})
			require.NoError(t, err)
		})
	}
}

// A young object that only an old array refers to, at any height, lives: by Set and by Append.
func TestOldArraysKeepYoungObjects(t *testing.T) {
	for _, n := range []int{5, 130, 16_400} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			_, err := in(t, hard, func(cctx **rt.Ctx, h *holder) {
				a := gc.MakeArray[Node](*cctx, n)
				for round := range int32(10) {
					f := gc.Push(*cctx, (*byte)(a.Root()))
					gc.Collect(cctx) // all that there is becomes old
					ctx := *cctx
					f.Pop(ctx)
					a.Set(ctx, n-1, NewNode(ctx, nil, nil, round, -round))
					for k := range int32(40) {
						a = a.Append(ctx, NewNode(ctx, nil, nil, round+k, -round-k))
					}
					f = gc.Push(ctx, (*byte)(a.Root()))
					gc.Safepoint(cctx) // a minor collection
					f.Pop(*cctx)
					assert.Equal(t, round, a.At(n-1).I)
					for k := range int32(40) {
						v := a.At(a.Len() - 40 + int(k))
						assert.Equal(t, round+k, v.I)
						assert.Equal(t, -v.I, v.J)
					}
				}
			})
			require.NoError(t, err)
		})
	}
}

// Stores into a long array make the next minor collection look at the nodes that they went to, of 128 slots each.
func TestStoresLogNodesOfLongArrays(t *testing.T) {
	const n = 200_000
	_, err := in(t, rt.Config{Workers: 1}, func(cctx **rt.Ctx, h *holder) {
		a := gc.MakeArray[Node](*cctx, n)
		f := gc.Push(*cctx, (*byte)(a.Root()))
		for _, nodes := range []int{1, 2, 7} {
			gc.Collect(cctx)
			ctx := *cctx
			assert.Zero(t, ctx.Heap().Stats().Logged)
			for i := range nodes * 128 {
				a.Set(ctx, 64_000+i, nil)
			}
			assert.Equal(t, nodes, ctx.Heap().Stats().Logged)
		}
		f.Pop(*cctx)
	})
	require.NoError(t, err)
}

func TestArraysTravel(t *testing.T) {
	const n = 400
	_, err := in(t, hard, func(cctx **rt.Ctx, h *holder) {
		ctx := *cctx
		for name, out := range map[string]func(ctx *rt.Ctx, p *unsafe.Pointer) *gc.Fragment{
			"copy": func(ctx *rt.Ctx, p *unsafe.Pointer) *gc.Fragment { return gc.CopyOut(ctx, p) },
			"val":  func(ctx *rt.Ctx, p *unsafe.Pointer) *gc.Fragment { return gc.ShareOut(ctx, nil, p) },
			"iso":  func(ctx *rt.Ctx, p *unsafe.Pointer) *gc.Fragment { return gc.MoveOut(ctx, nil, p) },
		} {
			a := gc.Isolate(ctx, func(ctx *rt.Ctx) (a gc.Array[Node]) {
				for i := range int32(n) {
					a = a.Append(ctx, NewNode(ctx, nil, nil, i, -i))
				}
				return a
			})
			gc.Adopt(ctx, out(ctx, (*unsafe.Pointer)(unsafe.Pointer(&a))))
			f := gc.Push(ctx, (*byte)(a.Root()))
			gc.Collect(cctx)
			ctx = *cctx
			assert.Equal(t, n, a.Len(), name)
			for i, v := range a.All() {
				assert.Equal(t, int32(i), v.I, name)
			}
			if name == "val" {
				assert.Panics(t, func() { a.Set(ctx, 3, nil) })
				assert.Panics(t, func() { a.Append(ctx, nil) })
				assert.Equal(t, n, a.Len(), "a store that panics changes nothing")
			} else {
				a = a.Append(ctx, nil)
				assert.Equal(t, n+1, a.Len(), name)
			}
			f.Pop(ctx)
		}
	})
	require.NoError(t, err)
}

// An array that does not get its memory is as it was.
func TestArrayAtTheLimit(t *testing.T) {
	_, err := in(t, rt.Config{Workers: 1, MemoryLimit: 4 << 20}, func(cctx **rt.Ctx, h *holder) {
		ctx := *cctx
		var a gc.Array[Node]
		failed := func(f func()) (failed bool) {
			defer func() {
				if p := recover(); p != nil {
					var limit *heap.LimitError
					assert.ErrorAs(t, p.(error), &limit)
					failed = errors.As(p.(error), &limit)
				}
			}()
			f()
			return false
		}
		n := 0
		for !failed(func() { a = a.Append(ctx, nil) }) {
			n++
		}
		assert.Greater(t, n, 100_000)
		assert.Equal(t, n, a.Len())
		assert.True(t, failed(func() { a.Append(ctx, nil) }))
		assert.Equal(t, n, a.Len())
		count := 0
		for range a.All() {
			count++
		}
		assert.Equal(t, n, count)
	})
	require.NoError(t, err)
}

func TestImpossibleArrays(t *testing.T) {
	_, err := in(t, hard, func(cctx **rt.Ctx, h *holder) {
		assert.PanicsWithValue(t, "gc: MakeArray of -1 elements", func() { gc.MakeArray[Node](*cctx, -1) })
		assert.PanicsWithValue(t, "gc: index 0 of an Array of length 0", func() { gc.Array[Node]{}.At(0) })
		assert.Zero(t, gc.MakeArray[Node](*cctx, 0).Len())
	})
	require.NoError(t, err)
}
