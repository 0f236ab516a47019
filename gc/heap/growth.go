package heap

import (
	"runtime"
	"sync/atomic"
	"time"
)

// growth starts Go's collector, which cannot see memory outside its heap: the heaps of dead actors are released by
// cleanups, and those run only after a collection of Go's.
type growth struct {
	// next is the number of used bytes that starts the next collection. Writers: the collecting goroutine. Readers:
	// due; one that sees the older, lower value tries to start one more, and running stops it or lets it be early.
	next atomic.Int64
	// running is true while a collection that was started here runs. The CompareAndSwap in due is what admits one at a
	// time; the Store after the collection pairs with it.
	running atomic.Bool
	// inVain is when memory was last refused for good; guarded by Space.mu.
	inVain time.Time
}

// due admits one collection when the used bytes have doubled, or have come halfway to the limit. REQUIRES: Space.mu.
func (g *growth) due(used, limit int64) bool {
	next := max(g.next.Load(), goCollectFloor)
	if limit > 0 {
		next = min(next, max(g.next.Load(), limit/2))
	}
	return used >= next && g.running.CompareAndSwap(false, true)
}

// collectGo runs Go's collector, and sets the mark for the next time by what is left when the cleanups have run.
func (s *Space) collectGo() {
	runtime.GC()
	time.Sleep(cleanupTime)
	used := s.used.Load()
	next := 2 * used
	if limit := s.config.Limit; limit > 0 {
		next = min(next, used+(limit-used)/2)
	}
	s.growth.next.Store(next)
	s.growth.running.Store(false)
}

// cleanupTime is what Go's cleanups get to release heaps (picked: hundreds of times what one takes).
const cleanupTime = 5 * time.Millisecond

// mayForce admits a collection for want of memory, but not for a while after one in vain: a program that lives at its
// limit would pay for one with each allocation that fails. REQUIRES: Space.mu.
func (g *growth) mayForce() bool { return time.Since(g.inVain) > 100*time.Millisecond }

// collectGarbage runs Go's collector and gives the cleanups a little time to release n bytes.
func (s *Space) collectGarbage(n int64) {
	runtime.GC()
	for range 10 {
		if s.used.Load()-s.cacheSize()+n <= s.config.Limit {
			return
		}
		time.Sleep(cleanupTime / 5)
	}
}

func (s *Space) cacheSize() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cached
}
