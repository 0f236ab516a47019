package gang

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/encorert/encorert/internal/invariant"
)

// defaultPatience is how long workers wait for a job before they leave. Picked: a heap that is large enough for the gang is
// collected more often than that, if it works at all. Starting one again costs less than a microsecond.
const defaultPatience = time.Second

// crew is the workers between jobs.
type crew struct {
	// idle counts workers that sleep or do not exist: summon has a use for them. Writers: under mu. Readers: summon, which
	// pairs with the look after the announcement in rest.
	idle atomic.Int32

	mu     sync.Mutex
	asleep []int // announced, and not given a permit yet, newest last; guarded by mu
	vacant []int // numbers without a goroutine; guarded by mu
	over   bool  // nobody sleeps any more; guarded by mu
	// summons counts them, and seen is the count when somebody last looked whether there are any; guarded by mu.
	summons, seen uint64
	timer         *time.Timer   // of retire; nil while there are no workers; guarded by mu
	patience      time.Duration // Made before the gang is used.

	permits []chan order   // by number. Made before the gang is used. There is room: one is sent for each announcement.
	alive   sync.WaitGroup // goroutines
}

// order is what a worker is woken for.
type order bool

const (
	work  order = true
	leave order = false
)

func (c *crew) init(workers int) {
	c.patience = defaultPatience
	c.permits = make([]chan order, workers+1)
	for w := workers; w >= 1; w-- {
		c.permits[w] = make(chan order, 1)
		c.vacant = append(c.vacant, w)
	}
	c.idle.Store(int32(workers))
}

// summon wakes or starts up to n workers, and reports whether there was one. The round is open before: see rest.
func (g *Gang) summon(n int) (woke bool) {
	for ; n > 0 && g.crew.idle.Load() > 0; n-- {
		if !g.summonOne() {
			break
		}
		woke = true
	}
	return woke
}

func (g *Gang) summonOne() bool {
	c := &g.crew
	c.mu.Lock()
	if c.over || len(c.asleep)+len(c.vacant) == 0 {
		c.mu.Unlock()
		return false
	}
	c.idle.Add(-1)
	c.summons++
	if n := len(c.asleep); n > 0 {
		w := c.asleep[n-1] // its cache is the warmest
		c.asleep = c.asleep[:n-1]
		c.mu.Unlock()
		c.permits[w] <- work
		return true
	}
	w := c.vacant[len(c.vacant)-1]
	c.vacant = c.vacant[:len(c.vacant)-1]
	if c.timer == nil {
		c.timer = time.AfterFunc(c.patience, g.retire)
	}
	c.alive.Add(1)
	c.mu.Unlock()
	go g.serve(w)
	return true
}

// serve is a worker's goroutine.
func (g *Gang) serve(w int) {
	left := true
	defer func() {
		if left {
			go g.serve(w) // a share has ended this goroutine by Goexit
			return
		}
		g.crew.alive.Done()
	}()
	invariant.Point("gang.serve")
	g.work(w, g.word.claim())
	for g.rest(w) == work {
		g.work(w, g.word.claim())
	}
	left = false
	g.vacate(w)
}

// vacate leaves a worker's number to the next. It is an announcement, as in rest: a job that was opened before has seen no
// worker to summon.
func (g *Gang) vacate(w int) {
	c := &g.crew
	invariant.Point("gang.vacate")
	c.mu.Lock()
	c.vacant = append(c.vacant, w)
	c.idle.Add(1)
	c.mu.Unlock()
	invariant.Point("gang.vacated")
	if g.word.unclaimed() {
		g.summon(1)
	}
}

// rest sleeps until there is a share to claim, or until it is time to leave.
func (g *Gang) rest(w int) order {
	c := &g.crew
	invariant.Point("gang.rest")
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return leave
	}
	c.asleep = append(c.asleep, w)
	c.idle.Add(1)
	c.mu.Unlock()
	invariant.Point("gang.announced")
	// The announcement comes before this look, and the round before the look for announced workers: one of the two
	// sees the other.
	if g.word.unclaimed() && c.retract(w) {
		return work
	}
	return <-c.permits[w]
}

// retract takes the announcement back, unless a permit has come, or is about to.
func (c *crew) retract(w int) bool {
	invariant.Point("gang.retract")
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.asleep, w)
	if i < 0 {
		return false
	}
	c.asleep = slices.Delete(c.asleep, i, i+1)
	c.idle.Add(-1)
	return true
}

// retire lets workers leave that nobody has wanted for a while. On the timer's goroutine.
func (g *Gang) retire() {
	c := &g.crew
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	if c.summons == c.seen {
		c.sendAway()
	}
	c.seen = c.summons
	if len(c.vacant) == len(c.permits)-1 {
		c.timer = nil
		return
	}
	c.timer.Reset(c.patience)
}

// sendAway wakes all that sleep, to leave. REQUIRES: mu.
func (c *crew) sendAway() {
	for _, w := range c.asleep {
		c.permits[w] <- leave
		c.idle.Add(-1)
	}
	c.asleep = c.asleep[:0]
}

// dismiss ends all workers. REQUIRES: the turn.
func (g *Gang) dismiss() {
	c := &g.crew
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	c.sendAway()
}
