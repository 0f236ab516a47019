package ubench

import (
	"unsafe"

	"github.com/encorert/encorert/bench/goroutines"
)

// goPinger is the pinger as a goroutine.
type goPinger struct {
	goroutines.Actor
	leader *goLeader
	all    []*goPinger
	going  bool
	pings  int64
	late   int64
}

// goLeader is the leader as a goroutine.
type goLeader struct {
	goroutines.Actor
	pingers []*goPinger
	ping    *goroutines.Behaviour // of the kind that all are
	waiting int
	sum     tally
	done    chan tally
}

// Descriptors of the messages, as generated code has them; init breaks the cycle between them and what they call.
var (
	goGo      = goroutines.Behaviour{Name: "Go", Run: func(a *goroutines.Actor, _ *goroutines.Message) { pingerAt(a).going = true }}
	chanPing  = goroutines.Behaviour{Name: "Ping"} // by channel
	slicePing = goroutines.Behaviour{Name: "Ping"} // by slice
	goStop    = goroutines.Behaviour{Name: "Stop"}
	goReport  = goroutines.Behaviour{Name: "Report"}
	goBegin   = goroutines.Behaviour{Name: "Begin", Run: runBegin}
	goEnd     = goroutines.Behaviour{Name: "End", Run: runEnd}
	goStopped = goroutines.Behaviour{Name: "Stopped", Run: runStopped}
	goCounted = goroutines.Behaviour{Name: "Counted", Run: runCounted}
)

func init() {
	chanPing.Run = func(a *goroutines.Actor, m *goroutines.Message) {
		if to := pingerAt(a).next(); to != nil {
			goroutines.SendChannel(a, &to.Actor, goroutines.Message{B: &chanPing, W0: m.W0})
		}
	}
	slicePing.Run = func(a *goroutines.Actor, m *goroutines.Message) {
		if to := pingerAt(a).next(); to != nil {
			goroutines.SendSlice(&to.Actor, goroutines.Message{B: &slicePing, W0: m.W0})
		}
	}
	goStop.Run = func(a *goroutines.Actor, _ *goroutines.Message) {
		p := pingerAt(a)
		p.going = false
		goroutines.Send(a, &p.leader.Actor, goroutines.Message{B: &goStopped})
	}
	goReport.Run = func(a *goroutines.Actor, _ *goroutines.Message) {
		p := pingerAt(a)
		goroutines.Send(a, &p.leader.Actor, goroutines.Message{B: &goCounted, W0: uint64(p.pings), W1: uint64(p.late)})
		p.pings, p.late = 0, 0
	}
}

// The casts are those of generated code: each behaviour is sent to one type of actor, which begins with its Actor.
func pingerAt(a *goroutines.Actor) *goPinger { return (*goPinger)(unsafe.Pointer(a)) }
func leaderAt(a *goroutines.Actor) *goLeader { return (*goLeader)(unsafe.Pointer(a)) }

// next counts a ping and returns who gets it next, nil if it is late.
func (p *goPinger) next() *goPinger {
	if !p.going {
		p.late++
		return nil
	}
	p.pings++
	return p.all[p.Pick(len(p.all))]
}

func runBegin(a *goroutines.Actor, m *goroutines.Message) {
	l, pings := leaderAt(a), m.W0
	for _, p := range l.pingers {
		goroutines.Send(a, &p.Actor, goroutines.Message{B: &goGo})
	}
	for range pings {
		for _, p := range l.pingers {
			goroutines.Send(a, &p.Actor, goroutines.Message{B: l.ping, W0: payload})
		}
	}
}

func runEnd(a *goroutines.Actor, _ *goroutines.Message) {
	l := leaderAt(a)
	l.waiting = len(l.pingers)
	for _, p := range l.pingers {
		goroutines.Send(a, &p.Actor, goroutines.Message{B: &goStop})
	}
}

func runStopped(a *goroutines.Actor, _ *goroutines.Message) {
	l := leaderAt(a)
	if l.waiting--; l.waiting > 0 {
		return
	}
	l.sum = tally{}
	l.waiting = len(l.pingers)
	for _, p := range l.pingers {
		goroutines.Send(a, &p.Actor, goroutines.Message{B: &goReport})
	}
}

func runCounted(a *goroutines.Actor, m *goroutines.Message) {
	l := leaderAt(a)
	l.sum.pings += int64(m.W0)
	l.sum.late += int64(m.W1)
	if l.waiting--; l.waiting == 0 {
		l.done <- l.sum
	}
}

// plot is a field of goroutines.
type plot struct {
	pings  int
	group  *goroutines.Group
	leader *goLeader
}

// room is how many messages the channel of a pinger holds. With 8 times the pings that a pinger has on average,
// messages hardly ever wait at their senders; with room for all pings, the buffers of 250 pingers do not fit the
// caches, and half of the speed is gone. Measured.
func (p params) room() int { return 8*p.Pings + 64 }

func plantGoroutines(p params, kind goroutines.Kind) *plot {
	f := &plot{pings: p.Pings, group: goroutines.NewGroup(kind), leader: &goLeader{done: make(chan tally, 1)}}
	l := f.leader
	l.ping = &chanPing
	if kind == goroutines.Slice {
		l.ping = &slicePing
	}
	for range p.Pingers {
		l.pingers = append(l.pingers, &goPinger{leader: l})
	}
	for _, q := range l.pingers {
		q.all = l.pingers
	}
	f.group.Start(&l.Actor, 2*p.Pingers)
	for _, q := range l.pingers {
		f.group.Start(&q.Actor, p.room())
	}
	return f
}

func (f *plot) begin() error {
	goroutines.Inject(&f.leader.Actor, goroutines.Message{B: &goBegin, W0: uint64(f.pings)})
	return nil
}

func (f *plot) end() (tally, error) {
	goroutines.Inject(&f.leader.Actor, goroutines.Message{B: &goEnd})
	return <-f.leader.done, nil
}

func (f *plot) close() error {
	f.group.Stop()
	return nil
}
