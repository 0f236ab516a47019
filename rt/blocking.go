package rt

import (
	"fmt"
	"runtime/debug"
)

// Blocking calls f, which may block in a system call or on a Go channel, without holding the worker: the behaviour waits
// as in Block, f runs on a goroutine of its own, and the worker goes on with other actors. The run stays open
// meanwhile. f must not use the context, and may use what the behaviour has, which stands still.
//
// A panic in f is passed on to the behaviour as a *PanicError with f's stack. Returns ErrClosed, without a call of f, when
// the runtime is closing; if it closes later, f goes on by itself.
func Blocking(cctx **Ctx, f func()) error {
	ctx := *cctx
	c := &blockingCall{f: f, rt: ctx.worker.rt, actor: ctx.self}
	if err := Block(cctx, c); err != nil {
		return err
	}
	if c.failed != nil {
		panic(c.failed)
	}
	return nil
}

// blockingCall is the wait of Blocking. Owner: the behaviour; between Commit and the push of the actor, the goroutine.
type blockingCall struct {
	f      func()
	rt     *Runtime
	actor  *Actor
	failed error
}

func (c *blockingCall) Describe() string { return "a blocking call" }

func (c *blockingCall) Commit(*Waiter) bool {
	hold := c.rt.Hold()
	call := func() {
		returned := false
		defer func() {
			if !returned {
				c.failed = c.failure(recover())
			}
			// The strand owned the actor and has set resume; from here on whoever takes it from the queue does.
			c.rt.inject.Push(c.actor)
			c.rt.wakeOne()
			hold.Release()
		}()
		c.f()
		returned = true
	}
	if c.rt.driver != nil {
		call() // no goroutine beside the driver: nothing else moves meanwhile
	} else {
		go call()
	}
	return true
}

// failure makes an error of what ended f.
func (c *blockingCall) failure(value any) error {
	if value == nil {
		value = ErrGoexit
	}
	return fmt.Errorf("in a blocking call: %w", &PanicError{
		Actor: c.actor.typ.Name, Behaviour: "Blocking", Value: value, Stack: debug.Stack(),
	})
}
