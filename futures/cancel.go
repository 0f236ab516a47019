package futures

import (
	"github.com/encorert/encorert/rt"
)

// Cancel says that nobody wants the answer any more: it answers with ErrCanceled, and reports whether it came before
// any other answer. A leaf. Whoever waits for the future goes on with that error, and what is chained on it fails.
//
// A behaviour that has not begun by then does not run; nor does the function of a Chain. One that has begun goes on, and what
// it returns is dropped; one that takes long looks at Wanted now and then. Cancelling a derived future (of Chain, Follow,
// All and so on) does not cancel what it is derived from: others may want that.
func (f Future[T]) Cancel(ctx *rt.Ctx) bool { return f.cell().fail(ctx, ErrCanceled) == nil }

// Wanted reports whether somebody can still want what the running behaviour is about to answer: false when its future was
// cancelled, or answered by somebody else. True where it has none. A leaf; it costs a few nanoseconds.
func Wanted(ctx *rt.Ctx) bool {
	ctx.CheckLeaf()
	reply := ctx.Reply()
	return reply == nil || !(*header)(reply).answered() // made by Pointer, see FailReply
}

// Wanted reports whether the promise has no answer yet. Generated code asks before it calls a behaviour. From any
// goroutine.
func (p Promise[T]) Wanted() bool { return !p.cell().answered() }
