package rt

import (
	"context"
	"runtime/pprof"
)

// labels are the profile labels of the behaviours that one worker has run, made once for each. Owner: the worker.
type labels map[labelKey]context.Context

type labelKey struct {
	typ       *ActorType
	behaviour *Behaviour
}

// set labels the calling goroutine, a strand's, for what it is about to run.
func (l labels) set(t *ActorType, b *Behaviour) {
	key := labelKey{t, b}
	c := l[key]
	if c == nil {
		c = pprof.WithLabels(context.Background(), pprof.Labels("actor", t.Name, "behaviour", b.Name))
		l[key] = c
	}
	pprof.SetGoroutineLabels(c)
}

// labelledBatch is batch with Config.ProfileLabels: one message at a time. A strand that is parked in a behaviour keeps
// that one's labels.
func (s *strand) labelledBatch(a *Actor, budget *int) (end batchEnd, target *strand) {
	defer pprof.SetGoroutineLabels(context.Background())
	for *budget > 0 {
		w := s.cell.worker
		if m := a.box.First(w.nodes); m != nil && m.B != &resumption {
			w.labels.set(a.typ, m.B)
		}
		*budget--
		one := 1
		end, target = s.batch(a, &one)
		if end != batchSpent {
			return end, target
		}
	}
	return batchSpent, nil
}
