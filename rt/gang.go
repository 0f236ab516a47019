package rt

import (
	"runtime"
	"runtime/debug"

	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/gang"
)

// A large heap is marked by the worker whose actor it is of and by a gang beside it (package gang), as far as workers are
// idle: then there is a processor with nothing to do. The gang has goroutines of its own, which exist only while heaps need
// them, since a worker that helped would have to be found awake, or be woken from a sleep that the protocol of package park
// guards.

// newGang makes the gang for a runtime of so many workers. One worker, or one processor, has nobody to help it. Nor has a
// systematic runtime: whether help comes would be the machine's choice.
func newGang(cfg Config) *gang.Gang {
	helpers := min(cfg.Workers, runtime.GOMAXPROCS(0)) - 1
	if cfg.Seed != 0 || cfg.MarkAlone < 0 {
		helpers = 0
	}
	return gang.New(helpers)
}

// help is the Config.Help of the heaps: it marks the rest of one together with others, if anybody is idle.
func (rt *Runtime) help(m *heap.Marking) {
	if rt.lot.Idle() == 0 {
		return
	}
	// An error means that another heap is being marked so, and processors are busy with that.
	_ = rt.gang.Try(1, func(s *gang.Share) {
		if rt.cfg.Guard {
			defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // as on a strand
		}
		m.MarkShare(s.Add)
	})
}
