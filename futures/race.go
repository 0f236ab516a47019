package futures

import (
	"fmt"
	"sync/atomic"

	"github.com/encorert/encorert/rt"
)

// Race returns a future with the first answer that one of fs gets, value or error. A leaf. The others go on; cancel them if
// nobody else wants them. When it is answered, or cancelled, nothing of it stays with the others.
func Race[T any](ctx *rt.Ctx, fs ...Future[T]) Future[T] {
	return newContest("Race", firstAnswer[T], len(fs)).start(ctx, fs)
}

// Any is Race that answers which of fs was answered first, by its index.
func Any[T any](ctx *rt.Ctx, fs ...Future[T]) Future[int] {
	return newContest("Any", firstIndex[T], len(fs)).start(ctx, fs)
}

// FirstSuccess returns a future with the first value that one of fs gets. If all of them fail, it fails with an
// *AllFailedError. A leaf; otherwise as Race.
func FirstSuccess[T any](ctx *rt.Ctx, fs ...Future[T]) Future[T] {
	c := newContest("FirstSuccess", firstValue[T], len(fs))
	c.failed = make([]error, len(fs))
	c.missing.Store(int64(len(fs)))
	return c.start(ctx, fs)
}

// Follow returns a future of the same answer, to be cancelled by itself: Cancel of it ends the waits for it, and those for
// f go on. A leaf. When it is cancelled nothing of it stays with f.
func (f Future[T]) Follow(ctx *rt.Ctx) Future[T] { return Race(ctx, f) }

// AllFailedError is why FirstSuccess has failed.
type AllFailedError struct {
	Errors []error // of the futures, in their order
}

func (e *AllFailedError) Error() string {
	return fmt.Sprintf("futures: all of %d futures have failed, the first with: %v", len(e.Errors), e.Errors[0])
}

// Unwrap gives the errors.
func (e *AllFailedError) Unwrap() []error { return e.Errors }

// contest is what waits for the first of several futures. It is a reaction on the derived future: when that is answered, by
// whomever, all who are still waiting leave.
type contest[T, U any] struct {
	node
	derived cell[U]
	entries []contestant[T, U]
	// judge reports whether the answer of from decides it; then it has claimed the derived future and written its answer.
	judge func(c *contest[T, U], i int, from *cell[T]) bool
	// failed and missing are of FirstSuccess. Writers of failed: each contestant its own, before it takes itself from missing.
	// Readers: the last. missing makes that visible, by read-modify-write.
	failed  []error
	missing atomic.Int64
}

// contestant waits for one of the futures. It is a relay to the derived one.
type contestant[T, U any] struct {
	entry
	contest *contest[T, U]
	from    *cell[T]
	i       int
}

func newContest[T, U any](name string, judge func(c *contest[T, U], i int, from *cell[T]) bool, n int) *contest[T, U] {
	if n == 0 {
		panic("futures: " + name + " of no futures")
	}
	c := &contest[T, U]{judge: judge}
	c.reaction = c
	return c
}

func (c *contest[T, U]) start(ctx *rt.Ctx, fs []Future[T]) Future[U] {
	ctx.CheckLeaf()
	c.derived.init(ctx, nil, nil)
	entries := make([]contestant[T, U], len(fs))
	for i, f := range fs {
		e := &entries[i]
		e.contest, e.from, e.i = c, f.cell(), i
		e.from.check(ctx)
		e.reaction = e
	}
	for i := range entries {
		e := &entries[i]
		if !e.from.enter(&e.entry, nil) {
			rt.Flush(ctx)
			carryOn(ctx, &e.Waiter)
		}
		if c.derived.answered() {
			entries = entries[:i+1]
			break
		}
	}
	// Only now: nobody takes out an entry that somebody else puts in.
	c.entries = entries
	c.derived.react(ctx, &c.node)
	return Future[U]{&c.derived}
}

// told lets all leave who wait.
func (c *contest[T, U]) told(*rt.Ctx) *rt.Waiter {
	for i := range c.entries {
		c.entries[i].leave()
	}
	c.entries = nil // a future that is kept must not keep the others
	return nil
}

func (e *contestant[T, U]) told(*rt.Ctx) *rt.Waiter { return &e.Waiter }

func (e *contestant[T, U]) pass(*rt.Ctx) *header {
	if !e.contest.judge(e.contest, e.i, e.from) {
		return nil
	}
	return &e.contest.derived.header
}

func firstAnswer[T any](c *contest[T, T], _ int, from *cell[T]) bool { return c.derived.answerAs(from) }

func firstIndex[T any](c *contest[T, int], i int, _ *cell[T]) bool {
	if !c.derived.claim() {
		return false
	}
	c.derived.value = i
	return true
}

func firstValue[T any](c *contest[T, T], i int, from *cell[T]) bool {
	if from.err == nil {
		return c.derived.answerAs(from)
	}
	c.failed[i] = from.err
	if c.missing.Add(-1) != 0 || !c.derived.claim() {
		return false
	}
	c.derived.err = &AllFailedError{c.failed}
	return true
}
