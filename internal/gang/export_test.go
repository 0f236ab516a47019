package gang

import "time"

// SetPatience changes how long workers wait for a job before they leave. Before the gang is used.
func (g *Gang) SetPatience(d time.Duration) { g.crew.patience = d }

// Crew tells how many workers there are, and how many of them sleep.
func (g *Gang) Crew() (there, asleep int) {
	c := &g.crew
	c.mu.Lock()
	defer c.mu.Unlock()
	return g.Workers() - len(c.vacant), len(c.asleep)
}

// CheckIdle says what is wrong with a gang that runs no job and whose workers have nothing to do.
func (g *Gang) CheckIdle() string {
	c := &g.crew
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !over(g.word.bits.Load()) || g.word.bits.Load()&sleeps != 0:
		return "the round is not over"
	case int(c.idle.Load()) != len(c.asleep)+len(c.vacant):
		return "the count of idle workers is wrong"
	case len(g.permit) != 0:
		return "a permit of the caller is left"
	case g.job != nil || g.panicked.Load() != nil:
		return "a job is left"
	}
	for _, w := range c.asleep {
		if len(c.permits[w]) != 0 {
			return "a permit of a sleeper is left"
		}
	}
	return ""
}

// MaxShares is the most shares of a round.
const MaxShares = maxShares

// Closing reports whether Close has begun.
func (g *Gang) Closing() bool { return g.closed.Load() }

// CallerSleeps reports whether a caller has done all that it does before it sleeps.
func (g *Gang) CallerSleeps() bool { return g.word.bits.Load()&sleeps != 0 }

// Retire does what the timer does when it finds that nobody was summoned for the patience of a worker.
func (g *Gang) Retire() {
	g.retire()
	g.retire()
}

// BeginsAlone reports whether the next job wakes nobody at its begin. Not while a job runs.
func (g *Gang) BeginsAlone() bool { return g.alone.vain >= jobsInVain }

// Summons is how often a worker was woken or started.
func (g *Gang) Summons() uint64 {
	g.crew.mu.Lock()
	defer g.crew.mu.Unlock()
	return g.crew.summons
}
