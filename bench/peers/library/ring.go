package library

import (
	"time"

	"github.com/encorert/encorert/bench/harness"
)

// ringParams are those of the workloads pingpong and ring (package messages).
type ringParams struct {
	Nodes  int   `json:"nodes"`
	Tokens int   `json:"tokens"`
	Hops   int64 `json:"hops"`
	Piece  int64 `json:"piece"`
}

// meet says who is next in the ring.
type meet struct{ next Ref }

// token goes round.
type token struct{ left int64 }

func (l Library) ring(p ringParams) harness.Repeat {
	return l.repeat(func(s System) (harness.Repetition, error) {
		hops := make([]struct {
			n int64
			_ [120]byte // no two on a line, nor on neighbouring ones
		}, p.Nodes)
		ended := make(chan struct{}, p.Tokens)
		nodes, err := spawnAll(s, p.Nodes, func(i int) Receive {
			var next Ref
			return func(c Context, message any) {
				switch m := message.(type) {
				case *token:
					hops[i].n++
					if m.left == 0 {
						ended <- struct{}{}
						return
					}
					m.left--
					c.Send(next, m)
				case *meet:
					next = m.next
				}
			}
		})
		if err != nil {
			return harness.Repetition{}, err
		}
		for i, n := range nodes {
			s.Send(n, &meet{nodes[(i+1)%len(nodes)]})
		}
		start := time.Now()
		for i := range p.Tokens {
			s.Send(nodes[i%len(nodes)], &token{p.Hops - 1})
		}
		for range p.Tokens {
			<-ended
		}
		took := time.Since(start)
		var sum int64
		for i := range hops {
			sum += hops[i].n
		}
		return repetition(sum/p.Piece, took), nil
	})
}
