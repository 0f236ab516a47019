package heap

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// node is the small object of the tests.
type node struct {
	a, b *node
	id   uint64
}

// sheet is a medium object: more than a line.
type sheet struct {
	a    *node
	fill [300]uint64
	b    *node
	id   uint64
}

// board is a large object: more than half a block.
type board struct {
	a, b *node
	id   uint64
	fill [20 << 10]byte
}

var (
	nodeType  = NewType("heap.node", unsafe.Sizeof(node{}), unsafe.Offsetof(node{}.a), unsafe.Offsetof(node{}.b))
	sheetType = NewType("heap.sheet", unsafe.Sizeof(sheet{}), unsafe.Offsetof(sheet{}.a), unsafe.Offsetof(sheet{}.b))
	boardType = NewType("heap.board", unsafe.Sizeof(board{}), unsafe.Offsetof(board{}.a), unsafe.Offsetof(board{}.b))
	bytesType = NewArrayType("heap.bytes", 1)
	wordsType = NewArrayType("heap.words", 8)
)

const nodeSize = (HeaderSize + unsafe.Sizeof(node{}) + 7) &^ 7

// allocate is the inlined allocation of generated code.
func allocate(h *Heap, c *Cursor, size uintptr, header uint64) unsafe.Pointer {
	if c.Off+size > c.Limit {
		if err := h.Refill(c, size); err != nil {
			panic(err)
		}
	}
	p := unsafe.Add(c.Base, c.Off)
	c.Off += size
	*(*uint64)(p) = header
	return unsafe.Add(p, HeaderSize)
}

// newNode is a constructor as generated: it stores every field, pointers as integers.
func newNode(h *Heap, c *Cursor, a, b *node, id uint64) *node {
	p := allocate(h, c, nodeSize, nodeType.Header())
	store(unsafe.Add(p, unsafe.Offsetof(node{}.a)), unsafe.Pointer(a))
	store(unsafe.Add(p, unsafe.Offsetof(node{}.b)), unsafe.Pointer(b))
	(*node)(p).id = id
	return (*node)(p)
}

// set is a setter as generated.
func set[P any](h *Heap, parent *P, slot **node, value *node) {
	if *headerOf(unsafe.Pointer(parent))&FlagOld != 0 {
		h.Log(unsafe.Pointer(parent))
	}
	store(unsafe.Pointer(slot), unsafe.Pointer(value))
}

// actor is a heap with its cursor and roots.
type actor struct {
	h     *Heap
	c     Cursor
	roots []*node
}

func (a *actor) trace(t *Tracer) {
	for _, r := range a.roots {
		t.Mark(unsafe.Pointer(r))
	}
}

func (a *actor) collect()             { a.h.Collect(&a.c, a.trace) }
func (a *actor) full()                { a.h.CollectFull(&a.c, a.trace) }
func (a *actor) new(x, y *node) *node { return newNode(a.h, &a.c, x, y, 7) }
func (a *actor) verify(t testing.TB)  { t.Helper(); require.NoError(t, a.h.Verify(&a.c, a.trace)) }
func (a *actor) list(n int) (l *node) {
	for i := range n {
		l = newNode(a.h, &a.c, l, nil, uint64(i))
	}
	return l
}
func (a *actor) tree(depth int) *node {
	if depth == 0 {
		return a.new(nil, nil)
	}
	l := a.tree(depth - 1)
	return a.new(l, a.tree(depth-1))
}

func (a *actor) count(p *node) int {
	seen := map[*node]bool{}
	var walk func(*node)
	walk = func(p *node) {
		for p != nil && !seen[p] {
			seen[p] = true
			walk(p.b)
			p = p.a
		}
	}
	walk(p)
	return len(seen)
}

func newActor(t testing.TB, config Config) *actor {
	t.Helper()
	s := NewSpace(config)
	a := &actor{h: New(s)}
	t.Cleanup(func() {
		s.Close()
		runtime.KeepAlive(a) // a heap that nobody can reach gives its memory back, though a test still looks at it
	})
	return a
}
