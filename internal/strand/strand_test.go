package strand_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/internal/strand"
)

func TestResumeRunsToTheNextYield(t *testing.T) {
	var trace []string
	c := strand.New(func(yield func(int) bool) {
		trace = append(trace, "a")
		assert.True(t, yield(1))
		trace = append(trace, "b")
		assert.True(t, yield(2))
		trace = append(trace, "c")
	})
	assert.Empty(t, trace, "it has not started")
	v, ok := c.Resume()
	assert.Equal(t, 1, v)
	assert.True(t, ok)
	assert.Equal(t, []string{"a"}, trace)
	v, ok = c.Resume()
	assert.Equal(t, 2, v)
	assert.True(t, ok)
	_, ok = c.Resume()
	assert.False(t, ok, "the body has returned")
	assert.Equal(t, []string{"a", "b", "c"}, trace)
	_, ok = c.Resume()
	assert.False(t, ok, "and stays ended")
}

// Plain variables pass from one resuming goroutine to the next with the coroutine, also for the race detector.
func TestResumeFromManyGoroutines(t *testing.T) {
	const goroutines, rounds = 4, 500
	steps := 0
	c := strand.New(func(yield func(int) bool) {
		for yield(steps) {
			steps++
		}
	})
	turn := make(chan int, 1)
	turn <- 0
	hammer.Run(t, goroutines, rounds, func(g, _ int) {
		n := <-turn // ownership comes with the turn
		v, ok := c.Resume()
		if !ok || v != n {
			t.Errorf("step %d: got %d, %v", n, v, ok)
		}
		turn <- n + 1
	})
	c.Stop()
}

func TestStopUnwinds(t *testing.T) {
	var ended, deferred bool
	c := strand.New(func(yield func(int) bool) {
		defer func() { deferred = true }()
		if !yield(1) {
			ended = true
		}
	})
	c.Resume()
	c.Stop()
	assert.True(t, ended)
	assert.True(t, deferred)
	c.Stop() // does nothing
	_, ok := c.Resume()
	assert.False(t, ok)
}

func TestStopBeforeTheStart(t *testing.T) {
	c := strand.New(func(func(int) bool) { t.Error("the body must not run") })
	c.Stop()
	_, ok := c.Resume()
	assert.False(t, ok)
}

func TestPanicContinuesInTheCaller(t *testing.T) {
	want := errors.New("the reason")
	c := strand.New(func(yield func(int) bool) {
		yield(1)
		panic(want)
	})
	c.Resume()
	assert.PanicsWithError(t, want.Error(), func() { c.Resume() })
	_, ok := c.Resume()
	assert.False(t, ok, "it has ended")

	c = strand.New(func(yield func(int) bool) {
		if !yield(1) {
			panic(want)
		}
	})
	c.Resume()
	assert.PanicsWithError(t, want.Error(), c.Stop)
}

// onGoroutine runs f on a goroutine of its own and reports whether f returned.
func onGoroutine(f func()) (returned bool) {
	var done sync.WaitGroup
	done.Go(func() {
		f()
		returned = true
	})
	done.Wait()
	return returned
}

func TestGoexitContinuesInTheCaller(t *testing.T) {
	deferred := false
	c := strand.New(func(yield func(int) bool) {
		defer func() { deferred = true }()
		yield(1)
		runtime.Goexit()
	})
	c.Resume()
	assert.False(t, onGoroutine(func() { c.Resume() }))
	assert.True(t, deferred)
	assert.True(t, onGoroutine(func() {
		_, ok := c.Resume()
		assert.False(t, ok)
	}))

	c = strand.New(func(yield func(int) bool) {
		if !yield(1) {
			runtime.Goexit()
		}
	})
	c.Resume()
	assert.False(t, onGoroutine(c.Stop))
}

// A body that recovers its own panic goes on.
func TestRecoverInTheBody(t *testing.T) {
	c := strand.New(func(yield func(int) bool) {
		func() {
			defer func() { recover() }()
			panic("inside")
		}()
		yield(7)
	})
	v, ok := c.Resume()
	assert.True(t, ok)
	assert.Equal(t, 7, v)
	c.Stop()
}

func depth(n int) int {
	if n == 0 {
		return 0
	}
	return depth(n-1) + 1
}

// The stack is a Go stack: it grows as it needs, also after it was left and resumed elsewhere, and with frames of its
// own below the yield.
func TestDeepRecursionAfterAYield(t *testing.T) {
	n := hammer.Rounds(200_000, 5_000_000)
	var deep int
	var below func(k int, yield func(int) bool)
	below = func(k int, yield func(int) bool) {
		if k > 0 {
			below(k-1, yield)
			return
		}
		yield(1)
		deep = depth(n)
	}
	c := strand.New(func(yield func(int) bool) {
		yield(0)
		below(1000, yield)
	})
	c.Resume()
	c.Resume()
	require.True(t, onGoroutine(func() { c.Resume() }))
	assert.Equal(t, n, deep)
}

func TestNewStrandsAreIndependent(t *testing.T) {
	hammer.Run(t, 4, 200, func(g, round int) {
		c := strand.New(func(yield func(int) bool) {
			for k := range 3 {
				if !yield(g*1_000_000 + round*10 + k) {
					return
				}
			}
		})
		for k := range round % 4 {
			if v, ok := c.Resume(); !ok || v != g*1_000_000+round*10+k {
				t.Errorf("got %d, %v", v, ok)
			}
		}
		c.Stop()
	})
}
