package rt

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/encorert/encorert/gc/heap"
)

// Config says how a runtime is to work. The zero value works.
type Config struct {
	// Workers is how many behaviours run at once. 0: GOMAXPROCS. At most 1024.
	Workers int
	// Spares is how many spare workers there may be beside, for behaviours that never end or that block without
	// Blocking: one is started when a behaviour has held its worker for some 10 ms (100 ms and more where all processors
	// are busy) while nobody else is idle, and rests when that behaviour has ended. 0: 64. Negative: none. A systematic runtime has none.
	Spares int
	// OnStuck is told of each behaviour that holds its worker so long, once, on a goroutine of its own; see
	// Runtime.Stuck. nil: nobody is told.
	OnStuck func(StuckBehaviour)
	// Batch is how many messages an actor handles before others get their turn. 0: 100, as in Pony.
	Batch int
	// MailboxLimit is how many messages may wait for an actor. Beyond that the actor is overloaded until at most half
	// remain, and actors that send to it are muted when their behaviour has ended, or awaits or suspends: they handle no
	// further message meanwhile. Nothing is dropped. An actor that is overloaded or holds others back is never muted itself,
	// and one that blocks lets those go on that were muted for it. A bound for the sum of what waits is therefore the
	// limit and what every sender sends in one behaviour, and what other workers send before the actor, if it is
	// queued or in a behaviour, is next looked after. ActorType.MailboxLimit overrides it. 0: no limit.
	MailboxLimit int
	// Tasks is how many slots the ring of tasks has (futures.Async): how many may be in flight, with those that have ended
	// since the last epoch. Who submits one more waits for the next epoch. 0: 4096. At most 2^24. A slot takes 32 bytes,
	// from the first task on.
	Tasks int
	// TaskEpoch is after how many tasks there is an epoch: when it is reached, that is, all tasks before it have ended, their
	// slots are free, and their ids are not found any more. 0: an eighth of Tasks. Negative: there are none but those that
	// MarkEpoch makes, and who submits to a full ring without one gets ErrNoEpoch.
	TaskEpoch int
	// Nursery is how many bytes an actor allocates between two collections of its heap. 0: the default of gc/heap.
	Nursery int64
	// MemoryLimit bounds the bytes of all actors' heaps together. An allocation that would cross it panics with a
	// *heap.LimitError. 0: no limit.
	MemoryLimit int64
	// MarkAlone is how many objects a collection of a heap marks before it looks whether workers are idle, whose processors can
	// help it with the rest. With two processors help pays when the heap is larger than their cache. 0: the default of gc/heap,
	// 131,072. Negative: it never does; nor where there is only one worker or processor, or in a systematic runtime.
	MarkAlone int
	// OnCollect is told of every collection of an actor's heap when it has ended, on the worker that did it. It must not
	// wait, nor use the runtime but for Stats. nil: nobody is told.
	OnCollect func(heap.Collection)
	// OnPanic is told of a panic in a behaviour that nobody has a future of; the run goes on. It is called on the
	// worker and must not wait. nil: the run ends with the *PanicError.
	OnPanic func(*PanicError)

	// Seed makes the runtime systematic: one goroutine runs all workers in turns, a turn is one message (Batch does not
	// count), and whatever could come in several orders comes in one that follows from Seed. The same seed gives the
	// same order, on every machine, as long as Run and Do are called by one goroutine at a time; see Signature. It is for
	// tests: see package rttest. 0: off.
	//
	// Time is logical: it passes when nothing else can happen and a Run or Do waits, and with some seeds also a little with
	// each turn. Event sources but timers cannot be opened (ErrSystematic). Blocking holds up everything, and a behaviour
	// that waits for another goroutine may wait for ever. Workers 0 means 2.
	//
	// Builds for the race detector or with -tags encorert_invariants switch workers also in the middle of the runtime's
	// own protocols, so that a seed gives another order there; a behaviour must then not hold a sync.Mutex that others want
	// across a call of this module.
	Seed uint64
	// OnTurn is told of every turn of a systematic runtime. It must not wait, nor call the runtime.
	OnTurn func(Turn)

	// ProfileLabels gives each behaviour the pprof labels "actor" (its type) and "behaviour" while it runs, for profiles
	// of the processor and of goroutines. It costs a look-up for each message.
	ProfileLabels bool

	// The modes for tests. Each makes a rare thing happen always.

	// AlwaysMigrate makes every strand resume on another worker than it left. Needs two workers or more.
	AlwaysMigrate bool
	// CollectAlways collects at every safepoint and after every behaviour.
	CollectAlways bool
	// Verify checks the whole heap after each collection.
	Verify bool
	// Poison overwrites freed lines.
	Poison bool
	// Guard makes freed blocks inaccessible for the rest of the run: a behaviour that uses an object after it was
	// freed panics, and the *PanicError names the region. It never gives address space back.
	Guard bool
}

// ModesVariable names the environment variable that adds test modes to every runtime of the process, so that a whole
// test suite can run in them: a list of migrate, collect, verify, poison and guard, with commas. Where a runtime has only one
// worker, migrate is left out.
const ModesVariable = "ENCORERT_MODES"

const (
	maxWorkers      = 1024
	maxMailboxLimit = 1 << 30
	maxTasks        = 1 << 24
)

// defaultTasks is the size of the ring of tasks: 128 KiB of slots. Picked; not measured.
const defaultTasks = 4096

// defaultSpares is how many behaviours may block without Blocking before a runtime stands still. Picked; not measured.
const defaultSpares = 64

// validated returns the config with defaults filled in.
func (c Config) validated() (Config, error) {
	if c.Seed != 0 {
		c.Batch = 1
		if c.Workers == 0 {
			c.Workers = 2 // not what the machine has: a seed is to mean the same everywhere
		}
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Batch == 0 {
		c.Batch = 100
	}
	switch {
	case c.Spares < 0, c.Seed != 0:
		c.Spares = 0
	case c.Spares == 0:
		c.Spares = defaultSpares
	}
	if c.Tasks == 0 {
		c.Tasks = defaultTasks
	}
	switch {
	case c.TaskEpoch < 0:
		c.TaskEpoch = 0 // as package ring has it
	case c.TaskEpoch == 0:
		c.TaskEpoch = max(1, c.Tasks/8)
	}
	switch {
	case c.Tasks < 0 || c.Tasks > maxTasks:
		return c, fmt.Errorf("rt: Config.Tasks is %d, want 0 to %d slots", c.Tasks, maxTasks)
	case c.Workers < 0 || c.Workers > maxWorkers:
		return c, fmt.Errorf("rt: Config.Workers is %d, want 0 to %d", c.Workers, maxWorkers)
	case c.Spares > maxWorkers:
		return c, fmt.Errorf("rt: Config.Spares is %d, want at most %d", c.Spares, maxWorkers)
	case c.Batch < 0:
		return c, fmt.Errorf("rt: Config.Batch is %d, want 0 or more", c.Batch)
	case c.MailboxLimit < 0 || c.MailboxLimit > maxMailboxLimit:
		return c, fmt.Errorf("rt: Config.MailboxLimit is %d, want 0 to %d messages", c.MailboxLimit, maxMailboxLimit)
	case c.Nursery < 0:
		return c, fmt.Errorf("rt: Config.Nursery is %d, want 0 or more bytes", c.Nursery)
	case c.MemoryLimit < 0:
		return c, fmt.Errorf("rt: Config.MemoryLimit is %d, want 0 or more bytes", c.MemoryLimit)
	case c.AlwaysMigrate && c.Workers < 2:
		return c, fmt.Errorf("rt: Config.AlwaysMigrate needs two workers, have %d", c.Workers)
	}
	return c.withModes(os.Getenv(ModesVariable))
}

func (c Config) withModes(list string) (Config, error) {
	for mode := range strings.SplitSeq(list, ",") {
		switch strings.TrimSpace(mode) {
		case "":
		case "migrate":
			c.AlwaysMigrate = c.Workers > 1
		case "collect":
			c.CollectAlways = true
			if c.MarkAlone == 0 {
				c.MarkAlone = 1 // whatever there is to mark, with help
			}
		case "verify":
			c.Verify = true
		case "poison":
			c.Poison = true
		case "guard":
			c.Guard = true
		default:
			return c, fmt.Errorf("rt: %s: unknown mode %q, want migrate, collect, verify, poison or guard", ModesVariable, mode)
		}
	}
	return c, nil
}
