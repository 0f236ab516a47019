package heap_test

import (
	"fmt"
	"unsafe"

	"github.com/encorert/encorert/gc/heap"
)

type pair struct {
	next  *pair
	value int64
}

var pairType = heap.NewType("example.pair", unsafe.Sizeof(pair{}), unsafe.Offsetof(pair{}.next))

// newPair is what ctxgen generates, less the inlining.
func newPair(h *heap.Heap, c *heap.Cursor, next *pair, value int64) (*pair, error) {
	const size = (heap.HeaderSize + unsafe.Sizeof(pair{}) + 7) &^ 7
	if c.Off+size > c.Limit {
		if err := h.Refill(c, size); err != nil {
			return nil, err
		}
	}
	p := unsafe.Add(c.Base, c.Off)
	c.Off += size
	*(*uint64)(p) = pairType.Header()
	q := (*pair)(unsafe.Add(p, heap.HeaderSize))
	*(*uintptr)(unsafe.Pointer(&q.next)) = uintptr(unsafe.Pointer(next))
	q.value = value
	return q, nil
}

// A heap hands out memory, and a collection takes back what the roots do not reach.
func Example() {
	space := heap.NewSpace(heap.Config{})
	defer space.Close()
	h := heap.New(space)
	var cursor heap.Cursor
	h.Enter(&cursor)

	var list *pair
	for i := range 1000 {
		p, err := newPair(h, &cursor, list, int64(i))
		if err != nil {
			fmt.Println(err)
			return
		}
		if i%10 == 0 {
			list = p // the others are garbage
		}
	}
	roots := func(t *heap.Tracer) { t.Mark(unsafe.Pointer(list)) }
	h.CollectFull(&cursor, roots)
	fmt.Println(h.Stats().Old, "bytes live, list starts with", list.value)
	h.Leave(&cursor)
	// Output: 2400 bytes live, list starts with 990
}

// A heap shares an object with another. What that no longer needs it says with a note, which is left in the owner's inbox.
func ExampleNote() {
	space := heap.NewSpace(heap.Config{})
	defer space.Close()
	owner, holder := heap.New(space), heap.New(space)
	var at, there heap.Cursor
	p, err := newPair(owner, &at, nil, 7)
	if err != nil {
		fmt.Println(err)
		return
	}
	message := space.NewFragment()
	message.ShareFrom(owner, (*unsafe.Pointer)(unsafe.Pointer(&p)))
	holder.Adopt(&there, message)

	none := func(*heap.Tracer) {}
	owner.CollectFull(&at, none) // only the holder has it now
	fmt.Println(p.value, "held by", owner.Stats().Exported, "other")
	holder.CollectFull(&there, none)
	for _, note := range holder.TakeNotes() {
		ask := note.Deliver()
		fmt.Println("released:", note.Change < 0, "for the owner:", note.To.Heap() == owner, "who should look:", ask)
	}
	owner.CollectFull(&at, none)
	fmt.Println("held by", owner.Stats().Exported, "others,", owner.Stats().Old, "bytes live")
	// Output:
	// 7 held by 1 other
	// released: true for the owner: true who should look: true
	// held by 0 others, 0 bytes live
}
