package heap

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"
)

// HeapStats are the figures of one heap. For its owner.
type HeapStats struct {
	Minor, Full uint64 // collections
	Allocated   uint64 // bytes handed out up to the last collection
	Survived    uint64 // bytes found live that were not old before
	Pending     uint64 // bytes handed out since
	Old         uint64 // bytes of old objects; exact after a full collection, else with those that died since
	Held        int64  // bytes of memory that the heap owns
	Logged      int    // entries of the remembered set
	Exported    int    // own objects that others hold
	Imported    int    // others' objects that the heap holds

	Paused, LastPause, MaxPause time.Duration // of all collections in sum, of the last one, of the longest
}

// Collection is what one collection did. Bytes are those of one heap but for Used.
type Collection struct {
	Heap      uintptr // an id of the heap, good while it lives
	Number    uint64  // of this heap's collections, from 1
	Full      bool
	Allocated uint64 // handed out since the one before
	Survived  uint64 // found live that was not old before; in a full one all that is live
	Live      uint64 // of old objects now; after a minor one those that died since the last full one are among them
	Held      int64  // of memory that the heap owns now
	Used      int64  // by all heaps of the Space
	Pause     time.Duration
}

// String is a line for people.
func (c Collection) String() string {
	kind := "minor"
	if c.Full {
		kind = "full"
	}
	return fmt.Sprintf("gc %d heap %#x %-5s allocated %d KiB, survived %d KiB, live %d KiB, held %d KiB, all heaps %d KiB, pause %v",
		c.Number, c.Heap, kind, c.Allocated>>10, c.Survived>>10, c.Live>>10, c.Held>>10, c.Used>>10, c.Pause)
}

// collected counts a collection and tells who wants to know.
func (h *Heap) collected(full bool, allocated, survived uintptr, pause time.Duration) {
	h.stats.Paused, h.stats.LastPause, h.stats.MaxPause = h.stats.Paused+pause, pause, max(h.stats.MaxPause, pause)
	h.space.counts.collected(full, pause)
	if tell := h.space.config.OnCollect; tell != nil {
		tell(Collection{
			Heap: uintptr(unsafe.Pointer(h)), Number: h.stats.Minor + h.stats.Full, Full: full,
			Allocated: uint64(allocated), Survived: uint64(survived), Live: uint64(h.old),
			Held: h.mem.bytes, Used: h.space.used.Load(), Pause: pause,
		})
	}
}

// Stats returns the heap's figures.
func (h *Heap) Stats() HeapStats {
	s := h.stats
	s.Pending, s.Old, s.Logged = uint64(h.allocated), uint64(h.old), len(h.logged)
	if h.mem != nil {
		s.Held = h.mem.bytes
	}
	if h.shares != nil {
		s.Exported, s.Imported = len(h.shares.exported), len(h.shares.entries)
	}
	return s
}

// SpaceStats are the figures of all heaps of a Space, dead ones included.
type SpaceStats struct {
	Used        int64  // bytes outside Go's heap that count against the limit: heaps, fragments, cache
	Cached      int64  // of these in the cache, for the next heap that asks
	Heaps       int64  // live heaps that own memory
	Live        int64  // bytes of old objects after each live heap's last collection
	Minor, Full uint64 // collections
	Helped      uint64 // times that others were asked to take part in one (Config.Help), and somebody marked something
	Allocated   uint64 // bytes handed out up to each heap's last collection
	Survived    uint64 // bytes found live that were not old before; the difference was freed young
	Objects     uint64 // objects found live, as Survived
	Pauses      Pauses // one for each collection
}

// String is a line for people.
func (s SpaceStats) String() string {
	return fmt.Sprintf("%d heaps: %d KiB used, %d KiB of them cached; %d KiB live of %d KiB allocated; collections: %d minor, %d full; pauses: %v / %v / %v in sum %v",
		s.Heaps, s.Used>>10, s.Cached>>10, s.Live>>10, s.Allocated>>10, s.Minor, s.Full,
		s.Pauses.Quantile(0.5), s.Pauses.Quantile(0.99), s.Pauses.Max, s.Pauses.Sum)
}

// counts is the live form of SpaceStats. Writers: heaps, with atomic additions. Readers: Stats; each figure is exact,
// all together are no snapshot.
type counts struct {
	heaps, live atomic.Int64
	minor, full atomic.Uint64
	helped      atomic.Uint64
	allocated   atomic.Uint64
	survived    atomic.Uint64
	objects     atomic.Uint64
	pauses      pauseCounter
}

func (n *counts) collected(full bool, pause time.Duration) {
	if full {
		n.full.Add(1)
	} else {
		n.minor.Add(1)
	}
	n.pauses.add(pause)
}

func (s *Space) heapBorn() { s.counts.heaps.Add(1) }
func (s *Space) heapGone() { s.counts.heaps.Add(-1) }

// Stats returns the figures of the space. Any goroutine.
func (s *Space) Stats() SpaceStats {
	return SpaceStats{
		Used: s.used.Load(), Cached: s.cacheSize(), Heaps: s.counts.heaps.Load(), Live: s.counts.live.Load(),
		Minor: s.counts.minor.Load(), Full: s.counts.full.Load(), Helped: s.counts.helped.Load(),
		Allocated: s.counts.allocated.Load(), Survived: s.counts.survived.Load(), Objects: s.counts.objects.Load(),
		Pauses: s.counts.pauses.snapshot(),
	}
}
