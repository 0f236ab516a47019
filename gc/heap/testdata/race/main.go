// Command race passes a heap object between two goroutines. With the argument "racy" both also write it at the same
// time, which the race detector must report; without, it must keep quiet.
package main

import (
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/encorert/encorert/gc/heap"
)

type cell struct{ value uint64 }

var cellType = heap.NewType("race.cell", unsafe.Sizeof(cell{}))

func bump(c *cell) {
	for range 1000 {
		c.value++
	}
}

func main() {
	s := heap.NewSpace(heap.Config{})
	defer s.Close()
	h, c := heap.New(s), heap.Cursor{}
	if err := h.Refill(&c, 16); err != nil {
		panic(err)
	}
	p := unsafe.Add(c.Base, c.Off)
	c.Off += 16
	*(*uint64)(p) = cellType.Header()
	obj := (*cell)(unsafe.Add(p, heap.HeaderSize))
	obj.value = 1

	sent := unsafe.Pointer(obj)
	f := s.NewFragment()
	if err := f.CopyFrom(h, &sent); err != nil {
		panic(err)
	}
	type parcel struct {
		f *heap.Fragment
		p *cell
	}
	mail := make(chan parcel)
	var all sync.WaitGroup
	all.Go(func() {
		m := <-mail
		if len(os.Args) > 1 {
			bump(obj) // it belongs to the sender
		}
		receiver, rc := heap.New(s), heap.Cursor{}
		receiver.Adopt(&rc, m.f)
		m.p.value++
		for range 100 {
			receiver.CollectFull(&rc, func(t *heap.Tracer) { t.Mark(unsafe.Pointer(m.p)) })
		}
		fmt.Println("received", m.p.value)
	})
	mail <- parcel{f, (*cell)(sent)}
	bump(obj) // before any lock is taken that would order the two
	for range 100 {
		h.CollectFull(&c, func(t *heap.Tracer) { t.Mark(unsafe.Pointer(obj)) })
	}
	all.Wait()
}
