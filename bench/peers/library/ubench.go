package library

import (
	"fmt"
	"time"

	"github.com/encorert/encorert/bench/goroutines"
	"github.com/encorert/encorert/bench/harness"
)

// pingParams are those of package ubench.
type pingParams struct {
	Pingers   int             `json:"pingers"`
	Pings     int             `json:"initial_pings"`
	Intervals []time.Duration `json:"intervals_ns"`
}

// Messages of pingers.
type (
	introduce struct{ all []Ref }
	begin     struct{}
	ping      struct{ payload uint64 }
	stop      struct{}
	report    struct{}
)

// counts are a pinger's answer to report.
type counts struct{ pings, late int64 }

// pinger does what package ubench's does; the leader is the goroutine that runs the workload.
type pinger struct {
	all     []Ref
	rand    uint64
	going   bool
	counts  counts
	stopped chan<- struct{}
	told    chan<- counts
}

func (p *pinger) receive(c Context, message any) {
	switch m := message.(type) {
	case *ping:
		if !p.going {
			p.counts.late++
			return
		}
		p.counts.pings++
		c.Send(p.all[goroutines.Scale(p.next(), len(p.all))], m)
	case *introduce:
		p.all = m.all
	case *begin:
		p.going = true
	case *stop:
		p.going = false
		p.stopped <- struct{}{}
	case *report:
		p.told <- p.counts
		p.counts = counts{}
	}
}

// next is the generator that encorert and the goroutines have (xorshift64*).
func (p *pinger) next() uint64 {
	x := p.rand
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	p.rand = x
	return x * 0x2545F4914F6CDD1D
}

func (l Library) ubench(p pingParams) harness.Repeat {
	return l.repeat(func(s System) (rep harness.Repetition, _ error) {
		stopped, told := make(chan struct{}, p.Pingers), make(chan counts, p.Pingers)
		pingers, err := spawnAll(s, p.Pingers, func(i int) Receive {
			one := &pinger{rand: uint64(i+1) * 0x9E3779B97F4A7C15, stopped: stopped, told: told}
			return one.receive
		})
		if err != nil {
			return rep, err
		}
		toAll := func(message any) {
			for _, one := range pingers {
				s.Send(one, message)
			}
		}
		toAll(&introduce{pingers})
		for _, interval := range p.Intervals {
			start := time.Now()
			toAll(&begin{})
			for range p.Pings {
				for _, one := range pingers {
					s.Send(one, &ping{payload: 42})
				}
			}
			time.Sleep(interval)
			toAll(&stop{})
			for range pingers {
				<-stopped
			}
			toAll(&report{})
			var sum counts
			for range pingers {
				c := <-told
				sum.pings += c.pings
				sum.late += c.late
			}
			if want := int64(p.Pingers) * int64(p.Pings); sum.late != want {
				return rep, fmt.Errorf("%d pings arrived after the stop, where %d were on their way", sum.late, want)
			}
			rep.Count += sum.pings + sum.late
			rep.Millis += time.Since(start).Seconds() * 1000
		}
		return rep, nil
	})
}
