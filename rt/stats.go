package rt

import "github.com/encorert/encorert/gc/heap"

// Stats is what the workers have counted, in sum, since New.
type Stats struct {
	Workers    int
	Messages   uint64 // handled
	Parks      uint64 // behaviours that left their worker to wait
	Resumes    uint64 // of parked behaviours
	Migrations uint64 // resumes on another worker than was left
	Steals     uint64 // looks into another worker's queue
	Stolen     uint64 // actors taken there
	Sleeps     uint64 // of workers
	WokeInVain uint64 // sleeps after which there was nothing to do
	Heap       heap.SpaceStats

	Stuck         int    // behaviours that hold their worker now, see Stuck
	SparesStarted uint64 // spare workers that were started for such

	Sources       int    // event sources that are open
	EventsDropped uint64 // that had not begun when their source was closed or its timer reset
	EventsMissed  uint64 // ticks and signals that came while one of their kind was due: they are one with it

	// Mutes counts how often an actor was held back because it had sent to one with too many messages, and the others how
	// often one was released: because the receiver had worked off half, was about to block, or was relieved meanwhile.
	Mutes, UnmutedDrained, UnmutedBlocked, UnmutedAtOnce uint64
}

// Stats reads the counters. From any goroutine at any time; it wakes and stops nobody. A worker that sleeps has shown
// all; one that runs shows what it has counted every 61 turns.
func (rt *Runtime) Stats() Stats {
	s := Stats{Workers: rt.cfg.Workers, Heap: rt.space.Stats()}
	s.Stuck, s.SparesStarted = rt.monitor.counts()
	s.Sources, s.EventsDropped, s.EventsMissed = rt.sources.stats()
	for _, w := range rt.everyWorker() {
		w.publishing.Lock()
		c := w.published
		w.publishing.Unlock()
		s.Messages += c.messages
		s.Parks += c.parks
		s.Resumes += c.resumes
		s.Migrations += c.migrations
		s.Steals += c.steals
		s.Stolen += c.stolen
		s.Sleeps += c.sleeps
		s.WokeInVain += c.wokeInVain
		s.Mutes += c.mutes
		s.UnmutedDrained += c.unmutedDrained
		s.UnmutedBlocked += c.unmutedBlocked
		s.UnmutedAtOnce += c.unmutedAtOnce
	}
	return s
}
