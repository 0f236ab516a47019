package gcbench

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/encorert/encorert/bench/timeline"
	"github.com/encorert/encorert/gc/heap"
)

// history is what collections did in one repetition: it is told of each on the worker that did it.
type history struct {
	mu     sync.Mutex
	start  time.Time
	live   map[uintptr]uint64 // by heap
	sum    timeline.Point     // of all heaps
	lines  []string
	points []timeline.Point
}

func newHistory() *history { return &history{start: time.Now(), live: map[uintptr]uint64{}} }

// add notes a collection. Any goroutine. Nothing is printed before the repetition has ended: it would be part of the time.
func (h *history) add(c heap.Collection) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sum.Live += c.Live - h.live[c.Heap]
	h.live[c.Heap] = c.Live
	h.sum.Allocated += c.Allocated
	h.sum.At, h.sum.Held, h.sum.Pause, h.sum.Full = time.Since(h.start), c.Used, c.Pause, c.Full
	h.points = append(h.points, h.sum)
	h.lines = append(h.lines, fmt.Sprintf("%8.3f ms %v", float64(h.sum.At)/float64(time.Millisecond), c))
}

// tell says a line for each collection.
func (h *history) tell(say func(line string)) {
	for _, line := range h.lines {
		say(line)
	}
}

// draw writes the timeline to a file.
func (h *history) draw(path string, job Job) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	title := fmt.Sprintf("GCBench, %d nodes: %d collections", job.Nodes(), len(h.points))
	err = timeline.SVG(f, title, h.points)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
