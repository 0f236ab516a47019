package rt

import (
	"sync"
	"sync/atomic"

	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/gang"
	"github.com/encorert/encorert/internal/mailbox"
	"github.com/encorert/encorert/internal/park"
	"github.com/encorert/encorert/internal/runq"
)

// Runtime runs actors on a fixed number of workers. Several may exist in one process; an actor belongs to the one that
// spawned it and may be sent to only from there. All methods may be called from any goroutine. Inside a behaviour,
// of whatever runtime, Run and Shutdown return ErrInside, Close does not wait, and Do holds the worker.
type Runtime struct {
	cfg    Config
	space  *heap.Space
	gang   *gang.Gang // helps to mark large heaps
	owners owners
	// workers are all that exist; entry w has the number w. Writers: New, and who adds a worker, by a new slice. Readers:
	// any goroutine, see everyWorker.
	workers atomic.Pointer[[]*worker]
	lot     *park.Lot
	monitor monitor
	inject  runq.Inject[Actor] // ready actors from outside, and what does not fit a shared queue
	depot   mailbox.Depot[Message]
	probe   probe // an actor in one of the queues that all take from
	// wakes counts workers woken by none of them. Writers: whoever wakes one. Readers: Stats.
	wakes   atomic.Uint64
	clock   clock
	driver  *driver // in systematic mode; nil otherwise
	sources sources
	tasks   tasks

	searchRounds int // of a searcher that finds nothing. Writers: New; tests, while all workers sleep

	// stopping makes workers end. Writers: stop, once. Readers: workers, before they run or sleep.
	stopping atomic.Bool
	// unwinding makes parked behaviours end. Writers: Close, after all workers ended. Readers: strands.
	unwinding atomic.Bool
	// holds counts what keeps the run open from outside. Writers: any goroutine. Readers: checkQuiet.
	holds   atomic.Int64
	running sync.WaitGroup // workers
	stopped chan struct{}  // closed by stop
	ended   chan struct{}  // closed after that, when all workers have ended
	closed  chan struct{}  // closed when Close is done
	closing sync.Once

	mu      sync.Mutex
	err     error        // why it stopped, nil after Close; guarded by mu
	quiet   []chan error // Run calls that wait for the end of the run; guarded by mu
	strands []*strand    // all of them, for reports and Close; guarded by mu
	idle    []*strand    // those that no worker has in its own pool; guarded by mu
}

// New makes a runtime and starts its workers, which sleep until there is something to do. The error says which field
// of the config is wrong. The caller must Close it.
func New(cfg Config) (*Runtime, error) { return newRuntime(cfg, realClock{}) }

func newRuntime(cfg Config, clock clock) (*Runtime, error) {
	cfg, err := cfg.validated()
	if err != nil {
		return nil, err
	}
	rt := &Runtime{
		cfg:   cfg,
		gang:  newGang(cfg),
		lot:   park.NewLot(cfg.Workers, cfg.Spares),
		clock: clock,

		searchRounds: searchRounds,

		stopped: make(chan struct{}),
		ended:   make(chan struct{}),
		closed:  make(chan struct{}),
	}
	memory := heap.Config{
		Limit: cfg.MemoryLimit, Nursery: uintptr(cfg.Nursery), OnCollect: cfg.OnCollect,
		CollectAlways: cfg.CollectAlways, Verify: cfg.Verify, Poison: cfg.Poison, Guard: cfg.Guard,
		Deterministic: cfg.Seed != 0,
	}
	if rt.gang.Workers() > 0 {
		memory.Help, memory.HelpAfter = rt.help, uintptr(cfg.MarkAlone)
	}
	rt.space = heap.NewSpace(memory)
	rt.sources.nodes = mailbox.NewPool(&rt.depot)
	rt.tasks.first = 1 // the zero TaskID is nobody's
	workers := make([]*worker, cfg.Workers)
	for id := range workers {
		workers[id] = newWorker(rt, id)
	}
	rt.workers.Store(&workers)
	rt.monitor.rt = rt
	rt.running.Add(len(workers))
	if cfg.Seed != 0 {
		rt.startDriver()
	} else {
		rt.monitor.start()
		for _, w := range workers {
			go w.drive()
		}
	}
	go func() {
		<-rt.stopped
		rt.monitor.noMoreSpares()
		rt.running.Wait()
		rt.monitor.end()
		close(rt.ended)
	}()
	return rt, nil
}

// Workers returns how many behaviours the runtime runs at once.
func (rt *Runtime) Workers() int { return rt.cfg.Workers }

// everyWorker returns all workers that exist now. A look that must not miss one's queues loads them after the
// read-modify-write that it relies on: a worker is in the list before it can push anything.
func (rt *Runtime) everyWorker() []*worker { return *rt.workers.Load() }

// Done is closed when the runtime has stopped, by Close or by a panic that ended the run.
func (rt *Runtime) Done() <-chan struct{} { return rt.stopped }

// Err returns why the runtime stopped: a *PanicError, ErrClosed, or nil while it works.
func (rt *Runtime) Err() error {
	select {
	case <-rt.stopped:
	default:
		return nil
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.err != nil {
		return rt.err
	}
	return ErrClosed
}

// stop makes all workers end. The first caller's err is the runtime's.
func (rt *Runtime) stop(err error) {
	if !rt.markStopped(err) {
		return
	}
	// After the flag: a worker either sees it in its last look or is announced and gets a permit here. And without mu:
	// checkQuiet takes it inside of the lot's lock, which WakeAll wants.
	rt.lot.WakeAll()
}

// markStopped reports whether the caller is the first.
func (rt *Runtime) markStopped(err error) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if !rt.stopping.CompareAndSwap(false, true) {
		return false
	}
	rt.err = err
	close(rt.stopped)
	return true
}

// takeStrand returns an idle strand, or a new one.
func (rt *Runtime) takeStrand() *strand {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if n := len(rt.idle); n > 0 {
		s := rt.idle[n-1]
		rt.idle[n-1] = nil
		rt.idle = rt.idle[:n-1]
		return s
	}
	s := newStrand()
	s.index = len(rt.strands)
	rt.strands = append(rt.strands, s)
	return s
}

// putStrand reports whether it has kept s.
func (rt *Runtime) putStrand(s *strand) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if len(rt.idle) >= keepAllStrands {
		return false
	}
	rt.idle = append(rt.idle, s)
	return true
}

// forget takes a strand that has ended, or is about to, off the list of all. Calls after the first do nothing.
func (rt *Runtime) forget(s *strand) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	n := len(rt.strands) - 1
	if s.index < 0 {
		return
	}
	last := rt.strands[n]
	rt.strands[s.index] = last
	last.index = s.index
	rt.strands[n] = nil
	rt.strands = rt.strands[:n]
	s.index = -1
}
