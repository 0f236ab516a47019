package ubench

import (
	"context"

	"github.com/encorert/encorert/bench/goroutines"
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/rt"
)

// pinger passes pings on.
//
//encore:actor
type pinger struct {
	leader Leader
	all    []Pinger // shared by all pingers, who only read it
	going  bool
	pings  int64
	late   int64
}

//encore:new
func (p *pinger) init(cctx **rt.Ctx, leader Leader) { p.leader = leader }

// Meet says who may be sent pings.
//
//encore:behaviour
func (p *pinger) Meet(cctx **rt.Ctx, all []Pinger) { p.all = all }

// Go makes the pinger send on what it gets.
//
//encore:behaviour
func (p *pinger) Go(cctx **rt.Ctx) { p.going = true }

// Ping is counted and sent on.
//
//encore:behaviour
func (p *pinger) Ping(cctx **rt.Ctx, payload uint64) {
	if !p.going {
		p.late++
		return
	}
	ctx := *cctx
	p.pings++
	p.all[goroutines.Scale(ctx.Rand(), len(p.all))].Ping(ctx, payload)
}

// Stop makes the pinger drop what it gets.
//
//encore:behaviour
func (p *pinger) Stop(cctx **rt.Ctx) {
	p.going = false
	p.leader.Stopped(*cctx)
}

// Report sends the counts to the leader and begins new ones.
//
//encore:behaviour
func (p *pinger) Report(cctx **rt.Ctx) {
	p.leader.Counted(*cctx, p.pings, p.late)
	p.pings, p.late = 0, 0
}

// leader begins and ends the intervals.
//
//encore:actor
type leader struct {
	pingers []Pinger
	waiting int // for answers of pingers
	sum     tally
	done    chan<- tally // gets the sum of each interval; has room for it
}

//encore:new
func (l *leader) init(cctx **rt.Ctx, pingers int, done chan<- tally) {
	ctx := *cctx
	l.done = done
	self := l.Self(ctx)
	l.pingers = make([]Pinger, pingers)
	for i := range l.pingers {
		l.pingers[i] = NewPinger(ctx, self)
	}
	for _, p := range l.pingers {
		p.Meet(ctx, l.pingers)
	}
}

// Begin lets all pingers go before the first ping is sent: one that is not yet going would drop it.
//
//encore:behaviour
func (l *leader) Begin(cctx **rt.Ctx, pings int) {
	ctx := *cctx
	for _, p := range l.pingers {
		p.Go(ctx)
	}
	for range pings {
		for _, p := range l.pingers {
			p.Ping(ctx, payload)
		}
	}
}

// payload is what Pony's pings carry.
const payload = 42

// End stops all pingers.
//
//encore:behaviour
func (l *leader) End(cctx **rt.Ctx) {
	l.waiting = len(l.pingers)
	for _, p := range l.pingers {
		p.Stop(*cctx)
	}
}

// Stopped is a pinger's answer to Stop.
//
//encore:behaviour
func (l *leader) Stopped(cctx **rt.Ctx) {
	if l.waiting--; l.waiting > 0 {
		return
	}
	l.sum = tally{}
	l.waiting = len(l.pingers)
	for _, p := range l.pingers {
		p.Report(*cctx)
	}
}

// Counted is a pinger's answer to Report.
//
//encore:behaviour
func (l *leader) Counted(cctx **rt.Ctx, pings, late int64) {
	l.sum.pings += pings
	l.sum.late += late
	if l.waiting--; l.waiting == 0 {
		l.done <- l.sum
	}
}

// actors is a field on a runtime of its own.
type actors struct {
	pings  int
	r      *rt.Runtime
	leader Leader
	done   chan tally
}

func repeatActors(p params, say func(string)) harness.Repeat {
	return p.repeat(say, func() (field, error) { return plantActors(p) })
}

func plantActors(p params) (*actors, error) {
	r, err := rt.New(rt.Config{Workers: p.Workers})
	if err != nil {
		return nil, err
	}
	a := &actors{pings: p.Pings, r: r, done: make(chan tally, 1)}
	err = r.Run(func(cctx **rt.Ctx) { a.leader = NewLeader(*cctx, p.Pingers, a.done) })
	if err != nil {
		r.Close()
		return nil, err
	}
	return a, nil
}

func (a *actors) begin() error {
	return a.r.Do(context.Background(), func(cctx **rt.Ctx) { a.leader.Begin(*cctx, a.pings) })
}

func (a *actors) end() (tally, error) {
	err := a.r.Do(context.Background(), func(cctx **rt.Ctx) { a.leader.End(*cctx) })
	if err != nil {
		return tally{}, err
	}
	select {
	case t := <-a.done:
		return t, nil
	case <-a.r.Done():
		return tally{}, a.r.Err()
	}
}

func (a *actors) close() error { return a.r.Close() }
