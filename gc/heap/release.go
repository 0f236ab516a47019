package heap

import (
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/encorert/encorert/internal/arena"
)

// trimInterval is how often free memory is looked at, while there is any: what nobody has needed since the last look goes
// back, so memory stays for one to two intervals after it was last of use. Fresh pages cost 2 us for 4 KiB, so what comes
// and goes within a second, as the heaps of one runtime after the other do, should stay. Picked; not measured.
const trimInterval = time.Second

// afterFunc sets timers; a test that looks by itself replaces it.
var afterFunc = time.AfterFunc

// trimming is true while a timer is set that will look at the arena's free memory. Any goroutine. The CompareAndSwap in
// trimLater admits one timer at a time; trimArena's Store comes before its look, so that who frees after the look sets
// the next one.
var trimming atomic.Bool

// trimLater has the pages of free blocks given back to the system some time after they were last of use. It is called when
// memory has gone back to the arena.
func trimLater() {
	if !trimming.Load() && trimming.CompareAndSwap(false, true) {
		afterFunc(trimInterval, trimArena)
	}
}

func trimArena() {
	trimming.Store(false)
	if _, left := arena.Trim(); left > 0 {
		trimLater()
	}
}

// shelf is what a Space keeps of memory that its heaps gave back, for the next one that asks: free chunks of one class.
// Guarded by Space.mu.
type shelf struct {
	free []unsafe.Pointer
	low  int // the least length since the last look
}

func (f *shelf) push(p unsafe.Pointer) { f.free = append(f.free, p) }

// pop returns a chunk; nil when there is none.
func (f *shelf) pop() unsafe.Pointer {
	n := len(f.free)
	if n == 0 {
		return nil
	}
	p := f.free[n-1]
	f.free = f.free[:n-1]
	f.low = min(f.low, n-1)
	return p
}

// takeIdle removes what nobody has asked for since the last call: those at the bottom.
func (f *shelf) takeIdle() []unsafe.Pointer {
	idle := append([]unsafe.Pointer(nil), f.free[:f.low]...)
	f.free = append(f.free[:0], f.free[f.low:]...)
	f.low = len(f.free)
	return idle
}

// trimCacheLater has the cache looked at. It is called when something was put there. REQUIRES: s.mu.
func (s *Space) trimCacheLater() {
	if !s.trimming {
		s.trimming = true
		afterFunc(trimInterval, s.trimCache)
	}
}

// trimCache gives back what the cache, and the tracers, have held without use since the last look.
func (s *Space) trimCache() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trimming = false
	if s.closed {
		return
	}
	for k := range s.cache {
		for _, p := range s.cache[k].takeIdle() {
			s.cached -= int64(class(k).size())
			s.giveMemory(class(k), p)
		}
	}
	// A mark stack is as large as the largest heap needed.
	clear(s.tracers[:s.tracersLow])
	s.tracers = append(s.tracers[:0], s.tracers[s.tracersLow:]...)
	s.tracersLow = len(s.tracers)
	if s.cached > 0 || len(s.tracers) > 0 {
		s.trimCacheLater()
	}
}
