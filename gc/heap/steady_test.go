package heap

import (
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/invariant"
)

// TestSteadyStateAllocatesNothing: allocation, stores, collections minor and full, and messages leave Go's heap alone.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	if invariant.Enabled {
		return // the race detector allocates
	}
	a := newActor(t, Config{Nursery: 64 << 10})
	b := a.sibling()
	a.roots, b.roots = make([]*node, 4), make([]*node, 4)
	trace, other := a.trace, b.trace
	i := 0
	cycle := func() {
		i++
		for j := 0; !a.h.Due(); j++ {
			if j%32 == 0 {
				a.roots[i&3] = nil
			}
			n := a.new(a.roots[i&3], nil)
			a.roots[i&3] = n
			if old := a.roots[(i+1)&3]; old != nil {
				set(a.h, old, &old.b, n)
			}
		}
		if _, err := a.h.AllocArray(&a.c, wordsType, 4000); err != nil {
			panic(err)
		}
		p := unsafe.Pointer(a.roots[i&3])
		f := a.h.space.NewFragment()
		if err := f.CopyFrom(a.h, &p); err != nil {
			panic(err)
		}
		b.h.Adopt(&b.c, f)
		b.roots[i&3] = (*node)(p)
		if i%16 == 0 {
			clear(a.roots)
			clear(b.roots)
			a.h.CollectFull(&a.c, trace)
		} else {
			a.h.Collect(&a.c, trace)
		}
		b.h.CollectFull(&b.c, other)
	}
	for range 200 {
		cycle()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // Go's collector empties the pool of fragments
	require.Less(t, testing.AllocsPerRun(100, cycle), 0.5)
}

// TestStaleBitsDoNotUpsetGo: holes are not cleared, so a fresh object's slots hold whatever was there before: here bits
// that look like pointers into Go's heap, freed ones among them. Stores as integers never show them to Go's collector.
func TestStaleBitsDoNotUpsetGo(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	a := newActor(t, Config{Nursery: 64 << 10})
	a.roots = make([]*node, 16)
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for i := range 60000 {
		n := a.new(a.roots[i%16], nil)
		a.roots[(i*7)%16] = n
		if i%3 == 0 {
			set(a.h, n, &n.b, a.roots[i%5])
		}
		if a.h.Due() {
			clear(a.roots[:8])
			a.collect()
			// Fill every hole with the addresses of Go objects that die at once.
			for c := range a.h.mem.avail {
				ch := &a.h.mem.avail[c]
				marks := ch.marks()
				for start, end := hole(marks, 0); start < len(marks); start, end = hole(marks, end) {
					words := unsafe.Slice((*uintptr)(unsafe.Add(ch.base, start*LineSize)), uintptr(end-start)*LineSize/unsafe.Sizeof(uintptr(0)))
					x, y := new([64]byte), make([]byte, 100<<10)
					for w := range words {
						words[w] = uintptr(unsafe.Pointer(x)) + uintptr(w&7)
						if w&1 == 0 {
							words[w] = uintptr(unsafe.Pointer(&y[w%len(y)]))
						}
					}
				}
			}
		}
	}
	close(stop)
	<-done
	a.verify(t)
}
