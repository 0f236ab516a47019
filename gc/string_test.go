package gc_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

func TestStrings(t *testing.T) {
	texts := []string{"", "a", "b", "ab", "\x00", strings.Repeat("long ", 20_000)}
	_, err := in(t, hard, func(cctx **rt.Ctx, h *holder) {
		for _, a := range texts {
			for _, b := range texts {
				ctx := *cctx
				x, y := gc.NewString(ctx, a), gc.NewString(ctx, b)
				f := gc.Push2(ctx, (*byte)(x.Root()), (*byte)(y.Root()))
				gc.Collect(cctx)
				ctx = *cctx
				assert.Equal(t, len(a), x.Len())
				assert.Equal(t, a == b, x.Equal(y))
				assert.Equal(t, cmp.Compare(a, b), x.Compare(y))
				if a == b {
					assert.Equal(t, x.Hash(), y.Hash())
				} else {
					assert.NotEqual(t, x.Hash(), y.Hash())
				}
				both := gc.Concat(ctx, x, y, x)
				assert.Equal(t, a+b+a, both.View())
				assert.True(t, both.Equal(gc.NewString(ctx, a, b, a)))
				f.Pop(ctx)
			}
		}
	})
	require.NoError(t, err)
}

// What String returns stays when the heap's memory is used again.
func TestStringCopies(t *testing.T) {
	_, err := in(t, hard, func(cctx **rt.Ctx, h *holder) {
		s := gc.NewString(*cctx, "kept").String()
		gc.Collect(cctx)
		gc.NewString(*cctx, "other")
		assert.Equal(t, "kept", s)
	})
	require.NoError(t, err)
}

func TestStringsTravel(t *testing.T) {
	_, err := in(t, hard, func(cctx **rt.Ctx, h *holder) {
		ctx := *cctx
		for name, out := range map[string]func(ctx *rt.Ctx, p *unsafe.Pointer) *gc.Fragment{
			"copy": func(ctx *rt.Ctx, p *unsafe.Pointer) *gc.Fragment { return gc.CopyOut(ctx, p) },
			"val":  func(ctx *rt.Ctx, p *unsafe.Pointer) *gc.Fragment { return gc.ShareOut(ctx, nil, p) },
			"iso":  func(ctx *rt.Ctx, p *unsafe.Pointer) *gc.Fragment { return gc.MoveOut(ctx, nil, p) },
		} {
			s := gc.Isolate(ctx, func(ctx *rt.Ctx) gc.String { return gc.NewString(ctx, name) })
			gc.Adopt(ctx, out(ctx, (*unsafe.Pointer)(unsafe.Pointer(&s))))
			assert.Equal(t, name, s.View())
		}
	})
	require.NoError(t, err)
}

func TestRefs(t *testing.T) {
	type stranger struct{ left, right, same uint64 }
	strangerType := gc.NewType("test.stranger", unsafe.Sizeof(stranger{}))
	_, err := in(t, hard, func(cctx **rt.Ctx, h *holder) {
		ctx := *cctx
		n := NewNode(ctx, nil, nil, 1, -1)
		r, none := gc.RefTo(n), gc.RefTo[Node](nil)
		assert.Same(t, n, gc.Cast[Node](r))
		assert.Nil(t, gc.Cast[stranger](r), "no Ref to one was made")
		s := (*stranger)(gc.Alloc(ctx, gc.HeaderSize+strangerType.Size(), strangerType.Header(), gc.Refill))
		*s = stranger{}
		assert.Same(t, s, gc.Cast[stranger](gc.RefTo(s)))
		assert.Nil(t, gc.Cast[Node](gc.RefTo(s)))
		assert.Nil(t, gc.Cast[stranger](r))
		assert.Same(t, nodeType, r.Type())
		assert.Equal(t, r, gc.RefTo(n))
		assert.NotEqual(t, r, gc.RefTo(NewNode(ctx, nil, nil, 1, -1)))
		assert.True(t, none.IsNil())
		assert.Nil(t, gc.Cast[Node](none))
		assert.Nil(t, none.Type())
		assert.PanicsWithValue(t, "gc: RefTo a *gc_test.stranger, which points to a *gc_test.Node", func() { gc.RefTo((*stranger)(unsafe.Pointer(n))) })
		//ctxcheck:ignore it is what RefTo refuses
		assert.Panics(t, func() { gc.RefTo(new(Node)) })
		f := gc.Push(ctx, (*byte)(r.Root()))
		gc.Collect(cctx)
		assert.EqualValues(t, 1, gc.Cast[Node](r).I)
		f.Pop(*cctx)
	})
	require.NoError(t, err)
}

// within runs f in a new runtime's first behaviour, for examples.
func within(f func(cctx **rt.Ctx)) {
	r, err := rt.New(rt.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	if err := r.Run(f); err != nil {
		fmt.Println(err)
	}
}

func ExampleString() {
	within(func(cctx **rt.Ctx) {
		ctx := *cctx
		hello := gc.NewString(ctx, "hello")
		both := gc.Concat(ctx, hello, gc.NewString(ctx, ", world"))
		fmt.Println(both, both.Len(), hello.Compare(both))
	})
	// Output: hello, world 12 -1
}

// Cast is the type test.
func ExampleRef() {
	within(func(cctx **rt.Ctx) {
		r := gc.RefTo(NewNode(*cctx, nil, nil, 7, -7))
		if n := gc.Cast[Node](r); n != nil {
			fmt.Println(n.I, r.Type().Name())
		}
	})
	// Output: 7 test.Node
}

// Append's result takes the place of what it was called of.
func ExampleArray() {
	within(func(cctx **rt.Ctx) {
		ctx := *cctx
		var a gc.Array[Node]
		for i := range int32(300) {
			a = a.Append(ctx, NewNode(ctx, nil, nil, i, -i))
		}
		a.Set(ctx, 0, NewNode(ctx, nil, nil, 1000, -1000))
		total := 0
		for _, n := range a.All() {
			total += int(n.I)
		}
		fmt.Println(a.Len(), a.At(299).I, total)
	})
	// Output: 300 299 45850
}
