package heap

import (
	"math/bits"
	"sync"
	"unsafe"
)

// places is the set of memory that a heap owns, for telling own objects from others' without a look at their headers: open
// addressing by block, with a bit for each half KiB of it, since a block may be cut into chunks of several heaps.
// Owner: as Heap.
type places struct {
	blocks []uintptr // numbers of blocks; 0: free. The length is a power of two, at least twice the number of entries.
	units  []uint64  // bit i: the i-th unit is own
	used   int
}

// unit is the size of the smallest chunk.
const unit = BlockSize / 64

func (p *places) reset() {
	clear(p.blocks)
	p.used = 0
}

// has tells whether the memory at an address is in the set.
func (p *places) has(a uintptr) bool {
	if len(p.blocks) == 0 {
		return false
	}
	i := p.probe(a / BlockSize)
	return p.blocks[i] != 0 && p.units[i]>>(a%BlockSize/unit)&1 != 0
}

// probe returns the place of a block: its own or the free one where it belongs. Fibonacci hashing.
func (p *places) probe(block uintptr) int {
	mask := len(p.blocks) - 1
	for i := int(uint64(block) * 0x9E3779B97F4A7C15 >> (64 - bits.Len(uint(mask)))); ; i++ {
		if i &= mask; p.blocks[i] == block || p.blocks[i] == 0 {
			return i
		}
	}
}

// addBits adds units of one block.
func (p *places) addBits(block uintptr, units uint64) {
	if 2*(p.used+1) > len(p.blocks) {
		old := *p
		n := max(16, 2*len(old.blocks))
		*p = places{blocks: make([]uintptr, n), units: make([]uint64, n)}
		for i, b := range old.blocks {
			if b != 0 {
				p.addBits(b, old.units[i])
			}
		}
	}
	i := p.probe(block)
	if p.blocks[i] == 0 {
		p.blocks[i], p.units[i] = block, 0
		p.used++
	}
	p.units[i] |= units
}

func (p *places) addChunk(c *chunk) {
	a := uintptr(c.base)
	n := c.class.size() / unit
	p.addBits(a/BlockSize, (uint64(1)<<n-1)<<(a%BlockSize/unit))
}

// addSpan adds a span's first block, which is where its object begins.
func (p *places) addSpan(l span) { p.addBits(uintptr(l.base)/BlockSize, 1) }

// owners tells whose memory an address is, for memory of heaps that share. An entry is made when a heap that shares gets the memory,
// or first shares; it goes when the Space takes the memory back, or the memory moves on with a fragment. All methods may be called from
// any goroutine.
type owners struct {
	mu    sync.RWMutex
	inbox map[uintptr]*Inbox // by the first address of a chunk or span; guarded by mu
}

func (o *owners) add(in *Inbox, chunks []chunk, spans []span) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.inbox == nil {
		o.inbox = make(map[uintptr]*Inbox)
	}
	for i := range chunks {
		o.inbox[uintptr(chunks[i].base)] = in
	}
	for _, l := range spans {
		o.inbox[uintptr(l.base)] = in
	}
}

func (o *owners) remove(chunks []chunk, spans []span) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.inbox) == 0 {
		return
	}
	for i := range chunks {
		delete(o.inbox, uintptr(chunks[i].base))
	}
	for _, l := range spans {
		delete(o.inbox, uintptr(l.base))
	}
}

// of returns the inbox of the owner of the object, nil if its heap does not share. The chunks and spans that have entries do not
// overlap, so that at most one of the sizes fits.
func (o *owners) of(object unsafe.Pointer) *Inbox {
	start := uintptr(object) - HeaderSize
	o.mu.RLock()
	defer o.mu.RUnlock()
	for k := range classes {
		if in := o.inbox[start&^(k.size()-1)]; in != nil {
			return in
		}
	}
	return nil
}
