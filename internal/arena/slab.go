package arena

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// Class is a size of small chunk.
type Class uint8

const (
	Class512 Class = iota // half a KiB: the smallest whose lines' marks do not share a word of 32 bits with a neighbour's
	Class1K               // 1 KiB
	Class4K               // 4 KiB
	classes
)

// Size returns the size and alignment of the class's chunks in bytes.
func (c Class) Size() int { return 512 << (c + c>>1) }

// slab is a block cut into chunks of one class. Guarded by world.mu.
type slab struct {
	free  uint64 // one bit for each free chunk
	class Class
	place int32 // index in the owner's list of slabs that have a free chunk, -1 when it has none
}

type slabRef struct {
	s     *section
	block int
}

func (r slabRef) slab() *slab { return &r.s.slab[r.block] }

// full is the value of slab.free when no chunk is handed out.
func (c Class) full() uint64 { return 1<<(BlockSize/c.Size()) - 1 }

// Chunk returns a chunk of the class, aligned to its size, with arbitrary contents. The error is a *SystemError.
func (o *Owner) Chunk(c Class) (unsafe.Pointer, error) {
	world.mu.Lock()
	defer world.mu.Unlock()
	list := o.slabs[c]
	if len(list) == 0 {
		p, err := o.blocks(1, blockSlab)
		if err != nil {
			return nil, err
		}
		s := sectionOf(p)
		r := slabRef{s, s.index(p)}
		*r.slab() = slab{free: c.full(), class: c}
		list = append(list, r)
		o.slabs[c] = list
	}
	r := list[len(list)-1]
	sl := r.slab()
	i := bits.TrailingZeros64(sl.free)
	sl.free &= sl.free - 1
	if sl.free == 0 {
		sl.place = -1
		o.slabs[c] = list[:len(list)-1]
	}
	return unsafe.Add(r.s.block(r.block), i*c.Size()), nil
}

// FreeChunk gives back a chunk that Chunk(c) returned. The memory must not be touched any more.
func (o *Owner) FreeChunk(p unsafe.Pointer, c Class) {
	world.mu.Lock()
	defer world.mu.Unlock()
	if o.closed {
		return
	}
	s := sectionOf(p)
	if s == nil {
		panic(fmt.Sprintf("arena: free of chunk %p, which is not in the arena", p))
	}
	r := slabRef{s, s.index(p)}
	sl := r.slab()
	in := uintptr(p) % BlockSize
	bit := uint64(1) << (in / uintptr(c.Size()))
	if s.state[r.block] != blockSlab || s.owner[r.block] != o.id || sl.class != c || in%uintptr(c.Size()) != 0 || sl.free&bit != 0 {
		panic(fmt.Sprintf("arena: free of %s, which is not a chunk of %s in use", describe(uintptr(p)), o.name))
	}
	sl.free |= bit
	list := o.slabs[c]
	if sl.place < 0 {
		sl.place = int32(len(list))
		list = append(list, r)
	}
	if sl.free == c.full() {
		last := list[len(list)-1]
		list[sl.place] = last
		last.slab().place = sl.place
		list = list[:len(list)-1]
		*sl = slab{}
		o.freeBlocks(s.block(r.block), 1, blockSlab)
	}
	o.slabs[c] = list
}
