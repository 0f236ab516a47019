package heap

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/invariant"
)

// item is what the model knows of one object.
type item struct {
	id     uint64
	next   [2]*item
	home   *member // whose it is; nil: on its way
	frozen bool
	area   *item // the root of the region that it was built in; nil: none
	real   *node // its address, once it was met
}

// held is a root of a heap, a message or a future.
type held struct {
	p *node
	w *item
}

// member is one heap of a cluster.
type member struct {
	name  string
	h     *Heap
	c     Cursor
	roots [6]held
	dead  bool // its actor is gone
}

func (a *member) trace(t *Tracer) {
	for _, r := range a.roots {
		t.Mark(unsafe.Pointer(r.p))
	}
}

// parcel is a message on its way, or a future.
type parcel struct {
	held
	f   *Fragment
	seq int
}

// posted is a note on its way.
type posted struct {
	Note
	seq int
}

// cluster runs heaps that share beside a model: a graph of items on Go's heap. Messages and notes travel as late as causality allows.
type cluster struct {
	t       testing.TB
	code    []byte
	space   *Space
	members []*member
	mail    []parcel
	futures []parcel
	notes   []posted
	seq     int
	id      uint64
}

func newCluster(t testing.TB, config Config, n int, code []byte) *cluster {
	s := NewSpace(config)
	t.Cleanup(s.Close)
	k := &cluster{t: t, code: code, space: s}
	for i := range n {
		k.members = append(k.members, &member{name: string(rune('a' + i)), h: New(s)})
	}
	return k
}

func (k *cluster) byte() int {
	if len(k.code) == 0 {
		return 0
	}
	b := k.code[0]
	k.code = k.code[1:]
	return int(b)
}

func (k *cluster) run(every int) {
	for n := 1; len(k.code) > 0; n++ {
		k.step()
		if n%every == 0 {
			k.check()
		}
	}
	k.check()
	k.finish()
}

func (k *cluster) step() {
	op := k.byte()
	a, i := k.members[k.byte()%len(k.members)], k.byte()
	j := i / 8 % len(a.roots)
	i %= len(a.roots)
	if a.dead && op%16 != 12 && op%16 != 15 {
		return
	}
	switch op % 16 {
	case 0, 1:
		k.alloc(a, a.roots[i], a.roots[j], k.byte())
	case 2:
		a.roots[i] = held{}
	case 3, 4:
		k.follow(a, i, j, op/16%2)
	case 5:
		k.link(a, i, j, op/16%2)
	case 6, 7, 8:
		k.share(a, a.roots[i], false)
	case 9:
		k.copy(a, a.roots[i])
	case 10:
		k.region(a, a.roots[j], i, op/16)
	case 11:
		k.move(a, i)
	case 12:
		k.receive(k.byte(), op/16 == 3)
	case 13:
		k.collect(a, op/16 == 0)
	case 14:
		switch k.byte() % 4 {
		case 0:
			k.share(a, a.roots[i], true)
		case 1, 2:
			k.read(a, k.byte(), j)
		default:
			k.dropFuture(k.byte())
		}
	case 15:
		if op/16 == 0 && len(k.members) > 2 {
			k.die(a)
			return
		}
		k.deliver(k.byte())
	}
}

func (k *cluster) newItem(a *member, x, y held) *item {
	k.id++
	return &item{id: k.id, next: [2]*item{x.w, y.w}, home: a}
}

func (k *cluster) alloc(a *member, x, y held, shape int) {
	w := k.newItem(a, x, y)
	var p *node
	if shape < 16 {
		large, err := a.h.AllocLarge(&a.c, boardType)
		require.NoError(k.t, err)
		p = (*node)(large) // a board begins as a node does
		store(unsafe.Pointer(&p.a), unsafe.Pointer(x.p))
		store(unsafe.Pointer(&p.b), unsafe.Pointer(y.p))
		p.id = w.id
	} else {
		p = newNode(a.h, &a.c, x.p, y.p, w.id)
	}
	w.real = p
	a.roots[shape%len(a.roots)] = held{p, w}
}

func (k *cluster) follow(a *member, i, j, field int) {
	r := a.roots[i]
	if r.p == nil {
		return
	}
	a.roots[j] = held{[2]*node{r.p.a, r.p.b}[field], r.w.next[field]}
}

func (k *cluster) link(a *member, i, j, field int) {
	x, y := a.roots[i], a.roots[j]
	if x.p == nil || x.w.home != a {
		return
	}
	if x.w.frozen {
		require.Panics(k.t, func() { set(a.h, x.p, &x.p.a, y.p) }, "a store into an immutable object")
		return
	}
	set(a.h, x.p, [2]**node{&x.p.a, &x.p.b}[field], y.p)
	x.w.next[field] = y.w
}

// each calls f for what is reachable.
func each(seen map[*item]bool, w *item, f func(*item)) {
	for stack := []*item{w}; len(stack) > 0; {
		w := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if w == nil || seen[w] {
			continue
		}
		seen[w] = true
		f(w)
		stack = append(stack, w.next[0], w.next[1])
	}
}

func (k *cluster) now() int { k.seq++; return k.seq }

// owe puts what a heap owes on its way.
func (k *cluster) owe(a *member) {
	if a.h.Owes() {
		for _, n := range a.h.TakeNotes() {
			k.notes = append(k.notes, posted{n, k.now()})
		}
	}
}

func (k *cluster) share(a *member, r held, future bool) {
	if r.p == nil {
		return
	}
	f := k.space.NewFragment()
	f.ShareFrom(a.h, (*unsafe.Pointer)(unsafe.Pointer(&r.p)))
	each(map[*item]bool{}, r.w, func(w *item) { w.frozen = true })
	k.owe(a)
	if future {
		f.Keep()
		k.futures = append(k.futures, parcel{r, f, k.now()})
		return
	}
	k.mail = append(k.mail, parcel{r, f, k.now()})
}

// duplicate is the model of a copy. moved items stay.
func duplicate(w *item, done map[*item]*item, moved func(*item) bool) *item {
	if w == nil || moved(w) {
		return w
	}
	if c := done[w]; c != nil {
		return c
	}
	c := &item{id: w.id}
	done[w] = c
	for i, n := range w.next {
		c.next[i] = duplicate(n, done, moved)
	}
	return c
}

func never(*item) bool { return false }

func (k *cluster) copy(a *member, r held) {
	if r.p == nil {
		return
	}
	f := k.space.NewFragment()
	require.NoError(k.t, f.CopyFrom(a.h, (*unsafe.Pointer)(unsafe.Pointer(&r.p))))
	r.w = duplicate(r.w, map[*item]*item{}, never)
	k.owe(a)
	k.mail = append(k.mail, parcel{r, f, k.now()})
}

// region builds a small graph in a region; it may refer to what is outside.
func (k *cluster) region(a *member, outside held, to, size int) {
	a.h.OpenRegion(&a.c)
	var built []*item
	r := outside
	for i := range size + 1 {
		w := k.newItem(a, r, outside)
		var p *node
		if i == 7 {
			large, err := a.h.AllocLarge(&a.c, boardType)
			require.NoError(k.t, err)
			p = (*node)(large)
			store(unsafe.Pointer(&p.a), unsafe.Pointer(r.p))
			store(unsafe.Pointer(&p.b), unsafe.Pointer(outside.p))
			p.id = w.id
		} else {
			p = newNode(a.h, &a.c, r.p, outside.p, w.id)
		}
		w.real = p
		built = append(built, w)
		r = held{p, w}
	}
	a.h.CloseRegion(&a.c)
	for _, w := range built {
		w.area = r.w
	}
	a.roots[to] = r
}

// move gives a root's graph away, if the sender has no other reference into its region.
func (k *cluster) move(a *member, i int) {
	r := a.roots[i]
	if r.p == nil {
		return
	}
	moving := map[*item]bool{} // what may go: all that the region has, reachable or not
	in := func(w *item) bool { return w.area != nil && w.area == r.w.area && w.home == a }
	rest := map[*item]bool{}
	for j, other := range a.roots {
		if j != i {
			each(rest, other.w, func(*item) {})
		}
	}
	frozen := false
	each(map[*item]bool{}, r.w, func(w *item) {
		if in(w) {
			moving[w] = true
			frozen = frozen || w.frozen
		}
	})
	for w := range rest {
		if in(w) {
			return // still needed
		}
	}
	// What was copied from the graph before does not matter, but an outside object of the graph that refers back into the region is no reference
	// of the sender's only if nothing else reaches it: rest has been looked at.
	before := r.p
	f := k.space.NewFragment()
	require.NoError(k.t, f.MoveFrom(a.h, (*unsafe.Pointer)(unsafe.Pointer(&r.p))))
	a.roots[i] = held{}
	if r.p == before {
		require.NotEmpty(k.t, moving, "what was in no region moved")
		require.False(k.t, frozen, "what others may hold moved")
		done := map[*item]*item{}
		for w := range moving {
			w.home, w.area = nil, nil
			for j, n := range w.next {
				w.next[j] = duplicate(n, done, func(w *item) bool { return moving[w] })
			}
		}
	} else {
		r.w = duplicate(r.w, map[*item]*item{}, never)
	}
	k.owe(a)
	k.mail = append(k.mail, parcel{r, f, k.now()})
}

// settleBefore delivers the acquires that were posted before a moment: causality.
func (k *cluster) settleBefore(seq int) {
	k.notes = slices.DeleteFunc(k.notes, func(n posted) bool {
		if n.Change > 0 && n.seq < seq {
			n.Deliver()
			return true
		}
		return false
	})
}

// receive delivers or drops a message.
func (k *cluster) receive(n int, drop bool) {
	if len(k.mail) == 0 {
		return
	}
	i := n % len(k.mail)
	m := k.mail[i]
	k.mail = slices.Delete(k.mail, i, i+1)
	a := k.members[n/3%len(k.members)]
	k.settleBefore(m.seq)
	if drop || a.dead {
		m.f.Free()
		return
	}
	k.adopt(a, m, n%len(a.roots))
}

func (k *cluster) adopt(a *member, m parcel, to int) {
	a.h.Adopt(&a.c, m.f)
	a.roots[to] = m.held
	each(map[*item]bool{}, m.w, func(w *item) {
		if w.home == nil && !w.frozen {
			w.home = a
		}
	})
}

func (k *cluster) read(a *member, n, to int) {
	if len(k.futures) == 0 {
		return
	}
	f := k.futures[n%len(k.futures)]
	k.settleBefore(f.seq)
	got := k.space.NewFragment()
	r := f.held
	require.NoError(k.t, f.f.CopyTo(got, (*unsafe.Pointer)(unsafe.Pointer(&r.p))))
	k.adopt(a, parcel{r, got, 0}, to)
}

func (k *cluster) dropFuture(n int) {
	if len(k.futures) == 0 {
		return
	}
	i := n % len(k.futures)
	k.settleBefore(k.futures[i].seq)
	k.futures[i].f.Free()
	k.futures = slices.Delete(k.futures, i, i+1)
}

func (k *cluster) collect(a *member, full bool) {
	if full {
		a.h.CollectFull(&a.c, a.trace)
	} else {
		a.h.Collect(&a.c, a.trace)
	}
	k.owe(a)
}

// deliver takes one note off its way, and what must come before it.
func (k *cluster) deliver(n int) {
	if len(k.notes) == 0 {
		return
	}
	i := n % len(k.notes)
	note := k.notes[i]
	k.notes = slices.Delete(k.notes, i, i+1)
	if note.Change < 0 {
		k.settleBefore(note.seq)
	}
	note.Deliver()
	k.settleDead(note.To.Heap())
}

// settleDead does what rt does for heaps whose actor is gone.
func (k *cluster) settleDead(h *Heap) {
	for _, a := range k.members {
		if a.h == h && a.dead {
			for _, n := range h.SettleOrphan() {
				k.notes = append(k.notes, posted{n, k.now()})
			}
		}
	}
}

// die ends an actor; its heap stays as long as others hold objects of it.
func (k *cluster) die(a *member) {
	alive := 0
	for _, b := range k.members {
		if !b.dead {
			alive++
		}
	}
	if alive <= 2 {
		return
	}
	a.roots = [6]held{}
	a.h.Leave(&a.c)
	a.dead = true
	a.h.SetOwner("dead")
	k.settleDead(a.h)
}

// check compares everything that is reachable with the model, and the counts with who holds what.
func (k *cluster) check() {
	seen := map[*item]bool{}
	visit := func(r held) {
		if (r.p == nil) != (r.w == nil) {
			k.t.Fatalf("a root is %p where the model has %v", r.p, r.w)
		}
		if r.p == nil {
			return
		}
		if r.w.real == nil {
			r.w.real = r.p
		}
		for stack := []held{r}; len(stack) > 0; {
			r := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if r.w.real == nil {
				r.w.real = r.p
			}
			if r.p != r.w.real || r.p.id != r.w.id {
				k.t.Fatalf("object %d at %p has become %d at %p", r.w.id, r.w.real, r.p.id, r.p)
			}
			if seen[r.w] {
				continue
			}
			seen[r.w] = true
			for i, p := range [2]*node{r.p.a, r.p.b} {
				if (p == nil) != (r.w.next[i] == nil) {
					k.t.Fatalf("field %d of object %d is %p", i, r.w.id, p)
				}
				if p != nil {
					stack = append(stack, held{p, r.w.next[i]})
				}
			}
		}
	}
	for _, a := range k.members {
		for _, r := range a.roots {
			visit(r)
		}
	}
	for _, m := range k.mail {
		visit(m.held)
	}
	for _, f := range k.futures {
		visit(f.held)
	}
	for _, a := range k.members {
		c := &a.c
		if a.dead {
			c = nil
		}
		require.NoError(k.t, a.h.Verify(c, a.trace))
	}
	require.NoError(k.t, k.ledger())
}

// ledger checks the invariant of counts (see share.go) for every object that somebody holds or that a note is about.
func (k *cluster) ledger() error {
	type key struct {
		in *Inbox
		a  uintptr
	}
	sum := map[key]int64{}
	for _, b := range k.members {
		if s := b.h.shares; s != nil {
			for a, e := range s.entries {
				if e.weight == 0 {
					return fmt.Errorf("%s holds %#x with no weight", b.name, a)
				}
				sum[key{s.inboxes[e.source], a}] += int64(e.weight)
			}
			for _, n := range s.outbox {
				sum[key{n.To, uintptr(n.Object)}] -= n.Change
			}
			s.inbox.mu.Lock()
			for _, n := range s.inbox.notes {
				sum[key{n.To, uintptr(n.Object)}] -= n.Change
			}
			s.inbox.mu.Unlock()
		}
	}
	for _, m := range k.mail {
		for _, g := range m.f.grants {
			sum[key{g.inbox, g.object}] += int64(g.weight)
		}
	}
	for _, f := range k.futures {
		for i := range f.f.kept.grants {
			g := &f.f.kept.grants[i]
			sum[key{g.inbox, g.object}] += int64(g.weight.Load())
		}
	}
	for _, n := range k.notes {
		sum[key{n.To, uintptr(n.Object)}] -= n.Change
	}
	for _, b := range k.members {
		if b.h.shares == nil {
			continue
		}
		for a, e := range b.h.shares.exported {
			at := key{b.h.shares.inbox, a}
			if sum[at] != int64(e.count) {
				return fmt.Errorf("%s counts %d for %#x, of which others have %d", b.name, e.count, a, sum[at])
			}
			delete(sum, at)
		}
	}
	for at, n := range sum {
		if n != 0 {
			return fmt.Errorf("%d is left for %#x, which its owner does not count", n, at.a)
		}
	}
	return nil
}

// finish drops everything, and checks that nothing is left.
func (k *cluster) finish() {
	for len(k.mail) > 0 {
		k.receive(0, true)
	}
	for len(k.futures) > 0 {
		k.dropFuture(0)
	}
	for _, a := range k.members {
		a.roots = [6]held{}
	}
	for again := true; again; {
		again = false
		for _, a := range k.members {
			if a.dead {
				a.h.CollectFull(&a.h.saved, a.trace)
				k.owe(a)
			} else {
				k.collect(a, true)
			}
		}
		for len(k.notes) > 0 {
			again = true
			k.deliver(0)
		}
	}
	for _, a := range k.members {
		stats := a.h.Stats()
		if s := a.h.shares; s != nil {
			require.Empty(k.t, s.exported, a.name)
			require.Empty(k.t, s.entries, a.name)
			for i, in := range s.inboxes {
				require.Nil(k.t, in, "%s still knows source %d", a.name, i)
				require.Nil(k.t, s.sources[i])
			}
		}
		require.Zero(k.t, stats.Old, a.name)
		if a.h.mem != nil {
			require.Empty(k.t, a.h.mem.regions, a.name)
			require.Empty(k.t, a.h.mem.large, a.name)
		}
	}
	require.NoError(k.t, k.ledger())
}

var clusterConfigs = map[string]Config{
	"plain":  {Nursery: 16 << 10},
	"poison": {Nursery: 16 << 10, Poison: true, Verify: true},
	"helped": {Nursery: 16 << 10, Poison: true, Verify: true, HelpAfter: 3, Help: func(m *Marking) {
		for more := 1; more > 0; more-- {
			m.MarkShare(func(packets int) bool { more += packets; return true })
		}
	}},
}

// TestCluster runs many heaps that send to each other in all modes against a model: nothing is freed while somebody can reach it, everything
// when nobody can.
func TestCluster(t *testing.T) {
	programs := 300
	if invariant.Enabled {
		programs = 40
	}
	if os.Getenv("ENCORERT_LONG") != "" {
		programs = 20000
	}
	for name, config := range clusterConfigs {
		t.Run(name, func(t *testing.T) {
			for seed := range programs {
				newCluster(t, config, 2+seed%4, program(uint64(seed), 1200)).run(20)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

// FuzzCluster is TestCluster with programs that grow. It found a region that still claimed the span of an object that had died.
func FuzzCluster(f *testing.F) {
	for seed := range 8 {
		f.Add(byte(seed), program(uint64(seed), 500))
	}
	f.Fuzz(func(t *testing.T, n byte, code []byte) {
		if len(code) > 4000 {
			code = code[:4000]
		}
		newCluster(t, Config{Nursery: 16 << 10, Poison: true, Verify: true}, 2+int(n%5), code).run(10)
	})
}
