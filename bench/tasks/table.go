package tasks

import (
	"fmt"
	"sync"

	"github.com/encorert/encorert/internal/ring"
)

// table is what both do: tasks are submitted, end, and are freed when an epoch behind them is reached.
type table interface {
	// submit makes a task. By one goroutine.
	submit(label string, born uint64) (id uint64)
	// end ends it. By the same goroutine.
	end(id uint64)
	// lookUp finds a task that was not freed. By any goroutine.
	lookUp(id uint64) (label string, found bool)
	// freed is how many of the tasks before next were freed.
	freed(next uint64) int64
}

// The sizes are the runtime's: see rt.Config.
const (
	slots = 4096
	epoch = slots / 8
	first = 1
)

// ringTable is the runtime's.
type ringTable struct{ r *ring.Ring }

func newRingTable() ringTable { return ringTable{ring.New(slots, epoch, first)} }

func (t ringTable) submit(label string, born uint64) uint64 {
	id, _, ok := t.r.Reserve(1)
	if !ok {
		panic(fmt.Sprintf("tasks: the ring is full, which has %d slots for at most %d tasks", slots, 2*epoch))
	}
	t.r.Publish(id, label, born)
	return id
}

func (t ringTable) end(id uint64) { t.r.End(id, false) }

func (t ringTable) lookUp(id uint64) (string, bool) {
	e, found := t.r.LookUp(id)
	return e.Label, found
}

func (t ringTable) freed(uint64) int64 { return int64(t.r.Horizon() - first) }

// mapTable is a map under a lock: Go's, since Celerity's was its language's.
type mapTable struct {
	mu    sync.Mutex
	tasks map[uint64]*entry // guarded by mu
	next  uint64            // guarded by mu
	low   uint64            // all before have ended; guarded by mu
	gone  int64             // guarded by mu
}

type entry struct {
	label string
	born  uint64
	ended bool
}

func newMapTable() *mapTable {
	return &mapTable{tasks: make(map[uint64]*entry, slots), next: first, low: first}
}

func (t *mapTable) submit(label string, born uint64) uint64 {
	e := &entry{label: label, born: born}
	t.mu.Lock()
	defer t.mu.Unlock()
	id := t.next
	t.next++
	t.tasks[id] = e
	return id
}

func (t *mapTable) end(id uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tasks[id].ended = true
	for {
		e := t.tasks[t.low]
		if e == nil || !e.ended {
			return
		}
		t.low++
		if t.low%epoch == 0 {
			for id := first + uint64(t.gone); id != t.low; id++ {
				delete(t.tasks, id)
				t.gone++
			}
		}
	}
}

func (t *mapTable) lookUp(id uint64) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.tasks[id]
	if e == nil {
		return "", false
	}
	return e.label, true
}

func (t *mapTable) freed(next uint64) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if got := int64(next-first) - int64(len(t.tasks)); got != t.gone {
		panic(fmt.Sprintf("tasks: the map has lost tasks: %d freed, %d gone", t.gone, got))
	}
	return t.gone
}
