package rt

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/internal/ring"
)

// This file is the runtime's table of tasks: functions that run on actors of their own and have an id. Package futures
// gives them answers (futures.Async). The table is a ring, see internal/ring: a task that has ended gives its slot back
// when an epoch behind it is reached, and who submits to a full ring is parked until then.

// TaskID names a task of one runtime. Ids are handed out in order and not used again (but after 2^64 tasks).
type TaskID uint64

// Epoch is a place in the order of tasks: it is reached when all tasks submitted before it have ended. Only epochs of one
// runtime can be compared.
type Epoch uint64

// Before reports whether e comes before f: then it is reached no later. Right also where ids have wrapped.
func (e Epoch) Before(f Epoch) bool { return int64(e-f) < 0 }

// TaskState is how far a task has come.
type TaskState uint8

// States of a task, in order.
const (
	TaskQueued  TaskState = iota // submitted, not begun
	TaskRunning                  // begun; it may be parked in a wait
	TaskEnded                    // its function has returned
	TaskFailed                   // its function has returned an error, or panicked
)

func (s TaskState) String() string { return [...]string{"queued", "running", "ended", "failed"}[s] }

// TaskInfo is what a look-up tells of a task.
type TaskInfo struct {
	ID    TaskID
	Label string // the first 8191 bytes
	State TaskState
	Age   time.Duration // since it was submitted, in microseconds
}

// Why tasks cannot be submitted, or an epoch not be waited for; wrapped in a *TaskError.
var (
	// ErrTooManyTasks: more were asked for at once than the ring has slots. It could never have so many free.
	ErrTooManyTasks = errors.New("more than the ring has")
	// ErrNoEpoch: the ring is full, and no epoch in flight can free what is asked for. There is always one unless
	// Config.TaskEpoch is negative. MarkEpoch makes one.
	ErrNoEpoch = errors.New("the ring is full, and no epoch in flight frees enough of it")
	// ErrTaskWaits: the ring is full (or the epoch is not reached), and a task waits for the caller: the caller itself, or one
	// that has called Do. It has a slot, and would wait for its own end. It can do the work itself instead.
	ErrTaskWaits = errors.New("the caller runs in a task, which would wait for its own end")
)

// TaskError says what could not be submitted or waited for.
type TaskError struct {
	Label  string // of the tasks, "" for an epoch
	Asked  int    // slots
	Slots  int    // of the ring
	Reason error  // ErrTooManyTasks, ErrNoEpoch or ErrTaskWaits
}

func (e *TaskError) Error() string {
	if e.Asked == 0 {
		return fmt.Sprintf("rt: waiting for an epoch: %v", e.Reason)
	}
	return fmt.Sprintf("rt: submitting %q, %d of %d slots (Config.Tasks): %v", e.Label, e.Asked, e.Slots, e.Reason)
}

func (e *TaskError) Unwrap() error { return e.Reason }

// tasks is the table and those who wait for it.
type tasks struct {
	once sync.Once
	// ring is made by the first who needs it: most runtimes have no tasks. Writers: table, once. Readers: all.
	ring  atomic.Pointer[ring.Ring]
	began time.Time // when it was made. Writers: table, before ring. Readers: all
	// first is the first id.
	first uint64 // Writers: tests, before the ring is made

	// waiting is how many wait. Writers: who holds mu. Readers: tell, after it has moved the horizon. Pairs with that: who
	// waits is counted first and then looks at the ring again, so one of the two sees the other.
	waiting atomic.Int64
	mu      sync.Mutex
	oldest  *taskWait // in order of arrival; guarded by mu
	newest  *taskWait
}

// table returns the ring. From any goroutine.
func (rt *Runtime) table() *ring.Ring {
	if r := rt.tasks.ring.Load(); r != nil {
		return r
	}
	rt.tasks.once.Do(func() {
		rt.tasks.began = rt.clock.now()
		rt.tasks.ring.Store(ring.New(rt.cfg.Tasks, rt.cfg.TaskEpoch, rt.tasks.first))
	})
	return rt.tasks.ring.Load()
}

// sinceFirstTask is the time since the table was made, in microseconds. REQUIRES: it was.
func (rt *Runtime) sinceFirstTask() uint64 {
	return uint64(rt.clock.now().Sub(rt.tasks.began).Microseconds())
}

// task is the actor that a task runs on.
type task struct {
	Actor
	id    TaskID
	ended bool // EndTask was called
}

var taskType = ActorType{Name: "rt.task", MailboxLimit: -1}

// ReserveTasks takes n slots and returns the first of n consecutive ids. The caller must then call StartTask for each,
// before it calls anything else that takes cctx, or slots are lost. Where the ring is full the caller's actor is
// blocked, and its worker is not, until an epoch frees enough; label then says what for in reports. In a behaviour only.
//
// The error is a *TaskError, or ErrClosed.
func ReserveTasks(cctx **Ctx, label string, n int) (TaskID, error) {
	ctx := *cctx
	ctx.CheckLeaf()
	if n < 1 {
		panic(fmt.Sprintf("rt: ReserveTasks of %d", n))
	}
	rt := ctx.worker.rt
	r := rt.table()
	refused := func(reason error) error {
		return &TaskError{Label: label, Asked: n, Slots: r.Cap(), Reason: reason}
	}
	if n > r.Cap() {
		return 0, refused(ErrTooManyTasks)
	}
	for {
		id, horizon, ok := r.Reserve(n)
		if ok {
			return TaskID(id), nil
		}
		automatic := rt.cfg.TaskEpoch > 0
		if automatic && r.MarkEnded(n) {
			rt.tell(ctx)
			continue
		}
		if held(ctx) {
			return 0, refused(ErrTaskWaits)
		}
		if !r.CanFree(n, horizon) {
			if !automatic {
				return 0, refused(ErrNoEpoch)
			}
			if _, moved := r.Mark(); moved {
				rt.tell(ctx)
			}
		}
		invariant.Point("rt.full")
		if err := Block(cctx, &taskWait{rt: rt, slots: n, label: label}); err != nil {
			return 0, err
		}
		ctx = *cctx
	}
}

// held reports whether a task waits for the running behaviour: that task's slot is not freed while it waits for one.
func held(ctx *Ctx) bool {
	a := ctx.self
	switch a.typ {
	case &taskType:
		return true
	case &doType:
		return rootOf(a).inside
	}
	return false
}

// StartTask makes a task visible, as queued, and sends m to a new actor, whose only message it is. m's behaviour calls
// BeginTask first and EndTask at its end, also if it panics or cannot run (Behaviour.Fail). A leaf. REQUIRES: id is of
// ReserveTasks, and was not started before.
func StartTask(ctx *Ctx, id TaskID, label string, m Message) {
	ctx.CheckLeaf()
	rt := ctx.worker.rt
	t := &task{id: id}
	Spawn(ctx, &t.Actor, &taskType)
	r := rt.table()
	r.Publish(uint64(id), label, rt.sinceFirstTask())
	Send(ctx, &t.Actor, m)
}

// BeginTask says that the running task has begun. A leaf. It panics if no task is running.
func BeginTask(ctx *Ctx) { ctx.worker.rt.table().Begin(uint64(taskOf(ctx).id)) }

// EndTask says that the running task has ended: it can be looked up as such before anybody sees its answer, if that is
// given afterwards. A leaf. Calls after the first do nothing. It panics if no task is running.
func EndTask(ctx *Ctx, failed bool) {
	t := taskOf(ctx)
	if t.ended {
		return
	}
	t.ended = true
	Flush(ctx) // who sees that it has ended may send
	rt := ctx.worker.rt
	if rt.table().End(uint64(t.id), failed) {
		rt.tell(ctx)
	}
}

func taskOf(ctx *Ctx) *task {
	ctx.CheckLeaf()
	if ctx.self == nil || ctx.self.typ != &taskType {
		panic("rt: not in a task")
	}
	return taskAt(ctx.self)
}

// RunningTask returns the id of the task that calls, if it is one. A leaf.
func RunningTask(ctx *Ctx) (TaskID, bool) {
	ctx.CheckLeaf()
	if ctx.self == nil || ctx.self.typ != &taskType {
		return 0, false
	}
	return taskAt(ctx.self).id, true
}

// Task looks a task up, without a lock. From any goroutine. There is none where the id was never handed out, and where the
// task has ended and an epoch behind it was reached: an id is never taken for that of a later task.
func (rt *Runtime) Task(id TaskID) (TaskInfo, bool) {
	r := rt.tasks.ring.Load()
	if r == nil {
		return TaskInfo{}, false
	}
	e, there := r.LookUp(uint64(id))
	if !there {
		return TaskInfo{}, false
	}
	return TaskInfo{
		ID: id, Label: e.Label, State: TaskState(e.State - ring.Queued),
		Age: time.Duration((rt.sinceFirstTask()-e.Born)&ring.BornMask) * time.Microsecond,
	}, true
}

// MarkEpoch makes an epoch of what was submitted so far, by whomever. A leaf. Slots are given back when it is reached.
func MarkEpoch(ctx *Ctx) Epoch {
	ctx.CheckLeaf()
	rt := ctx.worker.rt
	e, moved := rt.table().Mark()
	if moved {
		rt.tell(ctx)
	}
	return Epoch(e)
}

// LastEpoch returns the newest epoch that was reached. From any goroutine.
func (rt *Runtime) LastEpoch() Epoch { return Epoch(rt.table().Horizon()) }

// WaitEpoch blocks the actor, and not its worker, until e is reached; then LastEpoch is e or later. In a behaviour
// only. REQUIRES: e is of MarkEpoch, of this runtime.
//
// The error is a *TaskError if the caller is a task that was submitted before e, or a task has called it by Do; or
// ErrClosed.
func WaitEpoch(cctx **Ctx, e Epoch) error {
	ctx := *cctx
	ctx.CheckLeaf()
	rt := ctx.worker.rt
	r := rt.table()
	for !r.Reached(uint64(e)) {
		if held(ctx) {
			if id, running := RunningTask(ctx); !running || Epoch(id).Before(e) {
				return &TaskError{Slots: r.Cap(), Reason: ErrTaskWaits}
			}
		}
		if err := Block(cctx, &taskWait{rt: rt, epoch: uint64(e)}); err != nil {
			return err
		}
		ctx = *cctx
	}
	return nil
}
