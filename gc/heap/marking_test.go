package heap

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/gang"
	"github.com/encorert/encorert/internal/hammer"
)

// helpers makes a gang that helps from the first hundred objects on.
func helpers(t testing.TB, workers int) (*gang.Gang, Config) {
	g := gang.New(workers)
	t.Cleanup(g.Close)
	return g, Config{Help: helpOf(g), HelpAfter: 100}
}

// tangle is a graph with objects of all sizes in which most are referred to several times.
func (a *actor) tangle(random *rand.Rand, n int) {
	all := make([]*node, n)
	for i := range all {
		var x, y *node
		if i > 0 {
			x, y = all[random.IntN(i)], all[max(0, i-1-random.IntN(5))]
		}
		switch {
		case random.IntN(200) == 0:
			p, err := a.h.AllocLarge(&a.c, boardType)
			require.NoError(nil, err)
			set(a.h, (*board)(p), &(*board)(p).a, x)
			set(a.h, (*board)(p), &(*board)(p).b, y)
			all[i] = (*node)(p)
		case random.IntN(20) == 0:
			p := allocate(a.h, &a.c, sheetType.total, sheetType.Header())
			store(unsafe.Add(p, unsafe.Offsetof(sheet{}.a)), unsafe.Pointer(x))
			store(unsafe.Add(p, unsafe.Offsetof(sheet{}.b)), unsafe.Pointer(y))
			all[i] = (*node)(p)
		default:
			all[i] = a.new(x, y)
		}
	}
	a.roots = all[n-1:]
}

// reachable counts objects of all types.
func reachable(root *node) int {
	seen := map[unsafe.Pointer]bool{}
	queue := []unsafe.Pointer{unsafe.Pointer(root)}
	for len(queue) > 0 {
		p := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if p == nil || seen[p] {
			continue
		}
		seen[p] = true
		for _, off := range TypeOf(p).ptrs {
			queue = append(queue, load(unsafe.Add(p, off)))
		}
	}
	return len(seen)
}

// A heap that is marked together has the marks of one that is marked alone: same bytes, same objects, and Verify finds
// the same order. Some rounds are minor collections with old objects that refer to young ones.
func TestMarkedTogetherAsAlone(t *testing.T) {
	for _, workers := range []int{0, 1, 3} {
		_, config := helpers(t, workers)
		config.Verify = true
		for round := range uint64(hammer.Rounds(6, 300)) {
			together, alone := newActor(t, config), newActor(t, Config{})
			for _, a := range []*actor{together, alone} {
				a.tangle(rand.New(rand.NewPCG(round, 1)), 3000)
				a.full()
				old := a.roots[0]
				a.tangle(rand.New(rand.NewPCG(round, 2)), 2000)
				set(a.h, old, &old.a, a.roots[0])
				a.roots = []*node{old}
				a.collect()
			}
			want, got := alone.h.Stats(), together.h.Stats()
			got.Paused, got.LastPause, got.MaxPause = want.Paused, want.LastPause, want.MaxPause
			require.Equal(t, want, got)
			require.Equal(t, alone.h.space.Stats().Objects, together.h.space.Stats().Objects)
			require.Zero(t, alone.h.space.Stats().Helped)
			require.NotZero(t, together.h.space.Stats().Helped)
		}
	}
}

// two has a Marking shared by two participants, for certain: the first goes on when the second has taken what was put aside
// first, and waits for it.
func two(m *Marking) {
	var second sync.WaitGroup
	once := false
	m.MarkShare(func(int) bool {
		if !once {
			once = true
			second.Go(func() { m.MarkShare(func(int) bool { return true }) })
			for m.active.Load() != 2 {
				time.Sleep(10 * time.Microsecond)
			}
		}
		return true
	})
	second.Wait()
}

// joining has a second participant come at any time, most often in the middle of what the first one marks plainly.
func joining(m *Marking) {
	var second sync.WaitGroup
	m.MarkShare(func(int) bool {
		second.Go(func() { m.MarkShare(func(int) bool { return true }) })
		return true
	})
	second.Wait()
}

func TestSecondJoinsAtAnyTime(t *testing.T) {
	for round := range uint64(hammer.Rounds(20, 2000)) {
		a := newActor(t, Config{Verify: true, HelpAfter: 100, Help: joining})
		a.tangle(rand.New(rand.NewPCG(round, 5)), 10_000)
		a.full()
		require.EqualValues(t, reachable(a.roots[0]), a.h.space.Stats().Objects)
	}
}

func TestTwoMarkTogetherForCertain(t *testing.T) {
	for round := range uint64(hammer.Rounds(20, 2000)) {
		var finished []*Tracer
		a := newActor(t, Config{Verify: true, HelpAfter: 100, Help: func(m *Marking) {
			if finished == nil {
				two(m)
				finished = append(finished, m.finished...)
				require.Len(t, finished, 2)
				require.NotZero(t, finished[0].objects)
				require.NotZero(t, finished[1].objects)
			}
		}})
		a.tangle(rand.New(rand.NewPCG(round, 3)), 20_000)
		want := uintptr(reachable(a.roots[0]))
		before := a.h.space.Stats().Objects
		a.full()
		require.EqualValues(t, want, a.h.space.Stats().Objects-before, "each object is marked by one")
		require.NotNil(t, finished)
	}
}

// Whoever is asked for help may do nothing, or leave packets to the collection.
func TestHelpIsNotOwed(t *testing.T) {
	asked := 0
	for name, help := range map[string]func(*Marking){
		"nothing":  func(*Marking) {},
		"one":      func(m *Marking) { m.MarkShare(func(int) bool { return false }) },
		"too many": func(m *Marking) { helpOf(gang.New(0))(m); m.MarkShare(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			a := newActor(t, Config{Verify: true, HelpAfter: 100, Help: func(m *Marking) { asked++; help(m) }})
			a.tangle(rand.New(rand.NewPCG(4, 4)), 5000)
			a.full()
			require.EqualValues(t, reachable(a.roots[0]), a.h.space.Stats().Objects)
			require.Positive(t, asked)
		})
	}
	small := newActor(t, Config{HelpAfter: 100, Help: func(*Marking) { t.Error("a small heap needs no help") }})
	small.roots = []*node{small.list(100)}
	small.full()
}

// A participant that panics leaves nobody waiting: neither the one that waits to join it nor the one that waits for the end.
func TestPanicWhileMarkingTogether(t *testing.T) {
	stop := hammer.Watch(t, hammer.Limit)
	defer stop()
	a := newActor(t, Config{})
	a.roots = []*node{a.tree(10)}
	a.full()
	broken := a.new(nil, nil)
	*headerOf(unsafe.Pointer(broken)) = uint64(len(typeTable())) << typeShift // of no type
	set(a.h, a.roots[0], &a.roots[0].b, broken)

	m := &Marking{epoch: a.h.epoch ^ flagsMark, types: typeTable(), space: a.h.space}
	for _, p := range []*node{a.roots[0], a.tree(3)} {
		packet := m.tracer()
		packet.Mark(unsafe.Pointer(p))
		m.packets = append([]*Tracer{packet}, m.packets...) // the broken one is taken first
	}
	first, solo := m.take()
	require.True(t, solo)
	var second sync.WaitGroup
	second.Go(func() { m.MarkShare(func(int) bool { return true }) })
	for m.active.Load() != 2 {
		time.Sleep(10 * time.Microsecond)
	}
	require.Panics(t, func() {
		defer func() { m.done(first, solo) }()
		first.drain(asideAfter)
	})
	second.Wait()
	require.Zero(t, m.active.Load())
	require.Len(t, m.finished, 2)
}

func TestLineUnits(t *testing.T) {
	var memory [4]byte
	for i := range memory {
		*(*uint32)(unsafe.Pointer(&memory)) |= lineUnits[i]
		require.EqualValues(t, 1, memory[i])
	}
	require.Equal(t, [4]byte{1, 1, 1, 1}, memory)
}
