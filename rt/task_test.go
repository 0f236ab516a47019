package rt_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
	"github.com/encorert/encorert/rt/rttest"
)

// The tasks of these tests are closures without an answer.
var taskCall = rt.Behaviour{
	Name: "Task",
	Run: func(cctx **rt.Ctx, a *rt.Actor, m *rt.Message) {
		rt.BeginTask(*cctx)
		runCall(cctx, a, m)
		rt.EndTask(*cctx, false)
	},
	Fail: func(ctx *rt.Ctx, _ unsafe.Pointer, _ error) { rt.EndTask(ctx, true) },
}

// submit submits a task.
func submit(cctx **rt.Ctx, label string, f func(cctx **rt.Ctx)) (rt.TaskID, error) {
	return submitAll(cctx, label, 1, f)
}

func submitAll(cctx **rt.Ctx, label string, n int, f func(cctx **rt.Ctx)) (rt.TaskID, error) {
	first, err := rt.ReserveTasks(cctx, label, n)
	if err != nil {
		return 0, err
	}
	for i := range n {
		rt.StartTask(*cctx, first+rt.TaskID(i), label, rt.Message{B: &taskCall, P0: unsafe.Pointer(&call{f})})
	}
	return first, nil
}

func doNothing(**rt.Ctx) {}

func TestTaskIsLookedUpFromAnywhere(t *testing.T) {
	for _, seed := range []uint64{0, 1} {
		r := runtimeOf(t, rt.Config{Tasks: 4, TaskEpoch: -1, Seed: seed})
		_, there := r.Task(1)
		require.False(t, there, "there was no task at all")
		state := func(id rt.TaskID) rt.TaskState {
			task, there := r.Task(id)
			assert.True(t, there)
			assert.Equal(t, "sort", task.Label)
			assert.Equal(t, id, task.ID)
			assert.GreaterOrEqual(t, task.Age, time.Duration(0))
			return task.State
		}
		var id, failing rt.TaskID
		var epoch rt.Epoch
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			g := new(gate)
			var err error
			id, err = submit(cctx, "sort", func(cctx **rt.Ctx) {
				self, running := rt.RunningTask(*cctx)
				assert.True(t, running)
				assert.Equal(t, id, self)
				assert.Equal(t, rt.TaskRunning, state(id))
				assert.NoError(t, rt.Block(cctx, g))
				assert.Equal(t, rt.TaskRunning, state(id), "it has waited meanwhile")
			})
			assert.NoError(t, err)
			assert.Contains(t, []rt.TaskState{rt.TaskQueued, rt.TaskRunning}, state(id))
			failing, err = submit(cctx, "sort", func(**rt.Ctx) { panic("boom") })
			assert.NoError(t, err)
			_, running := rt.RunningTask(*cctx)
			assert.False(t, running)
			spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) { g.unlock(*cctx) })
		}))
		require.Equal(t, rt.TaskEnded, state(id))
		require.Equal(t, rt.TaskFailed, state(failing))
		require.Equal(t, "ended, failed", rt.TaskEnded.String()+", "+rt.TaskFailed.String())
		require.NoError(t, r.Do(background, func(cctx **rt.Ctx) { epoch = rt.MarkEpoch(*cctx) }))
		require.Equal(t, epoch, r.LastEpoch())
		for _, id := range []rt.TaskID{id, failing} {
			_, there := r.Task(id)
			require.False(t, there, "an epoch behind it is reached")
		}
		r.Close()
	}
}

// Row 20: nothing in flight frees a slot.
func TestFullRingWithoutAnEpoch(t *testing.T) {
	const slots = 4
	require.NoError(t, run(t, rt.Config{Tasks: slots, TaskEpoch: -1}, func(cctx **rt.Ctx) {
		g := new(gate)
		for range slots {
			_, err := submit(cctx, "long", func(cctx **rt.Ctx) { assert.NoError(t, rt.Block(cctx, g)) })
			assert.NoError(t, err)
		}
		_, err := submit(cctx, "one more", doNothing)
		assert.ErrorIs(t, err, rt.ErrNoEpoch)
		assert.EqualError(t, err, `rt: submitting "one more", 1 of 4 slots (Config.Tasks): the ring is full, and no epoch in flight frees enough of it`)
		e, ok := errors.AsType[*rt.TaskError](err)
		assert.True(t, ok)
		assert.Equal(t, rt.TaskError{Label: "one more", Asked: 1, Slots: slots, Reason: rt.ErrNoEpoch}, *e)
		epoch := rt.MarkEpoch(*cctx)
		spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) { g.unlock(*cctx) })
		_, err = submit(cctx, "one more", doNothing)
		assert.NoError(t, err)
		assert.False(t, (*cctx).Runtime().LastEpoch().Before(epoch))
	}))
}

// The submitter waits, and on its only worker others run.
func TestFullRingParksTheSubmitterAndNotTheWorker(t *testing.T) {
	for _, epochs := range []int{0, 1, 2} {
		g := new(gate)
		var order []string
		require.NoError(t, run(t, rt.Config{Tasks: 2, TaskEpoch: epochs, Workers: 1}, func(cctx **rt.Ctx) {
			for range 2 {
				_, err := submit(cctx, "long", func(cctx **rt.Ctx) { assert.NoError(t, rt.Block(cctx, g)) })
				assert.NoError(t, err)
			}
			spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
				order = append(order, "other")
				g.unlock(*cctx)
			})
			_, err := submit(cctx, "third", doNothing)
			assert.NoError(t, err)
			order = append(order, "submitted")
		}))
		require.Equal(t, []string{"other", "submitted"}, order)
	}
}

// Row 23. Nobody waits for an epoch here, nor for any task: slots come back by themselves, or the run ends with the
// submitter among those that wait.
func TestSlotsComeBackByThemselves(t *testing.T) {
	rounds := hammer.Rounds(2_000, 200_000)
	for _, c := range []struct{ slots, epochs int }{{1, 0}, {2, 0}, {3, 2}, {16, 0}, {8, 8}, {16, -1}} {
		r := runtimeOf(t, rt.Config{Tasks: c.slots, TaskEpoch: c.epochs})
		var ran atomic.Int64
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			for i := range rounds {
				if c.epochs < 0 && i%3 == 0 {
					rt.MarkEpoch(*cctx)
				}
				if _, err := submit(cctx, "short", func(**rt.Ctx) { ran.Add(1) }); !assert.NoError(t, err) {
					return
				}
			}
		}))
		require.EqualValues(t, rounds, ran.Load())
		require.LessOrEqual(t, rounds+1-int(r.LastEpoch()), c.slots, "what is not free is in the ring")
		r.Close()
	}
}

// Row 22.
func TestEpochIsThereWhenItsWaitersGoOn(t *testing.T) {
	rounds := hammer.Rounds(3_000, 100_000)
	const slots = 3
	r := runtimeOf(t, rt.Config{Tasks: slots, TaskEpoch: -1, Workers: 2})
	defer hammer.Watch(t, hammer.Limit)()
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		for range rounds {
			for range slots {
				// Without an epoch in flight: that there is no room is an error here.
				if _, err := submit(cctx, "short", doNothing); !assert.NoError(t, err) {
					return
				}
			}
			epoch := rt.MarkEpoch(*cctx)
			assert.NoError(t, rt.WaitEpoch(cctx, epoch))
			assert.False(t, r.LastEpoch().Before(epoch))
		}
	}))
}

// Several wait for different epochs, and for slots, at once.
func TestWaitersOfEpochsAndOfSlots(t *testing.T) {
	seeds(t, rt.Config{Tasks: 3, TaskEpoch: -1}, func(t testing.TB, r *rt.Runtime) {
		reached := 0
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			for range 3 {
				_, err := submit(cctx, "task", func(cctx **rt.Ctx) { assert.NoError(t, rt.Suspend(cctx)) })
				assert.NoError(t, err)
				epoch := rt.MarkEpoch(*cctx)
				for range 2 {
					spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
						assert.NoError(t, rt.WaitEpoch(cctx, epoch))
						assert.False(t, r.LastEpoch().Before(epoch))
						reached++
					})
				}
			}
			spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
				_, err := submit(cctx, "late", func(**rt.Ctx) { reached++ })
				assert.NoError(t, err)
			})
		}))
		assert.Equal(t, 7, reached)
	})
}

// Row 24: whoever has a slot, or is waited for by one who has, does not wait for one.
func TestTaskThatSubmitsToAFullRing(t *testing.T) {
	for _, epochs := range []int{-1, 0, 1} {
		ran := 0
		require.NoError(t, run(t, rt.Config{Tasks: 1, TaskEpoch: epochs}, func(cctx **rt.Ctx) {
			_, err := submit(cctx, "outer", func(cctx **rt.Ctx) {
				_, err := submit(cctx, "inner", doNothing)
				assert.ErrorIs(t, err, rt.ErrTaskWaits)
				var inDo error
				assert.NoError(t, (*cctx).Runtime().Do(background, func(cctx **rt.Ctx) {
					_, inDo = submit(cctx, "inner", doNothing)
				}))
				assert.ErrorIs(t, inDo, rt.ErrTaskWaits)
				assert.ErrorIs(t, rt.WaitEpoch(cctx, rt.MarkEpoch(*cctx)), rt.ErrTaskWaits)
				ran++
			})
			assert.NoError(t, err)
		}))
		require.Equal(t, 1, ran)
	}
}

// What the task itself has ended before is no reason to refuse: those slots are free at once.
func TestTaskSubmitsWhereOthersHaveEnded(t *testing.T) {
	ran := 0
	require.NoError(t, run(t, rt.Config{Tasks: 4, TaskEpoch: 4, Workers: 1}, func(cctx **rt.Ctx) {
		for range 3 { // no epoch before the fourth
			_, err := submit(cctx, "short", func(**rt.Ctx) { ran++ })
			assert.NoError(t, err)
		}
		_, err := submit(cctx, "last", func(cctx **rt.Ctx) {
			assert.Equal(t, 3, ran)
			_, err := submitAll(cctx, "inner", 3, func(**rt.Ctx) { ran++ })
			assert.NoError(t, err)
		})
		assert.NoError(t, err)
	}))
	require.Equal(t, 6, ran)
}

// Row 24: the tasks of two runtimes submit to each other's ring of one slot.
func TestTwoRuntimesWithASlotEach(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	rounds := hammer.Rounds(20, 2_000)
	both := [2]*rt.Runtime{runtimeOf(t, rt.Config{Tasks: 1}), runtimeOf(t, rt.Config{Tasks: 1})}
	var inner, refused, outer atomic.Int64
	ended := make(chan error, 2)
	for i := range both {
		go func() {
			ended <- both[i].Run(func(cctx **rt.Ctx) {
				for range rounds {
					_, err := submit(cctx, "outer", func(**rt.Ctx) {
						outer.Add(1)
						assert.NoError(t, both[1-i].Do(background, func(cctx **rt.Ctx) {
							if _, err := submit(cctx, "inner", func(**rt.Ctx) { inner.Add(1) }); err != nil {
								assert.ErrorIs(t, err, rt.ErrTaskWaits)
								refused.Add(1)
							}
						}))
					})
					assert.NoError(t, err)
				}
			})
		}()
	}
	for range both {
		require.NoError(t, <-ended)
	}
	for i := range both {
		rttest.Idle(t, both[i]) // the last inner ones may have come after the end of one run
	}
	require.EqualValues(t, 2*rounds, outer.Load())
	require.EqualValues(t, 2*rounds, inner.Load()+refused.Load())
}

// Rows 25 and 27: what cannot be is known before anybody waits, and all slots at once can be had.
func TestMoreTasksThanSlots(t *testing.T) {
	for _, epochs := range []int{-1, 0, 3} {
		var ran atomic.Int64
		require.NoError(t, run(t, rt.Config{Tasks: 5, TaskEpoch: epochs}, func(cctx **rt.Ctx) {
			_, err := submitAll(cctx, "scope", 6, doNothing)
			assert.ErrorIs(t, err, rt.ErrTooManyTasks)
			assert.EqualError(t, err, `rt: submitting "scope", 6 of 5 slots (Config.Tasks): more than the ring has`)
			for range 10 {
				_, err = submitAll(cctx, "scope", 5, func(**rt.Ctx) { ran.Add(1) })
				assert.NoError(t, err)
				rt.MarkEpoch(*cctx)
			}
		}))
		require.EqualValues(t, 50, ran.Load())
	}
}

// Row 25: a task that takes 5 seconds of logical time, and as long as it wants of real time, is no deadlock.
func TestSlowTaskIsNoError(t *testing.T) {
	rttest.Seeds(t, 20, rt.Config{Tasks: 2}, func(t testing.TB, r *rt.Runtime) {
		ran := false
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			for range 2 {
				_, err := submit(cctx, "slow", func(cctx **rt.Ctx) {
					g := new(gate)
					_, err := rt.After(*cctx, 5*time.Second, func(cctx **rt.Ctx) { g.unlock(*cctx) })
					assert.NoError(t, err)
					assert.NoError(t, rt.Block(cctx, g))
				})
				assert.NoError(t, err)
			}
			_, err := submit(cctx, "waits", func(**rt.Ctx) { ran = true })
			assert.NoError(t, err)
		}))
		assert.True(t, ran)
	})
}

// Row 26, and 21: ids over their wrap, by several submitters; no id is found after its epoch.
func TestIDsNeverAlias(t *testing.T) {
	rounds := hammer.Rounds(3_000, 500_000)
	r := runtimeOf(t, rt.Config{Tasks: 2, Workers: 2})
	first := rt.TaskID(math.MaxUint64 - uint64(rounds))
	r.FirstTask(first)
	defer hammer.Watch(t, hammer.Limit)()
	ids := [2][]rt.TaskID{}
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		for i := range ids {
			spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
				for range rounds {
					var self rt.TaskID
					id, err := submit(cctx, "x", func(cctx **rt.Ctx) {
						self, _ = rt.RunningTask(*cctx)
						task, there := r.Task(self)
						if !there || task.ID != self || task.State != rt.TaskRunning {
							assert.Fail(t, "a task does not find itself")
						}
					})
					if !assert.NoError(t, err) {
						return
					}
					ids[i] = append(ids[i], id)
					horizon := r.LastEpoch()
					for _, old := range ids[i][max(0, len(ids[i])-10):] {
						if _, there := r.Task(old); there && rt.Epoch(old).Before(horizon) {
							assert.Fail(t, "a retired id was found", "%#x", old)
							return
						}
					}
				}
			})
		}
	}))
	seen := map[rt.TaskID]bool{}
	for _, some := range ids {
		for _, id := range some {
			require.False(t, seen[id], "%#x was handed out twice", id)
			require.Less(t, uint64(id-first), uint64(2*rounds))
			seen[id] = true
		}
	}
	require.Len(t, seen, 2*rounds)
}

// A task that panics, or leaves by Goexit, gives its slot back as well.
func TestTasksThatBreakOff(t *testing.T) {
	r := runtimeOf(t, rt.Config{Tasks: 2, OnPanic: func(*rt.PanicError) {}})
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		for i := range 50 {
			_, err := submit(cctx, "breaks", func(cctx **rt.Ctx) {
				switch i % 3 {
				case 0:
					panic("boom")
				case 1:
					runtime.Goexit()
				default:
					rt.EndTask(*cctx, false) // and once more at its end
				}
			})
			assert.NoError(t, err)
		}
	}))
	require.LessOrEqual(t, 51-int(r.LastEpoch()), 2)
}

// Who waits for a slot that a blocked task has is reported, and what the wait is for.
func TestWaitForASlotIsReported(t *testing.T) {
	err := run(t, rt.Config{Tasks: 1}, func(cctx **rt.Ctx) {
		_, err := submit(cctx, "never", func(cctx **rt.Ctx) { _ = rt.Block(cctx, new(gate)) })
		assert.NoError(t, err)
		spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) { _ = rt.WaitEpoch(cctx, rt.MarkEpoch(*cctx)) })
		_, _ = submit(cctx, "second", doNothing)
	})
	blocked, ok := errors.AsType[*rt.BlockedError](err)
	require.True(t, ok, "%v", err)
	require.ElementsMatch(t, []rt.BlockedWait{
		{Actor: "rt.task", Behaviour: "Task", For: "a gate", Get: true},
		{Actor: "rt.Run", Behaviour: "main", For: `1 of 1 slots for the task "second"`, Get: true},
		{Actor: "test.scripted", Behaviour: "Call", For: "an epoch of tasks", Get: true},
	}, blocked.Waits)
}

// Close unwinds those who wait for slots, and tasks that end then tell nobody that is gone.
func TestCloseWhileTheRingIsFull(t *testing.T) {
	for range hammer.Rounds(20, 500) {
		r := runtimeOf(t, rt.Config{Tasks: 2})
		unwound := make(chan struct{}, 1)
		stdctx, cancel := context.WithTimeout(background, time.Minute)
		require.NoError(t, r.Do(stdctx, func(cctx **rt.Ctx) {
			for range 2 {
				_, err := submit(cctx, "never", func(cctx **rt.Ctx) { _ = rt.Block(cctx, new(gate)) })
				assert.NoError(t, err)
			}
			spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
				defer func() { unwound <- struct{}{} }()
				_, _ = submit(cctx, "third", doNothing)
			})
		}))
		rttest.Idle(t, r)
		within(t, func() { r.Close() })
		<-unwound
		cancel()
	}
}

// Three submit, one of them many at once, to a ring of three slots: each task runs once, and nobody waits for ever.
func TestSeedsOfTasks(t *testing.T) {
	for _, epochs := range []int{1, 2, -1} {
		seeds(t, rt.Config{Tasks: 3, TaskEpoch: epochs}, func(t testing.TB, r *rt.Runtime) {
			const submitters, each = 3, 3
			runs := map[rt.TaskID]int{}
			require.NoError(t, r.Run(func(cctx **rt.Ctx) {
				for s := range submitters {
					spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
						for range each {
							f := func(cctx **rt.Ctx) {
								id, _ := rt.RunningTask(*cctx)
								if id%2 == 0 {
									assert.NoError(t, rt.Suspend(cctx))
								}
								runs[id]++
							}
							for {
								_, err := submitAll(cctx, "x", 1+s%2, f)
								if epochs > 0 || !errors.Is(err, rt.ErrNoEpoch) {
									assert.NoError(t, err)
									break
								}
								rt.MarkEpoch(*cctx)
							}
						}
					})
				}
			}))
			assert.Len(t, runs, 4*each)
			for id, n := range runs {
				assert.Equal(t, 1, n, "task %d", id)
			}
		})
	}
}

// Who looks up finds the task of that id or none, also when its slot is being filled with another one.
func TestSeedsOfLookUps(t *testing.T) {
	seeds(t, rt.Config{Tasks: 1}, func(t testing.TB, r *rt.Runtime) {
		labels := [...]string{"", "a", "bb", "ccc"}
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			for range 2 {
				spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
					for round := range 8 {
						for id := rt.TaskID(1); id < 4; id++ {
							if info, there := r.Task(id); there {
								assert.Equal(t, id, info.ID)
								assert.Equal(t, labels[id], info.Label)
							}
						}
						if round%4 == 3 {
							assert.NoError(t, rt.Suspend(cctx))
						}
					}
				})
			}
			for id := 1; id < 4; id++ {
				_, err := submit(cctx, labels[id], doNothing)
				assert.NoError(t, err)
			}
		}))
	})
}
