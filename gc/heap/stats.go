package heap

import (
	"sync/atomic"
	"time"
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
	Minor, Full uint64 // collections
	Helped      uint64 // times that others were asked to take part in one (Config.Help), and somebody marked something
	Allocated   uint64 // bytes handed out up to each heap's last collection
	Survived    uint64 // bytes found live that were not old before; the difference was freed young
	Objects     uint64 // objects found live, as Survived
	Pauses      Pauses // one for each collection
}

// counts is the live form of SpaceStats. Writers: heaps, with atomic additions. Readers: Stats; each figure is exact,
// all together are no snapshot.
type counts struct {
	heaps       atomic.Int64
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
		Used: s.used.Load(), Cached: s.cacheSize(), Heaps: s.counts.heaps.Load(),
		Minor: s.counts.minor.Load(), Full: s.counts.full.Load(), Helped: s.counts.helped.Load(),
		Allocated: s.counts.allocated.Load(), Survived: s.counts.survived.Load(), Objects: s.counts.objects.Load(),
		Pauses: s.counts.pauses.snapshot(),
	}
}
