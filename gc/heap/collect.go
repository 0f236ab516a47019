package heap

import (
	"fmt"
	"time"
)

// Collect frees what the roots no longer reach. It is minor normally: old objects are taken for live, and young ones are
// found through the roots and the remembered set. It is full when the old generation has doubled since the last full
// one. roots must call Tracer.Mark for every reference into the heap from outside. c is the running actor's cursor; it
// is empty afterwards.
func (h *Heap) Collect(c *Cursor, roots func(*Tracer)) {
	h.collect(c, roots, h.fullDue(h.space.pace()))
}

// CollectFull is Collect, but always full.
func (h *Heap) CollectFull(c *Cursor, roots func(*Tracer)) { h.collect(c, roots, true) }

// Shrink collects in full and then keeps no free memory for the next cycle, but what is between objects: for an actor that will
// be idle. The nursery starts small again. c and roots as for Collect.
func (h *Heap) Shrink(c *Cursor, roots func(*Tracer)) {
	h.collect(c, roots, true)
	if h.mem != nil {
		h.trim(0)
		h.trigger = h.space.pace().start().trigger
	}
}

func (h *Heap) collect(c *Cursor, roots func(*Tracer), full bool) {
	*c, h.aside = Cursor{}, Cursor{}
	if h.mem == nil {
		return
	}
	start := time.Now()
	if full {
		h.forget()
	}
	t := h.space.takeTracer()
	if s := h.shares; s != nil {
		s.beginTrace(h, full)
	}
	t.begin(h)
	if s := h.shares; s != nil {
		s.markExports(t, full)
	}
	h.takeLogged(t, full)
	roots(t)
	h.blacken(t)
	if s := h.shares; s != nil {
		s.endTrace(full)
	}
	t.heap, t.shares = nil, nil // it is pooled
	allocated, survived := h.allocated, t.bytes
	h.account(t, full)
	h.sweep(full)
	h.space.giveTracer(t)
	h.collected(full, allocated, survived, time.Since(start))
	if h.space.config.Verify {
		if err := h.verify(c, roots, true); err != nil {
			panic(fmt.Sprintf("heap: after collection %d: %v", h.stats.Minor+h.stats.Full, err))
		}
	}
}

// forget takes the marks of all objects away, by changing what counts as one, and those of all lines. Objects that are
// dead keep an old mark that may become valid again; nothing refers to them, so nobody will look.
func (h *Heap) forget() {
	h.epoch ^= flagsMark
	for _, list := range [...][]chunk{h.mem.avail, h.mem.full} {
		for i := range list {
			clear(list[i].marks())
		}
	}
	for _, r := range h.mem.regions {
		for i := range r.chunks {
			clear(r.chunks[i].marks())
		}
	}
}

// account settles the figures after a collection and sets the trigger of the next.
func (h *Heap) account(t *Tracer, full bool) {
	if full {
		h.stats.Full++
	} else {
		h.stats.Minor++
	}
	h.stats.Allocated += uint64(h.allocated)
	h.stats.Survived += uint64(t.bytes)
	h.space.counts.allocated.Add(uint64(h.allocated))
	h.space.counts.survived.Add(uint64(t.bytes))
	h.space.counts.objects.Add(uint64(t.objects))
	h.pacer = h.after(h.space.pace(), t.bytes, full)
	h.space.counts.live.Add(int64(h.old) - h.mem.live)
	h.mem.live = int64(h.old)
}
