package rt

import "time"

// schedule makes all choices of a systematic runtime, from its seed. There are two kinds:
//
//	uniform     each time one of those that can go on, each as likely as the other, and any of the actors that its
//	            worker has ready: many switches
//	priorities  the one with the highest priority goes on as long as it can; at a few steps, chosen beforehand, whoever
//	            is first becomes last: few switches, at unlikely places. This is PCT (Burckhardt, Kothari, Musuvathi,
//	            Nagarakatte, A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs, ASPLOS 2010), with one
//	            addition: who has gone on for streakLimit steps while others could becomes last as well, since code that
//	            waits by trying again would keep the others from ever doing what it waits for
//
// Every third seed gets priorities.
type schedule struct {
	state      uint64 // of the generator
	priorities bool

	order    []int        // the priorities to begin with
	changes  map[int]bool // the steps at which the first becomes last
	last     int          // the lowest priority so far
	step     int
	streak   int
	favoured *seat
	pace     time.Duration // by how much a step moves the clock on
}

const (
	prioritiesEvery = 3
	// streakLimit is many times what a worker does between two sleeps of a small test. Picked.
	streakLimit = 200
	// maxChanges and maxSpan say how many changes of priority there are, and within how many steps: the span is a power of
	// two up to maxSpan, since nobody knows how long the run will be. Picked.
	maxChanges = 4
	maxSpan    = 12
)

// paces are by how much a step moves the logical clock on: most seeds leave it alone, so that time passes only where all
// wait for it; others let time-outs come in the middle of things.
var paces = [...]time.Duration{0, 0, time.Microsecond, 50 * time.Microsecond}

func newSchedule(seed uint64, workers int) schedule {
	c := schedule{state: seed, priorities: seed%prioritiesEvery == 0, changes: map[int]bool{}}
	c.pace = paces[c.below(len(paces))]
	c.order = make([]int, workers)
	for i := range c.order { // a random permutation, the inside-out way
		j := c.below(i + 1)
		c.order[i] = c.order[j]
		c.order[j] = i + 1
	}
	span := 8 << c.below(maxSpan)
	for range c.below(maxChanges + 1) {
		c.changes[c.below(span)] = true
	}
	return c
}

// below returns a number below n, by SplitMix64 (Steele, Lea, Flood 2014).
func (c *schedule) below(n int) int {
	c.state += 0x9E3779B97F4A7C15
	return int(mix(c.state) % uint64(n))
}

// priority is that of a worker at the beginning.
func (c *schedule) priority(worker int) int { return c.order[worker] }

// choose returns who goes on. REQUIRES: there is one.
func (c *schedule) choose(ready []*seat) *seat {
	if !c.priorities {
		return ready[c.below(len(ready))]
	}
	first := c.first(ready)
	c.step++
	if first != c.favoured || len(ready) == 1 {
		c.favoured, c.streak = first, 0
	}
	if c.streak++; c.streak > streakLimit || c.changes[c.step] {
		c.last--
		first.priority = c.last
		c.streak = 0
		first = c.first(ready)
	}
	return first
}

// first returns the one with the highest priority.
func (c *schedule) first(ready []*seat) *seat {
	first := ready[0]
	for _, s := range ready[1:] {
		if s.priority > first.priority {
			first = s
		}
	}
	return first
}

// jumble brings one of the worker's ready actors to the front, any of them, and now and then has the worker look at the
// other queues first: no order of these is promised to anybody.
func (s *seat) jumble() {
	c, w := &s.driver.schedule, s.worker
	if c.priorities {
		return
	}
	if n := w.private.Len(); n > 1 {
		w.private.Rotate(c.below(n))
	}
	if c.below(8) == 0 {
		w.tick = injectEvery - 1
	}
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}
