package heap

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/encorert/encorert/internal/arena"
)

const (
	// DefaultNursery is the number of bytes between collections of a busy heap. GCBench takes the same time within the
	// noise from 256 KiB to 4 MiB (measured); a larger nursery lets fewer objects grow old, and 2 MiB is the largest whose
	// collection stays below 1 ms when all of it survives (about 10 ns for each object of 32 bytes).
	DefaultNursery = 2 << 20

	// cacheBytes is what a Space keeps of memory that its heaps gave back, for the next one that asks (picked).
	cacheBytes = 2 << 20

	// goCollectFloor: below it growth outside Go's heap never starts Go's collector. Half of what GCBench may take
	// resident, for until Go's collector has run dead heaps are part of that.
	goCollectFloor = 32 << 20
)

// Config configures a Space. The zero value works.
type Config struct {
	// Limit is the most bytes that all heaps, fragments and caches of the Space may hold together; 0: no limit.
	Limit int64
	// Nursery is the number of bytes that a busy heap hands out between two collections; 0: DefaultNursery. A heap
	// starts with a small part of it and doubles it with each collection.
	Nursery uintptr
	// Poison fills freed lines with a pattern that is no header and no address.
	Poison bool
	// Verify checks the whole heap after each collection, and panics when it is broken.
	Verify bool
	// CollectAlways makes Heap.Due true at all times.
	CollectAlways bool
	// Deterministic drops what a cleanup of Go's would owe to other heaps: cleanups come when Go's collector pleases.
	Deterministic bool
	// Guard makes freed blocks inaccessible for the rest of the run: a stale use faults (see arena.Owner.SetGuard).
	Guard bool
	// OnCollect, if set, is told of each collection when it has ended, on its goroutine. It must not allocate from a heap.
	OnCollect func(Collection)
	// Help, if set, is called by a collection that has marked HelpAfter objects and knows of more. It may call m.MarkShare, and
	// may have other goroutines call it at the same time; all calls must have returned when it returns. It may also do nothing:
	// then the collection goes on by itself, and asks again after as many objects more. On the collection's goroutine.
	Help func(m *Marking)
	// HelpAfter is the number of objects; 0: 131,072.
	HelpAfter uintptr
}

// Space is the memory of one runtime: its budget, a cache of free chunks, and the statistics of its heaps. All methods
// may be called from any goroutine.
type Space struct {
	config Config
	owner  *arena.Owner

	// used counts the bytes taken from the arena. Writers: under mu. Readers: Stats and pressed, which may see an older
	// value.
	used atomic.Int64

	mu sync.Mutex
	// The following are guarded by mu.
	closed     bool
	cache      [classes]shelf
	cached     int64
	tracers    []*Tracer // idle ones, with their mark stacks
	tracersLow int       // the fewest since the last look, as shelf.low
	trimming   bool      // a timer will look at the cache

	// fragments are idle Fragment structs, without memory.
	fragments sync.Pool

	growth growth
	counts counts

	owners    owners
	abandoned abandoned
}

// NewSpace returns a Space without memory. Close it.
func NewSpace(config Config) *Space {
	if config.Limit < 0 {
		panic(fmt.Sprintf("heap: limit of %d bytes", config.Limit))
	}
	if config.Nursery == 0 {
		config.Nursery = DefaultNursery
	}
	if config.HelpAfter == 0 {
		config.HelpAfter = defaultHelpAfter
	}
	s := &Space{config: config, owner: arena.NewOwner("heap space")}
	s.owner.SetGuard(config.Guard)
	s.fragments.New = func() any { return &Fragment{space: s} }
	return s
}

// Close gives every chunk back to the arena, which gives the pages back to the system a little later. Any later use of a heap or fragment of the Space is a programmer error.
func (s *Space) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	s.cache, s.cached, s.tracers = [classes]shelf{}, 0, nil
	s.owner.Close()
	s.used.Store(0)
	trimLater()
}

// takeChunk returns a chunk with arbitrary contents and clear line marks.
func (s *Space) takeChunk(k class) (chunk, error) {
	p, err := s.takeMemory(k)
	if err != nil {
		return chunk{}, err
	}
	c := chunk{base: p, class: k, free: uint16(k.lines())}
	clear(c.marks())
	if s.config.Poison {
		poison(p, k.size())
	}
	return c, nil
}

func (s *Space) takeMemory(k class) (unsafe.Pointer, error) {
	s.lock()
	if p := s.cache[k].pop(); p != nil {
		s.cached -= int64(k.size())
		s.mu.Unlock()
		return p, nil
	}
	if err := s.reserve(int64(k.size())); err != nil {
		s.mu.Unlock()
		return nil, err
	}
	var p unsafe.Pointer
	var err error
	if k == classBlock {
		p, err = s.owner.Blocks(1)
	} else {
		p, err = s.owner.Chunk(arenaClass(k))
	}
	if err != nil {
		s.used.Add(-int64(k.size()))
	}
	s.mu.Unlock()
	return p, err
}

// takeSpan returns a span of blocks with arbitrary contents.
func (s *Space) takeSpan(blocks int) (span, error) {
	s.lock()
	size := int64(blocks) * BlockSize
	err := s.reserve(size)
	var p unsafe.Pointer
	if err == nil {
		if p, err = s.owner.Blocks(blocks); err != nil {
			s.used.Add(-size)
		}
	}
	s.mu.Unlock()
	return span{base: p, blocks: blocks}, err
}

// reserve counts n more bytes as used, or returns a *LimitError. REQUIRES: s.mu, which it may release for a while.
func (s *Space) reserve(n int64) error {
	if limit := s.config.Limit; limit > 0 && s.used.Load()+n > limit {
		s.flush()
		if s.used.Load()+n > limit && s.growth.mayForce() {
			// Heaps of dead actors may be all that stands in the way.
			s.mu.Unlock()
			s.collectGarbage(n)
			s.lock()
			s.flush()
		}
		if used := s.used.Load(); used+n > limit {
			s.growth.inVain = time.Now()
			return &LimitError{Limit: limit, Used: used, Want: n}
		}
	}
	if used := s.used.Add(n); s.growth.due(used, s.config.Limit) {
		go s.collectGo()
	}
	return nil
}

// lock locks s.mu for an allocation.
func (s *Space) lock() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		panic("heap: allocation in a closed space")
	}
}

// giveChunks takes chunks back.
func (s *Space) giveChunks(list []chunk) {
	if len(list) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.owners.remove(list, nil)
	for i := range list {
		c := &list[i]
		if s.config.Poison {
			poison(c.base, c.class.size())
		}
		if size := int64(c.class.size()); s.cached+size <= cacheBytes && !s.config.Guard {
			s.cache[c.class].push(c.base)
			s.cached += size
			s.trimCacheLater()
			continue
		}
		s.giveMemory(c.class, c.base)
	}
}

func (s *Space) giveMemory(k class, p unsafe.Pointer) {
	if k == classBlock {
		s.owner.FreeBlocks(p, 1)
	} else {
		s.owner.FreeChunk(p, arenaClass(k))
	}
	s.used.Add(-int64(k.size()))
	trimLater()
}

// giveSpans takes spans back.
func (s *Space) giveSpans(list []span) {
	if len(list) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.owners.remove(nil, list)
	for _, l := range list {
		s.owner.FreeBlocks(l.base, l.blocks)
		s.used.Add(-int64(l.size()))
	}
	trimLater()
}

// flush empties the cache. REQUIRES: s.mu.
func (s *Space) flush() {
	for k := range s.cache {
		for _, p := range s.cache[k].free {
			s.giveMemory(class(k), p)
		}
		s.cache[k] = shelf{free: s.cache[k].free[:0]}
	}
	s.cached = 0
}

// pace is what the heaps' pacers go by now.
func (s *Space) pace() pace {
	return pace{nursery: s.config.Nursery, always: s.config.CollectAlways, pressed: s.pressed()}
}

// pressed tells whether the limit is near: heaps then collect earlier and keep less.
func (s *Space) pressed() bool {
	limit := s.config.Limit
	return limit > 0 && s.used.Load() > limit-limit/4
}

func (s *Space) takeTracer() *Tracer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.tracers); n > 0 {
		t := s.tracers[n-1]
		s.tracers = s.tracers[:n-1]
		s.tracersLow = min(s.tracersLow, n-1)
		return t
	}
	return new(Tracer)
}

func (s *Space) giveTracer(t *Tracer) {
	s.mu.Lock()
	s.tracers = append(s.tracers, t)
	s.trimCacheLater()
	s.mu.Unlock()
}

// InArena tells whether p is an address of memory for heaps, whatever Space. Any goroutine.
func InArena(p unsafe.Pointer) bool { return arena.Contains(p) }

// Describe names the region that an address lies in, for reports of faults. Any goroutine.
func Describe(address uintptr) string { return arena.Describe(address) }
