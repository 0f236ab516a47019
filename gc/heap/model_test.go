package heap

import (
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/invariant"
)

// The model test runs programs of random commands on heaps and on a graph of Go objects beside them, and compares.

// kind is a shape of object in the model.
type kind uint8

const (
	kindNode kind = iota
	kindSheet
	kindBoard
	kindBytes
)

// twin is an object of the model.
type twin struct {
	kind kind
	id   uint64
	refs [2]*twin
	n    uintptr // bytes of an array
}

func (w *twin) size() uintptr {
	switch w.kind {
	case kindNode:
		return nodeType.total
	case kindSheet:
		return sheetType.total
	case kindBoard:
		return boardType.total
	}
	return roundUp(ArrayOverhead + w.n)
}

const modelRoots = 8

// half is one actor of the model, with its twins.
type half struct {
	actor
	twins [modelRoots]*twin
}

// kept is a value of a future.
type kept struct {
	f    *Fragment
	p    unsafe.Pointer
	twin *twin
}

type model struct {
	t      testing.TB
	s      *Space
	halves [2]half
	kept   []kept
	nextID uint64
	code   []byte
}

func newModel(t testing.TB, config Config, code []byte) *model {
	m := &model{t: t, s: NewSpace(config), code: code}
	for i := range m.halves {
		m.halves[i].h = New(m.s)
		m.halves[i].roots = make([]*node, modelRoots)
	}
	return m
}

func (m *model) byte() int {
	if len(m.code) == 0 {
		return 0
	}
	b := m.code[0]
	m.code = m.code[1:]
	return int(b)
}

// run executes the program, and checks after every so many commands.
func (m *model) run(every int) {
	for step := 1; len(m.code) > 0; step++ {
		m.step()
		if step%every == 0 {
			m.check()
		}
	}
	m.check()
	m.finish()
}

func (m *model) step() {
	op := m.byte()
	a := &m.halves[op>>7]
	i, j, k := m.byte()%modelRoots, m.byte()%modelRoots, m.byte()
	to := k % modelRoots
	switch op & 31 {
	case 0, 1, 2, 3, 4, 5, 6:
		m.alloc(a, kindNode, i, j, to)
	case 7, 8:
		m.alloc(a, kindSheet, i, j, to)
	case 9:
		m.alloc(a, kindBoard, i, j, to)
	case 10:
		m.array(a, uintptr(k)*8, i)
	case 11:
		m.array(a, uintptr(k)*256+uintptr(j), i)
	case 12, 13, 14, 15, 16:
		m.link(a, i, j, k&1)
	case 17, 18:
		a.roots[i], a.twins[i] = nil, nil
	case 19, 20:
		m.follow(a, i, j, k&1)
	case 21:
		if a.h.Due() {
			a.collect()
		}
	case 22:
		a.collect()
	case 23:
		a.full()
		m.exact(a)
	case 24, 25:
		m.send(a, &m.halves[1-op>>7], i, j, to)
	case 26:
		m.keep(a, i)
	case 27:
		m.read(a, k, i)
	case 28:
		m.dropKept(k)
	case 29:
		a.h.Leave(&a.c)
		require.Zero(m.t, a.c)
		a.h.Enter(&a.c)
	case 30:
		for range min(k, modelGraph-weigh(a.twins[:]...)) {
			m.alloc(a, kindNode, i, j, to)
		}
	case 31:
		for range 4 * k { // garbage
			m.nextID++
			newNode(a.h, &a.c, a.nodeAt(i), nil, m.nextID)
		}
	}
}

// nodeAt returns a root that a field may refer to: the fields' static type is a lie that only the model knows of.
func (a *half) nodeAt(i int) *node { return a.roots[i] }

func (m *model) alloc(a *half, k kind, i, j, to int) {
	m.nextID++
	w := &twin{kind: k, id: m.nextID, refs: [2]*twin{a.twins[i], a.twins[j]}}
	x, y := a.roots[i], a.roots[j]
	var p unsafe.Pointer
	switch k {
	case kindNode:
		p = unsafe.Pointer(newNode(a.h, &a.c, x, y, w.id))
	case kindSheet:
		p = allocate(a.h, &a.c, sheetType.total, sheetType.Header())
		s := (*sheet)(p)
		store(unsafe.Pointer(&s.a), unsafe.Pointer(x))
		store(unsafe.Pointer(&s.b), unsafe.Pointer(y))
		s.id = w.id
	case kindBoard:
		var err error
		p, err = a.h.AllocLarge(&a.c, boardType)
		require.NoError(m.t, err)
		b := (*board)(p)
		store(unsafe.Pointer(&b.a), unsafe.Pointer(x))
		store(unsafe.Pointer(&b.b), unsafe.Pointer(y))
		b.id = w.id
	}
	a.roots[to], a.twins[to] = (*node)(p), w
}

func (m *model) array(a *half, n uintptr, to int) {
	m.nextID++
	p, err := a.h.AllocArray(&a.c, bytesType, n)
	require.NoError(m.t, err)
	data := unsafe.Slice((*byte)(ArrayData(p)), n)
	for i := range data {
		if data[i] != 0 {
			m.t.Fatalf("array of %d bytes is not cleared at %d", n, i)
		}
		data[i] = byte(m.nextID + uint64(i))
	}
	a.roots[to], a.twins[to] = (*node)(p), &twin{kind: kindBytes, id: m.nextID, n: n}
}

// slots returns the pointer fields of an object, nil for arrays.
func slots(w *twin, p unsafe.Pointer) [2]**node {
	switch w.kind {
	case kindNode:
		return [2]**node{&(*node)(p).a, &(*node)(p).b}
	case kindSheet:
		return [2]**node{&(*sheet)(p).a, &(*sheet)(p).b}
	case kindBoard:
		return [2]**node{&(*board)(p).a, &(*board)(p).b}
	}
	return [2]**node{}
}

func (m *model) link(a *half, i, j, field int) {
	w := a.twins[i]
	if w == nil || w.kind == kindBytes {
		return
	}
	w.refs[field] = a.twins[j]
	set(a.h, a.roots[i], slots(w, unsafe.Pointer(a.roots[i]))[field], a.roots[j])
}

func (m *model) follow(a *half, i, j, field int) {
	w := a.twins[i]
	if w == nil || w.kind == kindBytes {
		return
	}
	a.roots[j], a.twins[j] = *slots(w, unsafe.Pointer(a.roots[i]))[field], w.refs[field]
}

// clone copies the twins of a graph.
func clone(w *twin, done map[*twin]*twin) *twin {
	if w == nil {
		return nil
	}
	if c := done[w]; c != nil {
		return c
	}
	c := new(twin)
	*c = *w
	done[w] = c
	for i := range c.refs {
		c.refs[i] = clone(w.refs[i], done)
	}
	return c
}

// modelGraph bounds the objects of an actor that copies add to: joined and copied in turns, a graph doubles each time.
const modelGraph = 2000

// weigh counts the objects that are reachable, up to a little more than modelGraph.
func weigh(from ...*twin) int {
	seen := map[*twin]bool{}
	queue := append([]*twin(nil), from...)
	for len(queue) > 0 && len(seen) <= modelGraph {
		w := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if w != nil && !seen[w] {
			seen[w] = true
			queue = append(queue, w.refs[:]...)
		}
	}
	return len(seen)
}

func (m *model) send(from, into *half, i, j, to int) {
	if weigh(from.twins[i], from.twins[j])+weigh(into.twins[:]...) > modelGraph {
		return
	}
	p, q := unsafe.Pointer(from.roots[i]), unsafe.Pointer(from.roots[j])
	f := m.s.NewFragment()
	require.NoError(m.t, f.CopyFrom(from.h, &p, &q))
	into.h.Adopt(&into.c, f)
	done := map[*twin]*twin{}
	into.twins[to] = clone(from.twins[i], done)
	into.roots[to] = (*node)(p)
	next := (to + 1) % modelRoots
	into.twins[next] = clone(from.twins[j], done)
	into.roots[next] = (*node)(q)
}

func (m *model) keep(a *half, i int) {
	if len(m.kept) >= 4 || weigh(a.twins[i]) > modelGraph/4 {
		return
	}
	k := kept{f: m.s.NewFragment(), p: unsafe.Pointer(a.roots[i]), twin: clone(a.twins[i], map[*twin]*twin{})}
	require.NoError(m.t, k.f.CopyFrom(a.h, &k.p))
	k.f.Keep()
	m.kept = append(m.kept, k)
}

func (m *model) read(a *half, k, to int) {
	if len(m.kept) == 0 {
		return
	}
	from := m.kept[k%len(m.kept)]
	if weigh(from.twin)+weigh(a.twins[:]...) > modelGraph {
		return
	}
	p, f := from.p, m.s.NewFragment()
	require.NoError(m.t, from.f.CopyTo(f, &p))
	a.h.Adopt(&a.c, f)
	a.roots[to], a.twins[to] = (*node)(p), clone(from.twin, map[*twin]*twin{})
}

func (m *model) dropKept(k int) {
	if len(m.kept) > 0 {
		k %= len(m.kept)
		m.kept[k].f.Free()
		m.kept = append(m.kept[:k], m.kept[k+1:]...)
	}
}

func program(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	code := make([]byte, n)
	for i := range code {
		code[i] = byte(r.Uint32())
	}
	return code
}

var modelConfigs = map[string]Config{
	"plain":  {Nursery: 16 << 10},
	"large":  {},
	"poison": {Nursery: 16 << 10, Poison: true},
	"guard":  {Nursery: 16 << 10, Guard: true}, // a use of what was freed faults
}

func TestModel(t *testing.T) {
	programs := 120
	if invariant.Enabled {
		programs = 15
	}
	if os.Getenv("ENCORERT_LONG") != "" {
		programs = 20000
	}
	for name, config := range modelConfigs {
		t.Run(name, func(t *testing.T) {
			programs := programs
			if config.Guard {
				programs = min(programs, 15) // address space does not come back
			}
			for seed := range programs {
				newModel(t, config, program(uint64(seed), 600)).run(40)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

func TestModelLongPrograms(t *testing.T) {
	length := 40000
	if invariant.Enabled {
		length = 4000
	}
	for seed := range 3 {
		newModel(t, Config{Nursery: 64 << 10, Poison: true}, program(uint64(seed), length)).run(500)
	}
}

func FuzzHeap(f *testing.F) {
	for seed := range 8 {
		f.Add(program(uint64(seed), 400))
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		if len(code) > 4000 {
			code = code[:4000]
		}
		newModel(t, Config{Nursery: 16 << 10, Poison: true, Verify: true}, code).run(1)
	})
}
