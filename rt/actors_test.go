package rt_test

import (
	"context"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/rt"
)

// The actors of these tests are written by hand, in the form that ctxgen generates.

// scripted is an actor whose messages are closures.
type scripted struct {
	rt.Actor
	name string
}

var scriptedType = rt.ActorType{Name: "test.scripted"}

type call struct{ f func(cctx **rt.Ctx) }

var (
	callOneWay = rt.Behaviour{Name: "Call", Run: runCall}
	countUp    = rt.Behaviour{Name: "Count", Run: runCount}
)

func runCall(cctx **rt.Ctx, _ *rt.Actor, m *rt.Message) {
	c := (*call)(m.P0)
	m.P0 = nil
	c.f(cctx)
}

func runCount(_ **rt.Ctx, _ *rt.Actor, m *rt.Message) {
	n := (*uint64)(m.P0)
	m.P0 = nil
	*n += m.W0
}

func spawn(ctx *rt.Ctx) *scripted {
	a := new(scripted)
	rt.Spawn(ctx, &a.Actor, &scriptedType)
	return a
}

// do sends the actor a closure to run as a behaviour.
func (a *scripted) do(ctx *rt.Ctx, f func(cctx **rt.Ctx)) {
	rt.Send(ctx, &a.Actor, rt.Message{B: &callOneWay, P0: unsafe.Pointer(&call{f})})
}

// gate is a wait that somebody opens, once; the simplest thing one can build on the door.
type gate struct {
	mu      sync.Mutex
	open    bool
	waiters *rt.Waiter
	last    **rt.Waiter
}

func (g *gate) Describe() string { return "a gate" }

func (g *gate) Commit(w *rt.Waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open {
		return false
	}
	w.Next = nil
	if g.waiters == nil {
		g.waiters = w
	} else {
		*g.last = w
	}
	g.last = &w.Next
	return true
}

func (g *gate) unlock(ctx *rt.Ctx) {
	g.mu.Lock()
	g.open = true
	w := g.waiters
	g.waiters = nil
	g.mu.Unlock()
	for w != nil {
		next := w.Next
		rt.Unpark(ctx, w)
		w = next
	}
}

// within fails the test if f takes longer: a watchdog, not a measurement.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		require.FailNow(t, "it hangs")
	}
}

func runtimeOf(t *testing.T, cfg rt.Config) *rt.Runtime {
	t.Helper()
	r, err := rt.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

// run runs main to the end of the run on a runtime of its own.
func run(t *testing.T, cfg rt.Config, main func(cctx **rt.Ctx)) error {
	t.Helper()
	r := runtimeOf(t, cfg)
	var err error
	within(t, func() { err = r.Run(main) })
	return err
}

var background = context.Background()
