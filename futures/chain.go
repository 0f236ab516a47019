package futures

import (
	"unsafe"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

// chain is a function that waits for an answer, together with the cell of what it will return.
type chain[T, U any] struct {
	derived cell[U]
	node
	actor  *rt.Actor // that fn runs on
	source *cell[T]
	fn     func(cctx **rt.Ctx, v T) (U, error)
}

// continuation is a reaction that runs as a message.
type continuation interface{ run(cctx **rt.Ctx) }

// chained is the message that calls a function: P0 is its node, P1 the cell of its result, which fails if it panics.
var chained = rt.Behaviour{Name: "chain", Run: runChained, Fail: FailReply}

func runChained(cctx **rt.Ctx, _ *rt.Actor, m *rt.Message) {
	n := (*node)(m.P0)
	m.P0, m.P1 = nil, nil
	n.reaction.(continuation).run(cctx)
}

// Chain calls fn with f's value once it is there, and returns the future of what fn returns. If f fails, so does the
// returned future, with the same error, and fn is not called. A leaf; one Go allocation beside the closure.
//
// fn runs as a message of the actor that calls Chain, behind those that the actor has by then: never inside Chain, even
// when the answer is there already. So it may use the actor's state, and what it captures is safe, but for heap objects: a
// captured one would not be traced (see ChainWith). It has the cctx that it is given, and must not capture another. A
// panic in it fails the returned future with an *rt.PanicError. If the returned future is cancelled before that, fn is not
// called.
//
// Functions chained on one future start in the order of the calls of Chain.
func Chain[T, U any](ctx *rt.Ctx, f Future[T], fn func(cctx **rt.Ctx, v T) (U, error)) Future[U] {
	if fn == nil {
		panic("futures: Chain of a nil function")
	}
	c := new(chain[T, U])
	c.reaction = c
	c.fn = fn
	return c.start(ctx, f)
}

func (c *chain[T, U]) start(ctx *rt.Ctx, f Future[T]) Future[U] {
	c.source = f.cell()
	c.source.check(ctx)
	c.actor = ctx.Self()
	c.derived.init(ctx, c.actor, &chained)
	c.source.react(ctx, &c.node)
	return Future[U]{&c.derived}
}

// react registers a reaction, or has it react at once when all others have been told.
func (h *header) react(ctx *rt.Ctx, n *node) {
	if !h.register(&n.Waiter, done) {
		n.Next = nil // an attempt may have set it
		if relays := n.reaction.told(ctx); relays != nil {
			rt.Flush(ctx) // as whoever answers does
			carryOn(ctx, relays)
		}
	}
}

func (c *chain[T, U]) told(ctx *rt.Ctx) *rt.Waiter {
	c.send(ctx, c.actor)
	rt.Flush(ctx) // whoever finds the future done sends the next one by himself
	return nil
}

// send has the function run on an actor.
func (c *chain[T, U]) send(ctx *rt.Ctx, to *rt.Actor) {
	rt.Send(ctx, to, rt.Message{B: &chained, P0: unsafe.Pointer(&c.node), P1: unsafe.Pointer(&c.derived)})
}

func (c *chain[T, U]) run(cctx **rt.Ctx) {
	fn := c.fn
	if c.derived.answered() { // cancelled
		c.letGo()
		return
	}
	v, err := c.take(*cctx)
	if err != nil {
		_ = c.derived.fail(*cctx, err)
		return
	}
	var u U
	if isObject[T]() {
		frame := hold(*cctx, &v)
		u, err = fn(cctx, v)
		frame.Pop(*cctx)
	} else {
		u, err = fn(cctx, v)
	}
	c.settle(*cctx, u, err)
}

// take reads the answer and lets go of all that the returned future need not keep.
func (c *chain[T, U]) take(ctx *rt.Ctx) (T, error) {
	v, err := c.source.read(ctx)
	c.letGo()
	return v, err
}

func (c *chain[T, U]) letGo() { c.source, c.fn, c.actor = nil, nil, nil }

func (c *chain[T, U]) settle(ctx *rt.Ctx, u U, err error) {
	// Nobody else has the promise, but a panic of Settle itself (memory limit) may come back through FailReply.
	_ = Promise[U]{&c.derived}.Settle(ctx, u, err)
}

// chainWith is a chain that holds a heap object for its function.
type chainWith[T, U, O any, H interface {
	*O
	gc.Object
}] struct {
	chain[T, U]
	kept rt.Kept // Owner: the actor
	with func(cctx **rt.Ctx, v T, h H) (U, error)
}

// ChainWith is Chain for a function that needs an object of the actor's heap: h is kept alive until the function is
// called, and in a frame while it runs. It is the same object, not a copy.
func ChainWith[T, U, O any, H interface {
	*O
	gc.Object
}](ctx *rt.Ctx, f Future[T], h H, fn func(cctx **rt.Ctx, v T, h H) (U, error)) Future[U] {
	if fn == nil {
		panic("futures: ChainWith of a nil function")
	}
	c := new(chainWith[T, U, O, H])
	c.reaction = c
	c.with = fn
	c.kept = rt.Keep(ctx, unsafe.Pointer((*O)(h)))
	return c.start(ctx, f)
}

func (c *chainWith[T, U, O, H]) run(cctx **rt.Ctx) {
	ctx := *cctx
	fn := c.with
	c.with = nil
	// Between Unkeep and the frame nothing collects.
	h := (*O)(rt.Unkeep(ctx, c.kept))
	if c.derived.answered() {
		c.letGo()
		return
	}
	v, err := c.take(ctx)
	if err != nil {
		_ = c.derived.fail(ctx, err)
		return
	}
	frame := gc.Push(ctx, h)
	if isObject[T]() {
		hold(ctx, &v)
	}
	u, err := fn(cctx, v, H(h))
	ctx = *cctx
	frame.Pop(ctx)
	c.settle(ctx, u, err)
}
