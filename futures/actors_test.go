package futures_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// The actors and objects of these tests are written by hand, in the form that ctxgen generates.

// clerk is an actor whose messages are closures. Its state is one list in its heap.
type clerk struct {
	rt.Actor
	list *cons
}

var clerkType = rt.ActorType{Name: "test.clerk", Trace: func(a *rt.Actor, t *gc.Tracer) {
	t.Mark(unsafe.Pointer((*clerk)(unsafe.Pointer(a)).list))
}}

type order struct{ f func(cctx **rt.Ctx) }

type question struct {
	f func(cctx **rt.Ctx, reply unsafe.Pointer)
}

var (
	clerkDo  = rt.Behaviour{Name: "Do", Run: runClerkDo}
	clerkAsk = rt.Behaviour{Name: "Ask", Run: runClerkAsk, Fail: futures.FailReply}
)

func runClerkDo(cctx **rt.Ctx, _ *rt.Actor, m *rt.Message) {
	o := (*order)(m.P0)
	m.P0 = nil
	o.f(cctx)
}

func runClerkAsk(cctx **rt.Ctx, _ *rt.Actor, m *rt.Message) {
	q, reply := (*question)(m.P0), m.P1
	m.P0, m.P1 = nil, nil
	q.f(cctx, reply)
}

func spawn(ctx *rt.Ctx) *clerk {
	a := new(clerk)
	rt.Spawn(ctx, &a.Actor, &clerkType)
	return a
}

// do sends the clerk a closure to run as a behaviour, one way.
func (a *clerk) do(ctx *rt.Ctx, f func(cctx **rt.Ctx)) {
	rt.Send(ctx, &a.Actor, rt.Message{B: &clerkDo, P0: unsafe.Pointer(&order{f})})
}

// ask sends the clerk a closure to run as a behaviour with a future.
func ask[T any](ctx *rt.Ctx, a *clerk, f func(cctx **rt.Ctx) (T, error)) futures.Future[T] {
	p := futures.NewPromiseFor[T](ctx, &a.Actor, &clerkAsk)
	rt.Send(ctx, &a.Actor, rt.Message{B: &clerkAsk, P1: p.Pointer(), P0: unsafe.Pointer(&question{
		func(cctx **rt.Ctx, reply unsafe.Pointer) {
			p := futures.PromiseAt[T](reply)
			if !p.Wanted() {
				return
			}
			v, err := f(cctx)
			_ = p.Settle(*cctx, v, err)
		}})})
	return p.Future()
}

// echo is a clerk's plainest answer.
func echo[T any](v T) func(**rt.Ctx) (T, error) {
	return func(**rt.Ctx) (T, error) { return v, nil }
}

// cons is a list in an actor's heap.
type cons struct {
	next  *cons
	value int64
}

func (*cons) EncoreObject() {}

var (
	consType   = gc.NewType("test.cons", unsafe.Sizeof(cons{}), unsafe.Offsetof(cons{}.next))
	consHeader = consType.Header()
)

type consBits struct {
	next  uintptr
	value int64
}

func newCons(ctx *rt.Ctx, next *cons, value int64) *cons {
	p := gc.Alloc(ctx, gc.HeaderSize+unsafe.Sizeof(cons{}), consHeader, gc.Refill)
	*(*consBits)(p) = consBits{uintptr(unsafe.Pointer(next)), value}
	return (*cons)(p)
}

// numbers is the list 0 to n-1 in the running actor's heap, plus an offset.
func numbers(ctx *rt.Ctx, n, offset int64) *cons {
	var list *cons
	for i := n - 1; i >= 0; i-- {
		list = newCons(ctx, list, i+offset)
	}
	return list
}

// isNumbers reports whether list is what numbers makes.
func isNumbers(list *cons, n, offset int64) bool {
	for i := range n {
		if list == nil || list.value != i+offset {
			return false
		}
		list = list.next
	}
	return list == nil
}

// strict finds heap pointers that nobody keeps alive.
var strict = rt.Config{CollectAlways: true, Poison: true, Verify: true}

func runtimeOf(t testing.TB, cfg rt.Config) *rt.Runtime {
	t.Helper()
	r, err := rt.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

// pauses makes steps of the protocols wait a little, at random, so that others come in between. Only invariant builds
// have the points where that is done.
func pauses(t testing.TB) {
	t.Cleanup(invariant.OnPoint(func(string) {
		if rand.N(4) == 0 {
			runtime.Gosched()
		}
	}))
}

// run runs main to the end of the run on a runtime of its own.
func run(t testing.TB, cfg rt.Config, main func(cctx **rt.Ctx)) error {
	t.Helper()
	defer hammer.Watch(t, hammer.Limit)()
	return runtimeOf(t, cfg).Run(main)
}
