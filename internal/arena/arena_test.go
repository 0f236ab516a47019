package arena

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func newOwner(t testing.TB) *Owner {
	o := NewOwner(t.Name())
	t.Cleanup(o.Close)
	return o
}

func TestBlocksAreAlignedAndApart(t *testing.T) {
	o := newOwner(t)
	for _, n := range []int{1, 2, 3, 64, 126, spanInSection} {
		p, err := o.Blocks(n)
		require.NoError(t, err)
		require.Zero(t, uintptr(p)%BlockSize)
		require.True(t, Contains(p))
		require.True(t, Contains(unsafe.Add(p, n*BlockSize-1)))
		memory := unsafe.Slice((*byte)(p), n*BlockSize)
		memory[0], memory[len(memory)-1] = 1, 2
	}
	require.EqualValues(t, (1+2+3+64+126+127)*BlockSize, o.Bytes())
}

func TestSpansOfManySections(t *testing.T) {
	o := newOwner(t)
	for _, n := range []int{spanInSection + 1, 2*sectionBlocks - 1, 2 * sectionBlocks, 700} {
		p, err := o.Blocks(n)
		require.NoError(t, err)
		memory := unsafe.Slice((*byte)(p), n*BlockSize)
		for i := 0; i < len(memory); i += BlockSize {
			memory[i] = 0xFF // side tables of all sections but the first are overwritten
		}
		memory[len(memory)-1] = 1
		require.EqualValues(t, int64(n)*BlockSize, o.Bytes())
		o.FreeBlocks(p, n)
		require.Zero(t, o.Bytes())
		q, err := o.Blocks(n)
		require.NoError(t, err)
		require.Equal(t, p, q, "freed sections are used again")
		o.FreeBlocks(q, n)
	}
}

func TestLowestFreeBlockFirst(t *testing.T) {
	o := newOwner(t)
	var all []unsafe.Pointer
	for range 300 {
		p, err := o.Blocks(1)
		require.NoError(t, err)
		all = append(all, p)
	}
	o.FreeBlocks(all[200], 1)
	o.FreeBlocks(all[10], 1)
	o.FreeBlocks(all[100], 1)
	for _, want := range []int{10, 100, 200} {
		p, err := o.Blocks(1)
		require.NoError(t, err)
		require.Equal(t, all[want], p)
	}
}

func TestChunksShareABlock(t *testing.T) {
	for _, c := range []Class{Class512, Class1K, Class4K} {
		o := newOwner(t)
		seen := map[unsafe.Pointer]bool{}
		for range BlockSize / c.Size() {
			p, err := o.Chunk(c)
			require.NoError(t, err)
			require.Zero(t, uintptr(p)%uintptr(c.Size()))
			require.False(t, seen[p])
			seen[p] = true
		}
		require.EqualValues(t, BlockSize, o.Bytes())
		for p := range seen {
			o.FreeChunk(p, c)
		}
		require.Zero(t, o.Bytes(), "a slab without chunks is a free block")
	}
}

func TestCloseGivesEverythingBack(t *testing.T) {
	before := ReadUsage().InUse
	o := NewOwner("closing")
	for range 10 {
		_, err := o.Blocks(3)
		require.NoError(t, err)
		_, err = o.Chunk(Class1K)
		require.NoError(t, err)
	}
	_, err := o.Blocks(400)
	require.NoError(t, err)
	o.Close()
	o.Close()
	require.Equal(t, before, ReadUsage().InUse)
	require.Zero(t, o.Bytes())
	require.PanicsWithValue(t, "arena: allocation by a closed owner", func() { _, _ = o.Blocks(1) })
}

func TestMisuse(t *testing.T) {
	o, other := newOwner(t), newOwner(t)
	p, err := o.Blocks(2)
	require.NoError(t, err)
	q, err := o.Chunk(Class4K)
	require.NoError(t, err)
	var local int
	for name, f := range map[string]func(){
		"stranger":    func() { other.FreeBlocks(p, 2) },
		"inside":      func() { o.FreeBlocks(unsafe.Add(p, 8), 2) },
		"outside":     func() { o.FreeBlocks(unsafe.Pointer(&local), 1) },
		"too many":    func() { o.FreeBlocks(p, 100) },
		"none":        func() { _, _ = o.Blocks(0) },
		"wrong class": func() { o.FreeChunk(q, Class1K) },
		"half chunk":  func() { o.FreeChunk(unsafe.Add(q, 1024), Class4K) },
		"slab":        func() { o.FreeBlocks(q, 1) },
		"twice": func() {
			r, _ := o.Blocks(1)
			o.FreeBlocks(r, 1)
			o.FreeBlocks(r, 1)
		},
	} {
		require.Panics(t, f, name)
	}
	require.False(t, Contains(unsafe.Pointer(&local)) && !goHeap)
}

func TestSideBytesAreApart(t *testing.T) {
	o := newOwner(t)
	seen := map[unsafe.Pointer]bool{}
	for range 130 { // more than a section
		p, err := o.Blocks(1)
		require.NoError(t, err)
		side := unsafe.Slice((*byte)(SideByte(p)), BlockSize/LineSize)
		for i := range side {
			require.False(t, seen[unsafe.Pointer(&side[i])])
			seen[unsafe.Pointer(&side[i])] = true
			require.Equal(t, unsafe.Pointer(&side[i]), SideByte(unsafe.Add(p, i*LineSize+5)))
			side[i] = 1
		}
	}
}

func TestDescribe(t *testing.T) {
	o := NewOwner("somebody")
	p, err := o.Blocks(1)
	require.NoError(t, err)
	q, err := o.Chunk(Class1K)
	require.NoError(t, err)
	require.Contains(t, Describe(uintptr(p)+5), "used by somebody")
	require.Contains(t, Describe(uintptr(q)), "cut into chunks of 1024 bytes for somebody")
	require.Contains(t, Describe(uintptr(SideByte(p))), "side table")
	require.Contains(t, Describe(0), "not in the arena")
	o.FreeBlocks(p, 1)
	require.Contains(t, Describe(uintptr(p)), "free, last used by somebody")
	o.Close()
	require.Contains(t, Describe(uintptr(p)), "closed owner")
}

func TestRelease(t *testing.T) {
	Release(0)
	o := newOwner(t)
	p, err := o.Blocks(100)
	require.NoError(t, err)
	clear(unsafe.Slice((*byte)(p), 100*BlockSize))
	o.FreeBlocks(p, 100)
	if goHeap {
		require.Zero(t, Release(0))
		return
	}
	require.GreaterOrEqual(t, ReadUsage().Backed, int64(100*BlockSize))
	require.EqualValues(t, 10*BlockSize, Release(10*BlockSize))
	require.GreaterOrEqual(t, Release(0), int64(90*BlockSize))
	require.Zero(t, ReadUsage().Backed)
	q, err := o.Blocks(100)
	require.NoError(t, err)
	unsafe.Slice((*byte)(q), 100*BlockSize)[7] = 1 // usable again
}

// TestTrim: only what was free all the time since the last Trim goes back.
func TestTrim(t *testing.T) {
	Release(0)
	o := newOwner(t)
	take := func(n int) unsafe.Pointer {
		p, err := o.Blocks(n)
		require.NoError(t, err)
		return p
	}
	p := take(100)
	Trim()
	o.FreeBlocks(p, 100)
	given, left := Trim()
	require.Zero(t, given, "it was in use since the last time")
	if goHeap {
		given, left = Trim()
		require.Zero(t, given)
		require.Zero(t, left, "there is nothing to wait for")
		return
	}
	idle := int64(ReadUsage().Backed)
	require.Equal(t, idle, left)
	o.FreeBlocks(take(30), 30) // comes and goes
	given, left = Trim()
	require.EqualValues(t, idle-30*BlockSize, given)
	require.EqualValues(t, 30*BlockSize, left)
	given, left = Trim()
	require.EqualValues(t, 30*BlockSize, given)
	require.Zero(t, left)
	require.Zero(t, ReadUsage().Backed)
	consistent(t)
}

func TestTooLargeIsAnError(t *testing.T) {
	_, err := newOwner(t).Blocks(math.MaxInt)
	var system *SystemError
	require.ErrorAs(t, err, &system)
	require.ErrorContains(t, err, "arena: cannot reserve")
}

// extents of what a test holds, for overlap checks.
type held struct {
	p     unsafe.Pointer
	n     int // blocks; 0: a chunk
	class Class
}

func (h held) size() int {
	if h.n > 0 {
		return h.n * BlockSize
	}
	return h.class.Size()
}

// runArena executes a program of two-byte commands against a model: live extents, which must not overlap.
func runArena(t testing.TB, code []byte) {
	owners := [2]*Owner{NewOwner("one"), NewOwner("two")}
	var live [2][]held
	granules := map[uintptr]bool{} // of half a KiB
	mark := func(h held, on bool) {
		for g := uintptr(h.p) >> 9; g < (uintptr(h.p)+uintptr(h.size()))>>9; g++ {
			if granules[g] == on {
				t.Fatalf("%#x is handed out twice, or freed twice", g<<9)
			}
			if granules[g] = on; !on {
				delete(granules, g)
			}
		}
	}
	for i := 0; i+1 < len(code); i += 2 {
		k, n := int(code[i]>>7), int(code[i+1])
		o := owners[k]
		var h held
		var err error
		switch code[i] & 7 {
		case 0, 1:
			h.n = 1
			h.p, err = o.Blocks(1)
		case 2:
			h.n = 1 + n%16
			h.p, err = o.Blocks(h.n)
		case 3:
			if n > 250 {
				h.n = 2 * n
			} else {
				h.n = n/2 + 1
			}
			h.p, err = o.Blocks(h.n)
		case 4:
			h.class = Class(n % int(classes))
			h.p, err = o.Chunk(h.class)
		case 5:
			if n%8 == 0 {
				Trim()
			}
			fallthrough
		default:
			if len(live[k]) == 0 {
				continue
			}
			j := n % len(live[k])
			h = live[k][j]
			live[k][j] = live[k][len(live[k])-1]
			live[k] = live[k][:len(live[k])-1]
			mark(h, false)
			if h.n > 0 {
				o.FreeBlocks(h.p, h.n)
			} else {
				o.FreeChunk(h.p, h.class)
			}
			continue
		}
		require.NoError(t, err)
		live[k] = append(live[k], h)
		mark(h, true)
	}
	for k, o := range owners {
		if len(code)%2 == 0 {
			for _, h := range live[k] {
				if h.n > 0 {
					o.FreeBlocks(h.p, h.n)
				} else {
					o.FreeChunk(h.p, h.class)
				}
			}
			require.Zero(t, o.Bytes())
		}
		o.Close()
	}
	consistent(t)
}

// consistent checks "Invariant: free.has(i) == (state[i] == blockFree)" and "no section below hint has a free block".
func consistent(t testing.TB) {
	world.mu.Lock()
	defer world.mu.Unlock()
	idle := 0
	defer func() {
		if idle != world.idle || world.idleLow > idle {
			t.Fatalf("%d free blocks are backed, the count is %d, the lowest %d", idle, world.idle, world.idleLow)
		}
	}()
	for n, s := range world.sections {
		for i := range sectionBlocks {
			if s.free.has(i) && s.backed.has(i) {
				idle++
			}
			if s.free.has(i) != (s.state[i] == blockFree) {
				t.Fatalf("section %d block %d: bit and state differ", n, i)
			}
		}
		if n < world.hint && s.free != (bitset{}) {
			t.Fatalf("section %d has free blocks below the hint %d", n, world.hint)
		}
	}
}

func arenaProgram(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 2))
	code := make([]byte, n)
	for i := range code {
		code[i] = byte(r.Uint32())
	}
	return code
}

func TestArenaModel(t *testing.T) {
	for seed := range uint64(60) {
		runArena(t, arenaProgram(seed, 400+int(seed%2)))
	}
}

func FuzzArena(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(arenaProgram(seed, 200))
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		if len(code) > 2000 {
			code = code[:2000]
		}
		runArena(t, code)
	})
}

// TestArenaHammer: goroutines allocate, write, check and free; what one holds no other may touch.
func TestArenaHammer(t *testing.T) {
	shared := newOwner(t)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			own := NewOwner("hammer")
			defer own.Close()
			r := rand.New(rand.NewPCG(uint64(g), 3))
			var live []held
			for range 3000 {
				o := shared
				if len(live) > 50 || len(live) > 0 && r.IntN(3) == 0 {
					i := r.IntN(len(live))
					h := live[i]
					live[i] = live[len(live)-1]
					live = live[:len(live)-1]
					if got := *(*uint64)(h.p); got != uint64(g) {
						t.Errorf("goroutine %d finds %d in its memory", g, got)
					}
					if h.n > 0 {
						o.FreeBlocks(h.p, h.n)
					} else {
						o.FreeChunk(h.p, h.class)
					}
					continue
				}
				h := held{n: r.IntN(3), class: Class(r.IntN(2))}
				var err error
				if h.n > 0 {
					h.p, err = o.Blocks(h.n)
				} else {
					h.p, err = o.Chunk(h.class)
				}
				if err != nil || !Contains(h.p) {
					t.Error(err)
					return
				}
				*(*uint64)(h.p) = uint64(g)
				live = append(live, h)
			}
		})
	}
	all.Wait()
	consistent(t)
}

func BenchmarkBlock(b *testing.B) {
	o := NewOwner("bench")
	defer o.Close()
	for b.Loop() {
		p, err := o.Blocks(1)
		if err != nil {
			b.Fatal(err)
		}
		o.FreeBlocks(p, 1)
	}
}

func BenchmarkChunk(b *testing.B) {
	o := NewOwner("bench")
	defer o.Close()
	for b.Loop() {
		p, err := o.Chunk(Class1K)
		if err != nil {
			b.Fatal(err)
		}
		o.FreeChunk(p, Class1K)
	}
}
