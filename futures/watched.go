package futures

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/encorert/encorert/rt"
)

// NewWatchedPromise makes a promise that may change hands, and the future of its answer, which fails with ErrAbandoned when
// nobody holds the promise any more: no actor that anybody can reach, no message, no function that is still to be called. Go's
// collector finds that out; while a behaviour waits for such a future, a collection is started after a second, and again after
// two, four and so on, up to a minute. A leaf; it costs several times what NewPromise does: the collector's note of it alone
// takes 260 ns.
//
// The future is not what Promise.Future returns, which would hold the promise. In systematic mode (rt.Config.Seed) nobody
// watches.
//
// It is for promises made by hand. One that a send has made (AskDeposit) is answered, or failed, by the runtime when the
// behaviour has ended, whatever way.
func NewWatchedPromise[T any](ctx *rt.Ctx) (Promise[T], Future[T]) {
	p := NewPromise[T](ctx, nil)
	c := new(cell[T])
	c.init(ctx, nil, &watched)
	// The promise names the cell of the future, by way of this relay, and the future nothing of the promise.
	n := &forward[T]{from: p.c, to: c}
	n.reaction = n
	p.c.react(ctx, &n.node)
	if c.runtime.Signature() == 0 {
		runtime.AddCleanup(p.c, (*header).abandon, &c.header)
	}
	return p, Future[T]{c}
}

// watched is who is to answer a watched future, for reports.
var watched = rt.Behaviour{Name: "a promise that is watched"}

// abandon is called by Go's collector when the promise is gone.
func (h *header) abandon() {
	if h.answered() {
		return
	}
	go func() { // Do waits, and other cleanups must not wait for it
		// The error says that the runtime has stopped, and so that nobody waits any more.
		_ = h.runtime.Do(context.Background(), func(cctx **rt.Ctx) { _ = h.fail(*cctx, ErrAbandoned) })
	}()
}

// patience is how collections are started while behaviours wait for watched futures. One for all runtimes: so is the
// collector.
var patience struct {
	// waiting is how many wait. Writers: who waits. Readers: the clock.
	waiting atomic.Int64
	// ticking says that the clock will look. Writers: who waits, from false to true; the clock, back. It looks at waiting after
	// that, and who waits has counted himself before he looks at ticking: one of them sees the other.
	ticking atomic.Bool
	// after is the time up to the next collection. Owner: who has set ticking.
	after time.Duration
}

// The first collection comes after a second, since the others of a program are as long apart where little is allocated.
// Picked; so is the last.
const (
	firstPatience = time.Second
	mostPatience  = time.Minute
)

// waitsLong is called around the wait for a watched future, with 1 and -1.
func (h *header) waitsLong(change int64) {
	if h.behaviour != &watched {
		return
	}
	if patience.waiting.Add(change); change > 0 && patience.ticking.CompareAndSwap(false, true) {
		patience.after = firstPatience
		time.AfterFunc(patience.after, collectForWaiters)
	}
}

func collectForWaiters() {
	if patience.waiting.Load() > 0 {
		runtime.GC()
		patience.after = min(2*patience.after, mostPatience)
		time.AfterFunc(patience.after, collectForWaiters)
		return
	}
	patience.ticking.Store(false)
	if patience.waiting.Load() > 0 && patience.ticking.CompareAndSwap(false, true) {
		patience.after = firstPatience
		time.AfterFunc(patience.after, collectForWaiters)
	}
}
