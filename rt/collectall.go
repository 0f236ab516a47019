package rt

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"
)

// CollectAll has every actor that has a heap collect it in full and give back what is free, those that are idle included, as
// many at once as there are workers, and returns when all have done so. An actor collects between its behaviours, so that one that is in the middle of
// one, or waits in a get, is waited for. If stdctx ends first, CollectAll returns its error, and what has been asked is still
// done; if the runtime stops, it returns why. Inside a behaviour it returns ErrInside. What an actor held of others'
// objects (gc.Share) is known to those others afterwards, and freed by their next collection.
//
// A runtime does not need it: a heap that is used is collected when that is due. It is for what idle actors keep: garbage of up
// to Config.Nursery and as much again as was live, and free memory for their next messages.
func (rt *Runtime) CollectAll(stdctx context.Context) error {
	if inside() {
		return ErrInside
	}
	c := &collection{done: make(chan struct{})}
	c.left.Store(1) // who asks
	err := rt.Do(stdctx, func(cctx **Ctx) {
		for _, a := range rt.owners.living() {
			c.left.Add(1)
			Send(*cctx, a, Message{B: &collectOwn, P0: unsafe.Pointer(c)})
		}
		c.oneLess()
	})
	if err != nil {
		return fmt.Errorf("rt: CollectAll: %w", err)
	}
	select {
	case <-c.done:
		return nil
	case <-stdctx.Done():
		return fmt.Errorf("rt: CollectAll: %w", stdctx.Err())
	case <-rt.stopped:
		return rt.Err()
	}
}

// collection is a call of CollectAll.
type collection struct {
	// left counts actors that have not collected yet, and who asks them. Writers: all of them, by read-modify-write: who makes it
	// zero is the last.
	left atomic.Int64
	done chan struct{} // closed by the last
}

func (c *collection) oneLess() {
	if c.left.Add(-1) == 0 {
		close(c.done)
	}
}

// collectOwn is the behaviour of an actor that CollectAll asks.
var collectOwn = Behaviour{Name: "collect", Run: runCollectOwn, noLoad: true}

func runCollectOwn(cctx **Ctx, a *Actor, m *Message) {
	c := (*collection)(m.P0)
	m.P0 = nil
	defer c.oneLess() // after a panic of Config.Verify as well
	ctx := *cctx
	a.heap.Shrink(&ctx.Cursor, ctx.strand.roots)
	ctx.settleUp(a.heap)
}

// owners are the actors that have a heap. They are not kept: an actor that nobody can reach goes, and its heap with it.
type owners struct {
	mu   sync.Mutex
	list []weak.Pointer[Actor] // guarded by mu
	room int                   // the length at which the dead are taken out; guarded by mu
}

// firstRoom is when a list is first looked through. Picked; not measured.
const firstRoom = 64

func (o *owners) add(a *Actor) {
	p := weak.Make(a)
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.list) >= max(o.room, firstRoom) {
		o.tidy()
	}
	o.list = append(o.list, p)
}

// tidy takes the dead out. The list may double before the next time. REQUIRES: mu.
func (o *owners) tidy() {
	o.list = slices.DeleteFunc(o.list, func(p weak.Pointer[Actor]) bool { return p.Value() == nil })
	o.room = 2 * len(o.list)
}

// living returns those that are still there.
func (o *owners) living() []*Actor {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tidy()
	all := make([]*Actor, 0, len(o.list))
	for _, p := range o.list {
		if a := p.Value(); a != nil {
			all = append(all, a)
		}
	}
	return all
}
