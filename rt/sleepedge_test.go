//go:build race || encorert_invariants

package rt_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// The tests of this file stop a worker at each step of going to sleep, put work somewhere meanwhile, and let it go on.
// Only the builds with invariants have the points to stop at.

// sleepPoints are the steps, in the order in which a worker comes to them.
var sleepPoints = []string{
	"park.EndSearch", "park.Announce", "park.Announced", "rt.lastLook", "park.Retract", "park.Sleep",
}

// edge stops one worker of a runtime at a point.
type edge struct {
	r             *rt.Runtime
	clock         *rt.ManualClock
	point         string
	state         atomic.Int32
	holds         int
	held, proceed chan struct{}
}

// The states of an edge. hold goes to wanted or armed, a worker that runs goes from wanted to armed, and the one that
// is stopped back to free.
const (
	free int32 = iota
	wanted
	armed
)

func newEdge(t *testing.T, cfg rt.Config, point string) *edge {
	r, clock, err := rt.NewByHand(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	e := &edge{r: r, clock: clock, point: point, held: make(chan struct{}), proceed: make(chan struct{})}
	t.Cleanup(invariant.OnPoint(e.hook))
	return e
}

func nothing(**rt.Ctx) {}

func (e *edge) hook(point string) {
	if point == "rt.lastLook" && e.point == "park.Retract" && e.state.Load() == armed {
		e.r.Inject(nothing) // or else the last look finds nothing and there is nothing to retract
	}
	if point == e.point && e.state.CompareAndSwap(armed, free) {
		e.held <- struct{}{}
		<-e.proceed
	}
}

// hold returns when a worker stands at the point. It gives the workers something to wake up for until one does. Every
// other time it arms the point only from there: then a worker is stopped on its way to sleep, and not before, when it
// comes by because it has found that.
func (e *edge) hold() {
	e.holds++
	e.state.Store(armed - int32(e.holds%2))
	for {
		e.r.Inject(func(**rt.Ctx) { e.state.CompareAndSwap(wanted, armed) })
		select {
		case <-e.held:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// during holds a worker, puts something, and lets the worker go on: after that, or in odd rounds at the same time.
func (e *edge) during(round int, put func()) {
	e.hold()
	if round%2 == 0 {
		put()
		e.proceed <- struct{}{}
		return
	}
	go func() { e.proceed <- struct{}{} }()
	put()
}

// settle waits until all workers sleep, and checks the counts then: every way of going to sleep and back has left them
// right.
func settle(t *testing.T, r *rt.Runtime) {
	t.Helper()
	for {
		sleeping, searching := r.LotCounts()
		if sleeping == r.Workers() && searching == 0 {
			return
		}
		require.LessOrEqual(t, sleeping, r.Workers())
		require.LessOrEqual(t, searching, 1)
		runtime.Gosched()
	}
}

// atEveryEdge runs f as a subtest for all points and some numbers of workers, with a watchdog.
func atEveryEdge(t *testing.T, cfg rt.Config, workers []int, f func(t *testing.T, e *edge)) {
	for _, point := range sleepPoints {
		for _, n := range workers {
			t.Run(point+"/"+string(rune('0'+n)), func(t *testing.T) {
				defer hammer.Watch(t, hammer.Limit)()
				cfg.Workers = n
				e := newEdge(t, cfg, point)
				f(t, e)
				settle(t, e.r)
			})
		}
	}
}

func wait(t *testing.T, done <-chan error) {
	t.Helper()
	if err := <-done; err != nil {
		require.NoError(t, err)
	}
}

// One event from outside, exactly while a worker goes to sleep: it is handled.
func TestEventAtTheSleepEdge(t *testing.T) {
	rounds := hammer.Rounds(800, 60_000)
	atEveryEdge(t, rt.Config{}, []int{1, 2, 4}, func(t *testing.T, e *edge) {
		handled := 0
		for round := range rounds {
			var done <-chan error
			e.during(round, func() { done = e.r.Inject(func(**rt.Ctx) { handled++ }) })
			wait(t, done)
		}
		assert.Equal(t, rounds, handled)
	})
}

// Two wake from outside around one worker that goes to sleep: both items are handled.
func TestTwoWakersAtTheSleepEdge(t *testing.T) {
	rounds := hammer.Rounds(400, 60_000)
	atEveryEdge(t, rt.Config{}, []int{1, 2}, func(t *testing.T, e *edge) {
		var handled atomic.Int64
		for round := range rounds {
			var done [2]<-chan error
			e.during(round, func() {
				var both sync.WaitGroup
				for i := range done {
					both.Go(func() { done[i] = e.r.Inject(func(**rt.Ctx) { handled.Add(1) }) })
				}
				both.Wait()
			})
			wait(t, done[0])
			wait(t, done[1])
		}
		assert.EqualValues(t, 2*rounds, handled.Load())
	})
}

// Two wakers that have both seen a sleeper and nobody searching go on together.
func TestTwoWakersMeet(t *testing.T) {
	rounds := hammer.Rounds(2_000, 200_000)
	for _, n := range []int{1, 2} {
		func() {
			defer hammer.Watch(t, hammer.Limit)()
			r := runtimeOf(t, rt.Config{Workers: n})
			var armed atomic.Int64
			var proceed atomic.Pointer[chan struct{}]
			held := make(chan struct{}, 8)
			defer invariant.OnPoint(func(point string) {
				if point == "park.WakeOne" && armed.Add(-1) >= 0 {
					on := *proceed.Load()
					held <- struct{}{}
					<-on
				}
			})()
			met := 0
			for range rounds {
				settle(t, r)
				on := make(chan struct{})
				proceed.Store(&on)
				armed.Store(2)
				injected := make(chan (<-chan error), 2)
				for range 2 {
					go func() { injected <- r.Inject(nothing) }()
				}
				var items []<-chan error
				stopped := 0
				for stopped+len(items) < 2 { // the second has nothing to wake if a last look found the first one's item
					select {
					case <-held:
						stopped++
					case item := <-injected:
						items = append(items, item)
					}
				}
				armed.Store(0)
				close(on)
				for len(items) < 2 {
					items = append(items, <-injected)
				}
				wait(t, items[0])
				wait(t, items[1])
				met += stopped / 2
			}
			settle(t, r)
			assert.NotZero(t, met, "two wakers never met")
		}()
	}
}

// Who wakes has made the work visible before.
func TestWorkIsVisibleBeforeTheWake(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	r := runtimeOf(t, rt.Config{Workers: 1})
	seen := 0
	for range 100 {
		settle(t, r)
		me := invariant.Goroutine()
		restore := invariant.OnPoint(func(point string) {
			if point == "park.WakeOne" && invariant.Goroutine() == me && r.HasInjected() {
				seen++
			}
		})
		done := r.Inject(nothing)
		restore()
		wait(t, done)
	}
	assert.NotZero(t, seen) // not always: a worker at its last look may have taken it already
}

// places is where work can land. put returns what ends when the work is done; the worker held stands at the edge of
// sleep all the while, or goes on at the same time.
var places = []struct {
	name   string
	fields []string // the queues it passes through
	cfg    rt.Config
	least  int // workers
	put    func(t *testing.T, e *edge, at func(put func())) (done []<-chan error)
}{
	{
		name: "inject", fields: []string{"runtime.inject"}, least: 1,
		put: func(_ *testing.T, e *edge, at func(func())) (done []<-chan error) {
			at(func() { done = append(done, e.r.Inject(nothing)) })
			return done
		},
	},
	{
		name: "pinned", fields: []string{"worker.pinned"}, least: 1,
		put: func(t *testing.T, e *edge, at func(func())) (done []<-chan error) {
			at(func() {
				for w := range e.r.Workers() {
					done = append(done, e.r.Pin(w, func(cctx **rt.Ctx) { assert.Equal(t, w, (*cctx).Worker()) }))
				}
			})
			return done
		},
	},
	{
		name: "inbox", fields: []string{"worker.inbox", "worker.arrived"}, least: 1,
		put: func(_ *testing.T, e *edge, at func(func())) (done []<-chan error) {
			at(func() {
				for w := range e.r.Workers() {
					done = append(done, e.r.HandOver(w, nothing))
				}
			})
			return done
		},
	},
	{
		name: "posted", fields: []string{"runtime.inject"}, least: 1,
		put: func(t *testing.T, e *edge, at func(func())) []<-chan error {
			return putEvents(t, e, at, func(ctx *rt.Ctx, f func(**rt.Ctx)) (func(), func() int) {
				s, err := rt.NewSource(ctx, "edge")
				assert.NoError(t, err)
				return func() { assert.NoError(t, s.Post(f)) }, s.Close
			})
		},
	},
	{
		name: "timer", fields: []string{"runtime.inject"}, least: 1,
		put: func(t *testing.T, e *edge, at func(func())) []<-chan error {
			return putEvents(t, e, at, func(ctx *rt.Ctx, f func(**rt.Ctx)) (func(), func() int) {
				var timers []*rt.Timer
				for range 2 {
					timer, err := rt.After(ctx, time.Second, f)
					assert.NoError(t, err)
					timers = append(timers, timer)
				}
				return func() { e.clock.Advance(time.Second, false) }, timers[0].Close // calls it on the test's goroutine
			})
		},
	},
	{
		// The worker that shares stays busy until another has run what it shared.
		name: "shared", fields: []string{"worker.shared"}, least: 2,
		put: func(t *testing.T, e *edge, at func(func())) (done []<-chan error) {
			e.r.LookAway() // it would bring what is shared to others in the end
			busy, share, shared := make(chan struct{}), make(chan struct{}), make(chan struct{})
			var item <-chan error
			owner := e.r.Inject(func(cctx **rt.Ctx) {
				close(busy)
				<-share
				ended := make(chan struct{})
				from := (*cctx).Worker()
				item = rt.Share(*cctx, func(cctx **rt.Ctx) {
					assert.NotEqual(t, from, (*cctx).Worker())
					close(ended)
				})
				close(shared)
				<-ended
			})
			<-busy
			at(func() {
				close(share)
				<-shared
			})
			return append(done, owner, item)
		},
	},
	{
		name: "block", fields: []string{"worker.private"}, least: 1,
		put: func(_ *testing.T, e *edge, at func(func())) (done []<-chan error) {
			return putResume(e, at, func(cctx **rt.Ctx, g *gate) { rt.Block(cctx, g) })
		},
	},
	{
		name: "await", fields: []string{"worker.private"}, least: 1,
		put: func(_ *testing.T, e *edge, at func(func())) (done []<-chan error) {
			return putResume(e, at, func(cctx **rt.Ctx, g *gate) { rt.Await(cctx, g) })
		},
	},
	{
		name: "block, on another worker", fields: []string{"worker.pinned"}, least: 2, cfg: rt.Config{AlwaysMigrate: true},
		put: func(_ *testing.T, e *edge, at func(func())) (done []<-chan error) {
			return putResume(e, at, func(cctx **rt.Ctx, g *gate) { rt.Block(cctx, g) })
		},
	},
	{
		name: "suspend", fields: []string{"worker.private"}, least: 1,
		put: func(_ *testing.T, e *edge, at func(func())) (done []<-chan error) {
			at(func() { done = append(done, e.r.Inject(func(cctx **rt.Ctx) { rt.Suspend(cctx) })) })
			return done
		},
	},
	{
		name: "suspend, on another worker", fields: []string{"worker.pinned"}, least: 2, cfg: rt.Config{AlwaysMigrate: true},
		put: func(_ *testing.T, e *edge, at func(func())) (done []<-chan error) {
			at(func() { done = append(done, e.r.Inject(func(cctx **rt.Ctx) { rt.Suspend(cctx) })) })
			return done
		},
	},
}

// putEvents opens a source, has an event come at the edge, and another that it leaves to come after it.
func putEvents(t *testing.T, e *edge, at func(func()), open func(ctx *rt.Ctx, f func(**rt.Ctx)) (fire func(), close func() int)) []<-chan error {
	done := make(chan error, 2)
	var fire func()
	var end func() int
	wait(t, e.r.Inject(func(cctx **rt.Ctx) {
		fire, end = open(*cctx, func(**rt.Ctx) { done <- nil })
	}))
	at(func() {
		fire()
		fire()
	})
	wait(t, done)
	wait(t, done)
	end()
	return nil
}

// putResume parks a behaviour and then, at the edge, has another end its wait.
func putResume(e *edge, at func(func()), park func(cctx **rt.Ctx, g *gate)) (done []<-chan error) {
	g := new(gate)
	done = append(done, e.r.Inject(func(cctx **rt.Ctx) { park(cctx, g) }))
	for !g.waited() {
		runtime.Gosched()
	}
	at(func() { done = append(done, e.r.Inject(func(cctx **rt.Ctx) { g.unlock(*cctx) })) })
	return done
}

// Wherever work lands while a worker goes to sleep, it is run.
func TestEveryPlaceAtTheSleepEdge(t *testing.T) {
	rounds := hammer.Rounds(60, 8_000)
	for _, place := range places {
		t.Run(place.name, func(t *testing.T) {
			var workers []int
			for _, n := range []int{1, 2, 4} {
				if n >= place.least {
					workers = append(workers, n)
				}
			}
			atEveryEdge(t, place.cfg, workers, func(t *testing.T, e *edge) {
				for round := range rounds {
					at := func(put func()) { e.during(round, put) }
					for _, done := range place.put(t, e, at) {
						wait(t, done)
					}
				}
			})
		})
	}
}

// A queue that is added to the runtime needs a place in the table above.
func TestEveryQueueHasAPlace(t *testing.T) {
	covered := map[string]bool{}
	for _, place := range places {
		for _, f := range place.fields {
			covered[f] = true
		}
	}
	fields := rt.QueueFields()
	assert.GreaterOrEqual(t, len(fields), 4)
	for _, f := range fields {
		assert.True(t, covered[f], "%s: work that lands there is not tested at the edge of sleep", f)
		delete(covered, f)
	}
	assert.Empty(t, covered, "no such queue")
}

// A request to stop at the edge of sleep is a place too, of the kind that ends the runtime.
func TestStopAtTheSleepEdge(t *testing.T) {
	rounds := hammer.Rounds(40, 5_000)
	for _, point := range sleepPoints {
		for _, n := range []int{1, 2, 4} {
			t.Run(point+"/"+string(rune('0'+n)), func(t *testing.T) {
				defer hammer.Watch(t, hammer.Limit)()
				for round := range rounds {
					r, err := rt.New(rt.Config{Workers: n})
					require.NoError(t, err)
					e := &edge{r: r, point: point, held: make(chan struct{}), proceed: make(chan struct{})}
					restore := invariant.OnPoint(e.hook)
					closed := make(chan struct{})
					e.during(round, func() {
						go func() {
							defer close(closed)
							r.Close()
						}()
						<-r.Done()
					})
					<-closed
					restore()
					sleeping, searching := r.LotCounts()
					require.Zero(t, sleeping)
					require.Zero(t, searching)
				}
			})
		}
	}
}

// As many items as workers, each of which runs until all have begun: a worker that sleeps beside queued work hangs it.
func TestItemsThatNeedAllWorkers(t *testing.T) {
	rounds := hammer.Rounds(200, 20_000)
	atEveryEdge(t, rt.Config{}, []int{2, 3, 4}, func(t *testing.T, e *edge) {
		for round := range rounds {
			n := e.r.Workers()
			var begun atomic.Int64
			done := make([]<-chan error, n)
			e.during(round, func() {
				for i := range done {
					done[i] = e.r.Inject(func(**rt.Ctx) {
						begun.Add(1)
						for begun.Load() < int64(n) {
							runtime.Gosched()
						}
					})
				}
			})
			for i := range done {
				wait(t, done[i])
			}
		}
	})
}

// Work came while the worker was the searcher, so that nobody was woken for it. The worker has announced sleep and has
// not yet looked again: all are announced then, and still the run is not over.
func TestLookForTheEndSeesWorkBeforeTheLastLook(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	e := newEdge(t, rt.Config{Workers: 1}, "park.EndSearch")
	for round := range hammer.Rounds(100, 10_000) {
		e.hold()
		if e.holds%2 == 0 { // it has found something, and will look again before it announces
			e.proceed <- struct{}{}
			continue
		}
		var ran, early atomic.Bool
		end := make(chan error, 1)
		quiet := e.r.Hold() // released at the last look
		go func() { end <- e.r.Run(func(**rt.Ctx) { ran.Store(true) }) }()
		for !e.r.HasInjected() {
			runtime.Gosched()
		}
		restore := invariant.OnPoint(func(point string) {
			switch point {
			case "rt.lastLook":
				quiet.Release()
			case "rt.checkQuiet": // all are announced, nothing holds the run and no queue has anything
				early.Store(early.Load() || !ran.Load())
			}
		})
		e.proceed <- struct{}{}
		require.NoError(t, <-end)
		require.True(t, ran.Load(), "round %d: the run ended before it began", round)
		require.False(t, early.Load(), "round %d: the run was over before it began", round)
		restore()
		quiet.Release()
		invariant.OnPoint(e.hook)
	}
}

// A Run begins after the look for the end has found nothing due: it is not told that it has ended.
func TestRunThatBeginsDuringTheLookForTheEnd(t *testing.T) {
	for range 50 {
		found, proceed := make(chan struct{}), make(chan struct{})
		var once sync.Once
		restore := invariant.OnPoint(func(point string) {
			if point == "rt.checkQuiet" {
				once.Do(func() {
					close(found)
					<-proceed
				})
			}
		})
		r, err := rt.New(rt.Config{Workers: 1})
		require.NoError(t, err)
		<-found // the worker holds the lot
		ran := false
		end := make(chan error, 1)
		go func() { end <- r.Run(func(**rt.Ctx) { ran = true }) }()
		for !r.HasInjected() {
			runtime.Gosched()
		}
		close(proceed)
		within(t, func() { require.NoError(t, <-end) })
		require.True(t, ran)
		r.Close()
		restore()
	}
}

// Close meets the worker that looks whether the run is over, in the middle of that look.
func TestCloseMeetsTheLookForTheEnd(t *testing.T) {
	for range 50 {
		found, proceed := make(chan struct{}), make(chan struct{})
		var once sync.Once
		restore := invariant.OnPoint(func(point string) {
			if point == "rt.checkQuiet" {
				once.Do(func() {
					close(found)
					<-proceed
				})
			}
		})
		r, err := rt.New(rt.Config{Workers: 1})
		require.NoError(t, err)
		<-found // the worker holds the lot
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			r.Close()
		}()
		<-r.Done() // Close has begun
		close(proceed)
		within(t, func() { <-closed })
		restore()
	}
}
