package futures_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/gc/heap"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
	"github.com/encorert/encorert/rt/rttest"
)

func TestAsyncAnswers(t *testing.T) {
	boom := errors.New("boom")
	rttest.Modes(t, rt.Config{}, func(t *testing.T, cfg rt.Config) {
		r := runtimeOf(t, cfg)
		defer hammer.Watch(t, hammer.Limit)()
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			for i, way := range readings {
				task, err := futures.Async(cctx, "value", echo(i))
				assert.NoError(t, err)
				v, err := way.read(cctx, task.Future)
				assert.NoError(t, err)
				assert.Equal(t, i, v)
				info, there := r.Task(task.ID)
				assert.True(t, there)
				assert.Equal(t, rt.TaskEnded, info.State, "who has the answer sees that it has ended")
				assert.Equal(t, "value", info.Label)

				task, err = futures.Async(cctx, "error", func(**rt.Ctx) (int, error) { return 0, boom })
				assert.NoError(t, err)
				_, err = way.read(cctx, task.Future)
				assert.ErrorIs(t, err, boom)
				info, _ = r.Task(task.ID)
				assert.Equal(t, rt.TaskFailed, info.State)

				task, err = futures.Async(cctx, "panic", func(**rt.Ctx) (int, error) { panic(boom) })
				assert.NoError(t, err)
				_, err = way.read(cctx, task.Future)
				p, ok := errors.AsType[*rt.PanicError](err)
				if assert.True(t, ok, "%v", err) {
					assert.Equal(t, "rt.task", p.Actor)
					assert.Equal(t, boom, p.Value)
				}
				info, _ = r.Task(task.ID)
				assert.Equal(t, rt.TaskFailed, info.State)
			}
		}))
	})
}

// Tasks have actors of their own: they wait for each other, while their submitter waits for them.
func TestAsyncRunsBesideItsSubmitter(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2})
	defer hammer.Watch(t, hammer.Limit)()
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		self := (*cctx).Self()
		here := [2]futures.Promise[*rt.Actor]{}
		for i := range here {
			here[i] = futures.NewPromise[*rt.Actor](*cctx, nil)
		}
		tasks, err := futures.AsyncEach(cctx, "meet", 2, func(cctx **rt.Ctx, i int) (bool, error) {
			mine := (*cctx).Self()
			assert.NoError(t, here[i].Fulfil(*cctx, mine))
			other, err := here[1-i].Future().Get(cctx)
			return mine != other && mine != self, err
		})
		assert.NoError(t, err)
		for _, task := range tasks {
			distinct, err := task.Get(cctx)
			assert.NoError(t, err)
			assert.True(t, distinct)
		}
	}))
}

func TestAsyncEach(t *testing.T) {
	r := runtimeOf(t, rt.Config{Tasks: 8})
	defer hammer.Watch(t, hammer.Limit)()
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		none, err := futures.AsyncEach(cctx, "none", 0, func(**rt.Ctx, int) (int, error) { return 0, nil })
		assert.NoError(t, err)
		assert.Empty(t, none)
		square := func(_ **rt.Ctx, i int) (int, error) { return i * i, nil }
		_, err = futures.AsyncEach(cctx, "squares", 9, square)
		assert.ErrorIs(t, err, rt.ErrTooManyTasks)
		for range 5 {
			tasks, err := futures.AsyncEach(cctx, "squares", 8, square)
			assert.NoError(t, err)
			for i, task := range tasks {
				assert.Equal(t, tasks[0].ID+rt.TaskID(i), task.ID)
				v, err := task.Await(cctx)
				assert.NoError(t, err)
				assert.Equal(t, i*i, v)
			}
		}
	}))
	for _, f := range []func(){
		func() { _, _ = futures.Async[int](nil, "", nil) },
		func() { _, _ = futures.AsyncEach[int](nil, "", 1, nil) },
		func() { _, _ = futures.AsyncEach(nil, "", -1, func(**rt.Ctx, int) (int, error) { return 0, nil }) },
		func() {
			_, _ = futures.AsyncWith[int, cons, *cons](nil, "", nil, nil)
		},
	} {
		require.Panics(t, f)
	}
}

// A heap object is copied to the task, which keeps it over waits and collections; and its answer, to the reader.
func TestAsyncWithAnObject(t *testing.T) {
	const length = 200
	collected(t, func(cctx **rt.Ctx) {
		list := numbers(*cctx, length, 5)
		frame := gc.Push(*cctx, list)
		task, err := futures.AsyncWith(cctx, "list", list, func(cctx **rt.Ctx, mine *cons) (*cons, error) {
			spoil(cctx)
			assert.NoError(t, futures.Suspend(cctx))
			spoil(cctx)
			assert.True(t, isNumbers(mine, length, 5))
			mine.value++ // it is this task's own
			return mine, nil
		})
		assert.NoError(t, err)
		spoil(cctx)
		assert.True(t, isNumbers(list, length, 5))
		frame.Pop(*cctx)
		spoil(cctx)
		back, err := task.Get(cctx)
		assert.NoError(t, err)
		frame = gc.Push(*cctx, back)
		spoil(cctx)
		back.value--
		assert.True(t, isNumbers(back, length, 5))
		frame.Pop(*cctx)

		empty, err := futures.AsyncWith(cctx, "nil", (*cons)(nil), func(_ **rt.Ctx, mine *cons) (bool, error) { return mine == nil, nil })
		assert.NoError(t, err)
		isNil, err := empty.Get(cctx)
		assert.NoError(t, err)
		assert.True(t, isNil)
	})
}

// An object waits with its submitter for a slot, and where that is refused nothing is left of the copy.
func TestObjectsOfTasksThatAreRefused(t *testing.T) {
	r := runtimeOf(t, rt.Config{Tasks: 1, TaskEpoch: -1, MemoryLimit: 4 << 20})
	defer hammer.Watch(t, hammer.Limit)()
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		open := futures.NewPromise[int](*cctx, nil)
		_, err := futures.Async(cctx, "first", func(cctx **rt.Ctx) (int, error) { return open.Future().Get(cctx) })
		assert.NoError(t, err)
		list := numbers(*cctx, 1000, 5)
		frame := gc.Push(*cctx, list)
		length := func(_ **rt.Ctx, l *cons) (bool, error) { return isNumbers(l, 1000, 5), nil }
		for range 1000 { // the memory limit would be met
			if _, err = futures.AsyncWith(cctx, "refused", list, length); !assert.ErrorIs(t, err, rt.ErrNoEpoch) {
				break
			}
		}
		rt.MarkEpoch(*cctx)
		spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) { assert.NoError(t, open.Fulfil(*cctx, 1)) })
		task, err := futures.AsyncWith(cctx, "waits", list, length)
		frame.Pop(*cctx)
		if assert.NoError(t, err) {
			same, err := task.Get(cctx)
			assert.NoError(t, err)
			assert.True(t, same)
		}
	}))
}

// The copy that cannot be made is the caller's panic, and takes no slot.
func TestAsyncWithBeyondTheMemoryLimit(t *testing.T) {
	r := runtimeOf(t, rt.Config{Tasks: 1, TaskEpoch: -1, MemoryLimit: 1 << 20})
	require.NoError(t, r.Do(context.Background(), func(cctx **rt.Ctx) {
		list := numbers(*cctx, 25_000, 5)
		frame := gc.Push(*cctx, list)
		func() {
			defer func() {
				_, ok := recover().(*heap.LimitError)
				assert.True(t, ok)
			}()
			_, _ = futures.AsyncWith(cctx, "copy", list, func(**rt.Ctx, *cons) (int, error) { return 0, nil })
		}()
		frame.Pop(*cctx)
		_, err := futures.Async(cctx, "plain", echo(1))
		assert.NoError(t, err)
	}))
}

// Tasks submit tasks; where the ring is full they do the work themselves.
func TestForkAndJoin(t *testing.T) {
	var fib func(cctx **rt.Ctx, n int) (int, error)
	var inline atomic.Int64
	fib = func(cctx **rt.Ctx, n int) (int, error) {
		if n < 2 {
			return n, nil
		}
		task, err := futures.Async(cctx, "fib", func(cctx **rt.Ctx) (int, error) { return fib(cctx, n-1) })
		b, _ := fib(cctx, n-2)
		var a int
		if err == nil {
			a, err = task.Await(cctx)
		} else if errors.Is(err, rt.ErrTaskWaits) {
			inline.Add(1)
			a, err = fib(cctx, n-1)
		}
		return a + b, err
	}
	for _, slots := range []int{1, 2, 7, 64, 4096} {
		r := runtimeOf(t, rt.Config{Tasks: slots})
		defer hammer.Watch(t, hammer.Limit)()
		inline.Store(0)
		var got int
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			task, err := futures.Async(cctx, "fib", func(cctx **rt.Ctx) (int, error) { return fib(cctx, 12) })
			assert.NoError(t, err)
			got, err = task.Get(cctx)
			assert.NoError(t, err)
		}))
		require.Equal(t, 144, got)
		if slots <= 2 {
			require.Positive(t, inline.Load())
		}
	}
}

// A goroutine looks tasks up while they come and go.
func TestLookUpsBesideTasks(t *testing.T) {
	rounds := hammer.Rounds(3_000, 300_000)
	r := runtimeOf(t, rt.Config{Tasks: 16})
	defer hammer.Watch(t, hammer.Limit)()
	var newest atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := uint64(0); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			id := rt.TaskID(newest.Load() - n%16)
			if info, there := r.Task(id); there && (info.ID != id || info.Label != "even" && info.Label != "odd" || info.Age < 0 || info.State > rt.TaskFailed) {
				assert.Fail(t, "mixed", "%v", info)
				return
			}
		}
	}()
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		for i := range rounds {
			task, err := futures.Async(cctx, [...]string{"even", "odd"}[i%2], echo(i))
			if !assert.NoError(t, err) {
				return
			}
			newest.Store(uint64(task.ID))
		}
	}))
	close(stop)
	<-stopped
}

// A task answers after it is known to have ended, under every order of steps; slots come back, and answers are right.
func TestSeedsOfAsync(t *testing.T) {
	seeds(t, rt.Config{Tasks: 2}, func(t testing.TB, r *rt.Runtime) {
		sum := 0
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			for s := range 2 {
				spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
					for i := range 3 {
						task, err := futures.Async(cctx, "x", echo(10*s+i))
						assert.NoError(t, err)
						v, err := readings[(i+s)%len(readings)].read(cctx, task.Future)
						assert.NoError(t, err)
						if info, there := r.Task(task.ID); there {
							assert.Equal(t, rt.TaskEnded, info.State)
						}
						sum += v
					}
				})
			}
		}))
		assert.Equal(t, 36, sum)
	})
}

// While Close unwinds, a behaviour that fails its future so tells one who waits for it and is gone already.
func TestCloseUnwindsRowsOfWaits(t *testing.T) {
	for range 20 {
		r := runtimeOf(t, rt.Config{})
		require.NoError(t, r.Do(context.Background(), func(cctx **rt.Ctx) {
			never := futures.NewPromise[int](*cctx, nil)
			f := never.Future()
			for range 3 {
				before := f
				f = ask(*cctx, spawn(*cctx), func(cctx **rt.Ctx) (int, error) { return before.Await(cctx) })
			}
			spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) { _, _ = f.Get(cctx) })
			task, err := futures.Async(cctx, "waits", func(cctx **rt.Ctx) (int, error) { return never.Future().Get(cctx) })
			assert.NoError(t, err)
			spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) { _, _ = task.Get(cctx) })
		}))
		require.Len(t, rttest.Idle(t, r), 6)
		require.NoError(t, r.Close())
	}
}

// A task that is cancelled before it has begun does not run; its slot, and the copy that it was given, come back.
func TestTaskIsCancelledBeforeItBegins(t *testing.T) {
	r := runtimeOf(t, rt.Config{Tasks: 4, TaskEpoch: -1, Workers: 1, MemoryLimit: 4 << 20})
	defer hammer.Watch(t, hammer.Limit)()
	var task futures.Task[int]
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		list := numbers(*cctx, 1000, 5)
		frame := gc.Push(*cctx, list)
		for range 1000 { // the memory limit would be met
			rt.MarkEpoch(*cctx)
			var err error
			task, err = futures.AsyncWith(cctx, "unwanted", list, func(**rt.Ctx, *cons) (int, error) {
				assert.Fail(t, "it runs")
				return 0, nil
			})
			assert.NoError(t, err)
			assert.True(t, task.Cancel(*cctx))
			_, err = task.Get(cctx)
			assert.ErrorIs(t, err, futures.ErrCanceled)
			other, err := futures.Async(cctx, "plain", func(**rt.Ctx) (int, error) { return 0, errors.New("it runs") })
			assert.NoError(t, err)
			assert.True(t, other.Cancel(*cctx))
		}
		frame.Pop(*cctx)
	}))
	info, there := r.Task(task.ID)
	require.True(t, there)
	require.Equal(t, rt.TaskFailed, info.State)
}
