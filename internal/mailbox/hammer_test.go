package mailbox

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
)

// One box, and goroutines that all want it: by Claim, by PushRemote, and by giving it up just when others push.
// Exactly one owns it at any time; every message is seen once and in its sender's order.
func TestOwnershipHammer(t *testing.T) {
	type message struct{ from, seq int }
	const goroutines = 4
	rounds := hammer.Rounds(100_000, 2_000_000)
	b := new(Box[message])
	b.Init()
	d := new(Depot[message])
	var pools [goroutines]*Pool[message]
	for g := range pools {
		pools[g] = NewPool(d)
	}
	var owner atomic.Int32
	var next [goroutines]int // Owner: the owner of the box
	own := func(g int) {
		for {
			if !owner.CompareAndSwap(0, int32(g+1)) {
				t.Errorf("%d owns the box beside %d", g+1, owner.Load())
				return
			}
			for m := b.Next(pools[g]); m != nil; m = b.Next(pools[g]) {
				if m.seq != next[m.from] {
					t.Errorf("message %d of sender %d came where %d was due", m.seq, m.from, next[m.from])
				}
				next[m.from] = m.seq + 1
			}
			owner.Store(0)
			if b.Release(pools[g]) {
				return
			}
		}
	}
	hammer.Run(t, goroutines, rounds, func(g, round int) {
		if t.Failed() {
			return // what follows a fault is of no interest, and may not end
		}
		m := message{from: g, seq: round}
		if round%2 == g%2 && b.Claim() {
			b.PushLocal(pools[g], m)
			own(g)
		} else if pushRemote(b, pools[g], m) {
			own(g)
		}
	})
	if t.Failed() {
		return
	}
	for g := range next {
		assert.Equal(t, rounds, next[g], "messages of %d", g)
	}
	assert.True(t, b.Claim(), "idle at the end")
}

// Two come to one idle box at the same time, by Claim or by PushRemote: exactly one of them owns it, and what was pushed
// is there.
func TestClaimantsMeet(t *testing.T) {
	const goroutines = 2
	rounds := hammer.Rounds(8_000, 500_000)
	boxes := make([]Box[int], rounds)
	arrived := make([]atomic.Int32, rounds)
	owners := make([]atomic.Int32, rounds)
	for i := range boxes {
		boxes[i].Init()
	}
	d := new(Depot[int])
	pools := [goroutines]*Pool[int]{NewPool(d), NewPool(d)}
	pushes := func(g, round int) bool { return round%4 == 1+g } // 0, 3: both claim
	hammer.Run(t, goroutines, rounds, func(g, round int) {
		arrived[round].Add(1)
		for spins := 1; arrived[round].Load() < goroutines; spins++ {
			if spins%30 == 0 {
				runtime.Gosched()
			}
		}
		b := &boxes[round]
		if pushes(g, round) && pushRemote(b, pools[g], round) || !pushes(g, round) && b.Claim() {
			owners[round].Add(1)
		}
	})
	p := NewPool(d)
	for round := range boxes {
		var want []int
		if pushes(0, round) || pushes(1, round) {
			want = []int{round}
		}
		if n := owners[round].Load(); n != 1 {
			require.Failf(t, "not exactly one owner", "round %d: %d", round, n)
		}
		if got := takeAll(&boxes[round], p); len(got) != len(want) {
			require.Equal(t, want, got)
		}
	}
}

// The parts of a scheduler that a mailbox relies on, with chance where the scheduler has hints: workers with a private
// queue each, a queue that all take from, homes that move.
type town struct {
	t       *testing.T
	mu      sync.Mutex
	shared  []*citizen // guarded by mu
	open    atomic.Int64
	sinks   []*citizen
	relays  []*citizen
	sources int
	steps   int

	residents []*resident
}

// citizen is an actor. A source sends itself one message per step; at each it sends a numbered direct message to a
// sink, and then asks a relay to send another to the same sink, which must find the direct one already handled.
type citizen struct {
	box   Box[letter]
	owner atomic.Int32
	kind  uint8
	name  int // of a source

	sent   []int // by a source to each sink
	direct []int // got by a sink from each source
	relay  int
}

type letter struct {
	kind       uint8
	from, sink int
	seq        int
}

const (
	stepLetter uint8 = iota
	directLetter
	relayLetter // to a relay
	secondLetter
)

// resident does what a worker of a runtime does.
type resident struct {
	*town
	home    uint32
	pool    *Pool[letter]
	private []*citizen
	random  *rand.Rand
	out     Outbox[letter]
	remote  Remote[letter]
	resting []*citizen // owned and drained, to be released with the next flush
}

func (w *resident) send(to *citizen, m letter) {
	w.open.Add(1)
	w.put(to, m)
}

func (w *resident) put(to *citizen, m letter) {
	home := to.box.Home()
	at := home
	if !IsWorker(home) {
		at = NoHome
	}
	switch {
	case home == w.home:
		w.deliver()
		to.box.PushLocal(w.pool, m)
	case w.out.HoldsElsewhere(&to.box, at):
		w.flush()
		w.put(to, m)
	case at != NoHome:
		slot := w.out.SlotAt(at, &w.residents[at-1].remote, &to.box, w.pool)
		if slot == nil {
			w.put(to, m)
			return
		}
		*slot = m
		if w.random.IntN(40) == 0 {
			w.flush()
		}
	case w.random.IntN(2) == 0 && !w.out.Holds(&to.box) && to.box.Claim():
		w.acquire(to)
		to.box.PushLocal(w.pool, m)
		w.enqueue(to)
	default:
		*w.out.Slot(&to.box, w.pool) = m
		if w.random.IntN(40) == 0 || len(w.out.nodes) >= outboxNodes {
			w.flush()
		}
	}
}

func (w *resident) flush() {
	for _, b := range w.out.Flush(w.pool) {
		a := citizenOf(b)
		w.acquire(a)
		w.enqueue(a)
	}
	resting := w.resting
	w.resting = nil
	for _, a := range resting {
		w.release(a)
	}
}

func (w *resident) release(a *citizen) {
	w.close()
	a.owner.Store(0)
	released := a.box.Release(w.pool)
	w.remote.Reopen()
	if released {
		return
	}
	w.acquire(a)
	w.enqueue(a)
}

// deliver gives the citizens whose home this is what has come for them.
func (w *resident) deliver() {
	for p := w.remote.Take(); p != nil; p = w.pool.PutParcel(p) {
		visible := p.Visible()
		for i := range p.Len() {
			b, m := p.At(i)
			if b.Home() != w.home {
				w.t.Errorf("%d has got a message for an actor at home at %d", w.home, b.Home())
			}
			if visible {
				b.PushLocal(w.pool, *m)
			} else {
				b.Late(p, m, w.pool)
			}
		}
	}
}

func (w *resident) close() {
	for !w.remote.Close() {
		w.deliver()
	}
}

func citizenOf(b *Box[letter]) *citizen {
	return (*citizen)(unsafe.Add(unsafe.Pointer(b), -int(unsafe.Offsetof(citizen{}.box))))
}

// acquire notes that w owns a now. Nobody else may.
func (w *resident) acquire(a *citizen) {
	if !a.owner.CompareAndSwap(0, int32(w.home)) {
		w.t.Errorf("%d owns an actor beside %d", w.home, a.owner.Load())
	}
}

func (w *resident) enqueue(a *citizen) {
	if w.random.IntN(3) != 0 {
		a.box.SetHome(w.home)
		w.private = append(w.private, a)
		return
	}
	w.share(a)
}

func (w *resident) share(a *citizen) {
	w.flush()
	w.close()
	a.owner.Store(0)
	a.box.GiveUpHome()
	w.remote.Reopen()
	w.mu.Lock()
	w.shared = append(w.shared, a)
	w.mu.Unlock()
}

func (w *resident) find() *citizen {
	if w.random.IntN(3) == 0 {
		w.deliver()
	}
	if n := len(w.private); n > 0 && w.random.IntN(4) != 0 {
		a := w.private[0]
		w.private = w.private[1:]
		return a
	}
	if len(w.private) == 0 {
		w.flush()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.shared); n > 0 {
		a := w.shared[0]
		w.shared = w.shared[1:]
		w.acquire(a)
		return a
	}
	return nil
}

func (w *resident) run(a *citizen) {
	if a.box.Home() != w.home {
		if w.out.Holds(&a.box) {
			w.flush()
		}
		a.box.SetHome(w.home)
	}
	for range 1 + w.random.IntN(5) {
		m := a.box.Next(w.pool)
		if m == nil {
			break
		}
		w.handle(a, *m)
		w.open.Add(-1)
	}
	if !w.out.Empty() && a.box.Drained() {
		w.resting = append(w.resting, a)
		return
	}
	w.release(a)
}

func (w *resident) handle(a *citizen, m letter) {
	switch m.kind {
	case stepLetter:
		w.step(a)
		if m.seq+1 < w.steps {
			w.send(a, letter{kind: stepLetter, seq: m.seq + 1})
		}
	case directLetter:
		if m.seq != a.direct[m.from] {
			w.t.Errorf("message %d of source %d came where %d was due", m.seq, m.from, a.direct[m.from])
		}
		a.direct[m.from] = m.seq + 1
	case relayLetter:
		w.send(w.sinks[m.sink], letter{kind: secondLetter, from: m.from, seq: m.seq})
	case secondLetter:
		if a.direct[m.from] <= m.seq {
			w.t.Errorf("a relayed message has overtaken message %d of source %d", m.seq, m.from)
		}
		a.relay++
	}
}

func (w *resident) step(a *citizen) {
	k := w.random.IntN(len(w.sinks))
	seq := a.sent[k]
	a.sent[k]++
	w.send(w.sinks[k], letter{kind: directLetter, from: a.name, seq: seq})
	w.send(w.relays[w.random.IntN(len(w.relays))], letter{kind: relayLetter, from: a.name, sink: k, seq: seq})
}

func TestDeliveryHammer(t *testing.T) {
	const workers, foreign, inside, sinks, relays = 3, 2, 3, 3, 4
	town := &town{t: t, sources: inside + foreign, steps: hammer.Rounds(20_000, 400_000)}
	newCitizen := func(name int) *citizen {
		c := &citizen{name: name, sent: make([]int, sinks), direct: make([]int, town.sources)}
		c.box.Init()
		return c
	}
	for range sinks {
		town.sinks = append(town.sinks, newCitizen(0))
	}
	for range relays {
		town.relays = append(town.relays, newCitizen(0))
	}
	depot := new(Depot[letter])
	residents := make([]*resident, workers+foreign)
	for g := range residents {
		residents[g] = &resident{
			town: town, home: uint32(g + 1), pool: NewPool(depot), random: rand.New(rand.NewPCG(1, uint64(g))),
		}
	}
	town.residents = residents
	sources := make([]*citizen, town.sources)
	for name := range sources {
		sources[name] = newCitizen(name)
	}
	town.open.Store(foreign) // held by the foreign goroutines until they are done
	for _, a := range sources[:inside] {
		w := residents[0]
		w.send(a, letter{kind: stepLetter})
	}
	hammer.Run(t, workers+foreign, 1, func(g, _ int) {
		w := residents[g]
		if g >= workers { // a foreign goroutine: only remote pushes, and no queue of its own
			a := sources[inside+g-workers]
			for range town.steps {
				w.step(a)
				for len(w.private) > 0 {
					b := w.private[0]
					w.private = w.private[1:]
					w.share(b)
				}
			}
			for w.flush(); len(w.private) > 0; {
				b := w.private[0]
				w.private = w.private[1:]
				w.share(b)
			}
			town.open.Add(-1)
			return
		}
		for town.open.Load() > 0 && !t.Failed() {
			if a := w.find(); a != nil {
				w.run(a)
			} else {
				runtime.Gosched()
			}
		}
	})
	if t.Failed() {
		return
	}
	got := 0
	for k, sink := range town.sinks {
		for name, source := range sources {
			assert.Equal(t, source.sent[k], sink.direct[name])
		}
		got += sink.relay
		assert.True(t, sink.box.Claim(), "idle at the end")
	}
	assert.Equal(t, town.sources*town.steps, got)
}
