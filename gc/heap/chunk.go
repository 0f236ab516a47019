package heap

import (
	"unsafe"

	"github.com/encorert/encorert/internal/arena"
)

// class is a size of chunk.
type class uint8

const (
	class512 class = iota
	class1K
	class4K
	classBlock
	classes
)

func (c class) size() uintptr {
	if c == classBlock {
		return BlockSize
	}
	return 512 << (c + c>>1)
}

func (c class) lines() int { return int(c.size() / LineSize) }

// chunk is a piece of memory with line marks: a block or a part of one.
type chunk struct {
	base  unsafe.Pointer
	class class
	free  uint16 // unmarked lines after the last sweep; all of them in a fresh chunk
}

// whole tells whether no live object is in the chunk.
func (c *chunk) whole() bool { return int(c.free) == c.class.lines() }

// span holds one large object.
type span struct {
	base   unsafe.Pointer
	blocks int
}

func (l span) object() unsafe.Pointer { return unsafe.Add(l.base, HeaderSize) }
func (l span) size() uintptr          { return uintptr(l.blocks) * BlockSize }

// memory is what a heap owns. It is apart from Heap so that the cleanup, which runs when the Heap is gone, can hold it.
// Owner: as Heap.
type memory struct {
	space *Space

	avail   []chunk // with free lines; Heap.next says how far the present cycle has come
	full    []chunk // without; looked at by full collections only
	adopted []chunk // came with fragments; no allocation there before the next collection has marked their lines
	large   []span  // the first Heap.largeOld are old
	regions []*region
	bytes   int64 // of all these
	live    int64 // of old objects after the last collection: what counts.live has of this heap

	holdings *holdings // nil until the heap shares
}

// release gives everything back. It is the cleanup of a Heap.
func (m *memory) release() {
	s := m.space
	for _, list := range [...][]chunk{m.avail, m.full, m.adopted} {
		s.giveChunks(list)
	}
	s.giveSpans(m.large)
	for _, r := range m.regions {
		s.giveChunks(r.chunks)
		s.giveSpans(r.large)
	}
	if m.holdings != nil && !s.config.Deterministic {
		s.abandon(m.holdings.releaseAll())
	}
	s.counts.live.Add(-m.live)
	*m = memory{space: s}
	s.heapGone()
}

// take gets a chunk from the space, as fresh memory without marks.
func (m *memory) take(k class) (chunk, error) {
	c, err := m.space.takeChunk(k)
	if err == nil {
		m.bytes += int64(k.size())
		m.gain([]chunk{c}, nil)
	}
	return c, err
}

func arenaClass(k class) arena.Class { return arena.Class(k) }
