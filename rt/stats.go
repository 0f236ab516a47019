package rt

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/encorert/encorert/gc/heap"
)

// Counters are what one worker has counted, or all in sum.
type Counters struct {
	Messages   uint64 // handled
	Parks      uint64 // behaviours that left their worker to wait
	Resumes    uint64 // of parked behaviours
	Migrations uint64 // resumes on another worker than was left
	Steals     uint64 // looks into another worker's queue
	StealsWon  uint64 // those that found something
	Stolen     uint64 // actors taken there
	Injected   uint64 // actors taken from the queue for what comes from outside or found no room elsewhere
	Wakes      uint64 // other workers woken
	Sleeps     uint64
	Woken      uint64 // sleeps that a waker has ended
	WokeInVain uint64 // those after which there was nothing to do

	// Mutes is how often an actor was held back because it had sent to one with too many messages. The others are how often
	// one was released: since the receiver had worked off half, since it was about to block, or since it had been
	// relieved before the sender was muted. See Config.MailboxLimit.
	Mutes, UnmutedDrained, UnmutedBlocked, UnmutedAtOnce uint64
}

// add adds o to c, field by field.
func (c *Counters) add(o Counters) {
	sum, each := reflect.ValueOf(c).Elem(), reflect.ValueOf(o)
	for i := range sum.NumField() {
		sum.Field(i).SetUint(sum.Field(i).Uint() + each.Field(i).Uint())
	}
}

// TypeStats are samples of all actors of one type, or of the types that have the same name.
type TypeStats struct {
	Name string
	// Depth is how many messages waited when an actor's turn began, and Waiting for how many nanoseconds it had been ready.
	// In about one of 256 turns of a worker, in one of 8 where they are rare, and where an actor comes from outside.
	Depth, Waiting Histogram
}

// Stats is what happened in a runtime since New.
type Stats struct {
	Workers   int
	Counters             // of all workers
	PerWorker []Counters // by the worker's number; from Workers on those of spare ones
	// WakesFromOutside is how often what was not a worker woke one: Do, timers, event sources, the end of a blocking call.
	WakesFromOutside uint64
	Types            []TypeStats     // by name
	Heap             heap.SpaceStats // of all actors' heaps; those of one are Ctx.Heap's Stats

	Stuck         int    // behaviours that hold their worker now, see Stuck
	SparesStarted uint64 // spare workers that were started for such

	Sources       int    // event sources that are open
	EventsDropped uint64 // that had not begun when their source was closed or its timer reset
	EventsMissed  uint64 // ticks and signals that came while one of their kind was due: they are one with it
}

// Stats reads the counters. From any goroutine at any time; it wakes and stops nobody. A worker that sleeps has shown
// all; one that runs shows what it has counted every 61 turns.
func (rt *Runtime) Stats() Stats {
	s := Stats{Workers: rt.cfg.Workers, WakesFromOutside: rt.wakes.Load(), Heap: rt.space.Stats()}
	s.Stuck, s.SparesStarted = rt.monitor.counts()
	s.Sources, s.EventsDropped, s.EventsMissed = rt.sources.stats()
	types := map[string]*TypeStats{}
	for _, w := range rt.everyWorker() {
		w.publishing.Lock()
		c := w.published.exported()
		w.publishing.Unlock()
		s.PerWorker = append(s.PerWorker, c)
		s.Counters.add(c)
		w.types.addTo(types)
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		s.Types = append(s.Types, *types[name])
	}
	return s
}

// counters are a worker's own. Plain, since a locked addition costs as much as a short behaviour.
type counters struct {
	messages, parks, resumes, migrations uint64
	steals, stealsWon, stolen, injected  uint64
	wakes, sleeps, woken, wokeInVain     uint64

	mutes, unmutedDrained, unmutedBlocked, unmutedAtOnce uint64
}

func (c *counters) exported() Counters {
	return Counters{
		Messages: c.messages, Parks: c.parks, Resumes: c.resumes, Migrations: c.migrations,
		Steals: c.steals, StealsWon: c.stealsWon, Stolen: c.stolen, Injected: c.injected,
		Wakes: c.wakes, Sleeps: c.sleeps, Woken: c.woken, WokeInVain: c.wokeInVain,
		Mutes: c.mutes, UnmutedDrained: c.unmutedDrained, UnmutedBlocked: c.unmutedBlocked, UnmutedAtOnce: c.unmutedAtOnce,
	}
}

// publish shows the counters to Stats: before every sleep, and now and then in between.
func (w *worker) publish() {
	w.publishing.Lock()
	w.published = w.count
	w.publishing.Unlock()
}

// String is a table for people: a row for each counter that is not 0, with a column for each worker, and a row for each
// actor type.
func (s Stats) String() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\tall\t")
	for i := range s.PerWorker {
		fmt.Fprintf(t, "worker %d\t", i)
	}
	fmt.Fprintln(t)
	sum := reflect.ValueOf(s.Counters)
	for i := range sum.NumField() {
		if sum.Field(i).IsZero() {
			continue
		}
		fmt.Fprintf(t, "%s\t%d\t", sum.Type().Field(i).Name, sum.Field(i).Uint())
		for _, c := range s.PerWorker {
			fmt.Fprintf(t, "%d\t", reflect.ValueOf(c).Field(i).Uint())
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	row := func(name string, v uint64) {
		if v != 0 {
			fmt.Fprintf(&b, "%s %d\n", name, v)
		}
	}
	row("WakesFromOutside", s.WakesFromOutside)
	row("Stuck", uint64(s.Stuck))
	row("SparesStarted", s.SparesStarted)
	row("Sources", uint64(s.Sources))
	row("EventsDropped", s.EventsDropped)
	row("EventsMissed", s.EventsMissed)
	if s.Heap.Used > 0 || s.Heap.Allocated > 0 {
		fmt.Fprintln(&b, s.Heap)
	}
	if len(s.Types) == 0 {
		return b.String()
	}
	fmt.Fprintln(&b, "\nper actor type: median / 99 % / most, are at most")
	fmt.Fprint(t, "\tmessages waiting\ttime until run\t\n")
	for i := range s.Types {
		x := &s.Types[i]
		depth, waiting := &x.Depth, &x.Waiting
		fmt.Fprintf(t, "%s\t%d / %d / %d\t%v / %v / %v\t\n", x.Name,
			depth.Quantile(0.5), depth.Quantile(0.99), depth.Max(),
			class(waiting.Quantile(0.5)), class(waiting.Quantile(0.99)), class(waiting.Max()))
	}
	t.Flush()
	return b.String()
}

// class names the end of a class of nanoseconds with two or three digits.
func class(ns uint64) time.Duration {
	d := time.Duration(ns)
	for unit := time.Nanosecond; ; unit *= 10 {
		if d/unit < 1000 {
			return d.Round(unit)
		}
	}
}
