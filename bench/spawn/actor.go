package spawn

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/rt"
)

//go:generate go tool encorert gen

// tally is what all actors, or goroutines, of a repetition count in.
type tally struct{ handled atomic.Int64 }

// mayfly lives for a message.
//
//encore:actor
type mayfly struct{ seen int }

// Count handles the message.
//
//encore:behaviour
func (m *mayfly) Count(cctx **rt.Ctx, in *tally) {
	m.seen++
	in.handled.Add(1)
}

// actors makes actors, sends each a message, and drops them. The time ends when all messages are handled; Go's collector, which
// frees the actors, runs meanwhile as it likes.
func (p params) actors() (rep harness.Repetition, err error) {
	r, err := rt.New(rt.Config{Workers: p.Workers})
	if err != nil {
		return rep, err
	}
	defer r.Close()
	var in tally
	start := time.Now()
	err = r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		for range p.Actors {
			NewMayfly(ctx).Count(ctx, &in)
		}
	})
	return harness.Repetition{Millis: time.Since(start).Seconds() * 1e3, Count: in.handled.Load()}, err
}

// idleActors makes actors that have handled one message each, and keeps them.
func (p params) idleActors() (rep harness.Repetition, err error) {
	r, err := rt.New(rt.Config{Workers: p.Workers})
	if err != nil {
		return rep, err
	}
	defer r.Close()
	var in tally
	kept := make([]Mayfly, p.Idle)
	before := memory()
	start := time.Now()
	err = r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		for i := range kept {
			kept[i] = NewMayfly(ctx)
			kept[i].Count(ctx, &in)
		}
	})
	took := time.Since(start)
	if err != nil {
		return rep, err
	}
	bytes := memory() - before
	runtime.KeepAlive(kept)
	return p.idleRepetition(took, in.handled.Load(), bytes)
}

func (p params) idleRepetition(took time.Duration, handled int64, bytes float64) (harness.Repetition, error) {
	if bytes <= 0 {
		return harness.Repetition{}, fmt.Errorf("spawn: %d that are idle take %v bytes: memory cannot be measured here", p.Idle, bytes)
	}
	return harness.Repetition{Millis: took.Seconds() * 1e3, Count: handled, Values: map[string]float64{
		valueBytes: bytes / float64(p.Idle),
	}}, nil
}

// memory is what the Go heap and the stacks take, after a collection. Actors without heap objects have no other memory.
func memory() float64 {
	runtime.GC()
	runtime.GC() // the first moves pools to where the second frees them
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}
