package futures

import (
	"unsafe"

	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

// Task is the answer of a function that Async runs, and the id of that run: rt.Runtime.Task tells from any goroutine how far
// it has come.
type Task[T any] struct {
	Future[T]
	ID rt.TaskID
}

// work is what is to be done for the message of a task, which does not know the type of the answer.
type work interface {
	// do calls the function and settles the promise that reply names.
	do(cctx **rt.Ctx, reply unsafe.Pointer)
	// drop is called instead where nobody wants the answer any more.
	drop()
}

// job is how work lies in such a message.
type job struct{ work work }

// async is a function on its way to the actor that it will run on.
type async[T any] struct {
	job
	fn func(cctx **rt.Ctx) (T, error)
}

// asyncEach is the same for one of many.
type asyncEach[T any] struct {
	job
	index int
	fn    func(cctx **rt.Ctx, index int) (T, error)
}

// asyncWith is the same for a function with a heap object.
type asyncWith[T, O any, H interface {
	*O
	gc.Object
}] struct {
	job
	fragment *gc.Fragment
	argument *O
	fn       func(cctx **rt.Ctx, h H) (T, error)
}

// asynchronous is the message that runs a task: P0 is its job, P1 its promise.
var asynchronous = rt.Behaviour{Name: "async", Run: runAsync, Fail: failAsync}

func runAsync(cctx **rt.Ctx, _ *rt.Actor, m *rt.Message) {
	j, reply := (*job)(m.P0), m.P1
	m.P0, m.P1 = nil, nil
	if (*header)(reply).answered() { // cancelled; made by Pointer, see FailReply
		j.work.drop()
		rt.EndTask(*cctx, true)
		return
	}
	rt.BeginTask(*cctx)
	j.work.do(cctx, reply)
}

func failAsync(ctx *rt.Ctx, reply unsafe.Pointer, err error) {
	rt.EndTask(ctx, true)
	FailReply(ctx, reply, err)
}

// Async runs fn as a task: on an actor of its own, on whatever worker is free. label is for look-ups (rt.Runtime.Task) and
// reports. In a behaviour only.
//
// The task has a slot in the runtime's ring (rt.Config.Tasks) from now until it has ended and an epoch behind it is reached.
// Where the ring is full, the caller's actor is blocked, and its worker is not, until an epoch frees a slot. The error is an
// *rt.TaskError where that could never happen: a task that submits to a full ring gets one, and may call fn itself; or rt.ErrClosed.
//
// fn runs beside its submitter and others: it may capture nothing that anybody changes, and no heap objects at all (see
// AsyncWith). It uses the cctx that it is given, and must not capture another. It may wait in all ways, and submit. Its error, or
// panic, is that of the future. A task that is cancelled (Future.Cancel) before it has begun does not run, and ends as failed.
func Async[T any](cctx **rt.Ctx, label string, fn func(cctx **rt.Ctx) (T, error)) (Task[T], error) {
	if fn == nil {
		panic("futures: Async of a nil function")
	}
	id, err := rt.ReserveTasks(cctx, label, 1)
	if err != nil {
		return Task[T]{}, err
	}
	w := &async[T]{fn: fn}
	w.work = w
	return submit[T](*cctx, id, label, &w.job), nil
}

// AsyncEach runs fn with 0 to n-1 as n tasks with ids that follow each other, which are submitted together or not at all.
// Otherwise as Async: n may be as many as the ring has slots, and with more it returns an *rt.TaskError at once.
func AsyncEach[T any](cctx **rt.Ctx, label string, n int, fn func(cctx **rt.Ctx, index int) (T, error)) ([]Task[T], error) {
	if fn == nil {
		panic("futures: AsyncEach of a nil function")
	}
	if n < 0 {
		panic("futures: AsyncEach of less than nothing")
	}
	if n == 0 {
		return nil, nil
	}
	first, err := rt.ReserveTasks(cctx, label, n)
	if err != nil {
		return nil, err
	}
	ctx := *cctx
	all := make([]Task[T], n)
	for i := range all {
		w := &asyncEach[T]{index: i, fn: fn}
		w.work = w
		all[i] = submit[T](ctx, first+rt.TaskID(i), label, &w.job)
	}
	return all, nil
}

// AsyncWith is Async for a function that needs a heap object: h is copied, with all that it reaches, into the heap of the
// task's actor, and is in a frame while fn runs. It panics with a *heap.LimitError where the memory limit would be crossed.
func AsyncWith[T, O any, H interface {
	*O
	gc.Object
}](cctx **rt.Ctx, label string, h H, fn func(cctx **rt.Ctx, h H) (T, error)) (Task[T], error) {
	if fn == nil {
		panic("futures: AsyncWith of a nil function")
	}
	w := &asyncWith[T, O, H]{argument: (*O)(h), fn: fn}
	w.work = w
	// Before the slot is taken, since this may panic; and before the wait, in which h may be collected.
	w.fragment = gc.CopyOut(*cctx, slotOf(&w.argument))
	id, err := rt.ReserveTasks(cctx, label, 1)
	if err != nil {
		w.drop()
		return Task[T]{}, err
	}
	return submit[T](*cctx, id, label, &w.job), nil
}

func submit[T any](ctx *rt.Ctx, id rt.TaskID, label string, j *job) Task[T] {
	p := NewPromiseFor[T](ctx, nil, &asynchronous)
	rt.StartTask(ctx, id, label, rt.Message{B: &asynchronous, P0: unsafe.Pointer(j), P1: p.Pointer()})
	return Task[T]{p.Future(), id}
}

func (w *async[T]) drop() {}

func (w *async[T]) do(cctx **rt.Ctx, reply unsafe.Pointer) {
	v, err := w.fn(cctx)
	endAsync(*cctx, reply, v, err)
}

func (w *asyncEach[T]) drop() {}

func (w *asyncEach[T]) do(cctx **rt.Ctx, reply unsafe.Pointer) {
	v, err := w.fn(cctx, w.index)
	endAsync(*cctx, reply, v, err)
}

func (w *asyncWith[T, O, H]) drop() {
	if w.fragment != nil {
		w.fragment.Free()
	}
}

func (w *asyncWith[T, O, H]) do(cctx **rt.Ctx, reply unsafe.Pointer) {
	ctx := *cctx
	gc.Adopt(ctx, w.fragment)
	frame := gc.Push(ctx, w.argument)
	v, err := w.fn(cctx, H(w.argument))
	ctx = *cctx
	frame.Pop(ctx)
	endAsync(ctx, reply, v, err)
}

// endAsync answers, after the task is known to have ended: who has the answer sees that.
func endAsync[T any](ctx *rt.Ctx, reply unsafe.Pointer, v T, err error) {
	rt.EndTask(ctx, err != nil)
	_ = PromiseAt[T](reply).Settle(ctx, v, err) // nobody else has the promise
}
