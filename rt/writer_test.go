package rt_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// What was written comes back in order, each write as an event, and then nothing holds the run open.
func TestWriteTo(t *testing.T) {
	for _, n := range workerCounts {
		var to bytes.Buffer // only the writer's goroutines use it, one after the other
		var want bytes.Buffer
		written := 0
		var w *rt.Writer
		require.NoError(t, run(t, rt.Config{Workers: n}, func(cctx **rt.Ctx) {
			var next func(k int)
			next = func(k int) {
				b := []byte(strings.Repeat(string(rune('a'+k%26)), k%5))
				want.Write(b)
				assert.NoError(t, w.Write(b))
			}
			w, _ = rt.WriteTo(*cctx, &to, 1000, func(cctx **rt.Ctx, b []byte, err error) {
				assert.NoError(t, err)
				assert.Equal(t, strings.Repeat(string(rune('a'+written%26)), written%5), string(b))
				if written++; written <= 190 {
					next(written + 9)
				}
				if written == 100 {
					assert.NoError(t, rt.Suspend(cctx))
				}
			})
			for k := range 10 {
				next(k)
			}
		}))
		assert.Equal(t, 200, written)
		assert.Equal(t, want.String(), to.String())
	}
}

// writerFunc makes a writer of a function.
type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// The first error is that of all that waits, and of further writes.
func TestWriteToFails(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		w    func(b []byte) (int, error)
		err  error
		says string
	}{
		"an error": {func(b []byte) (int, error) { return 1, boom }, boom, "boom"},
		"short":    {func(b []byte) (int, error) { return len(b) - 1, nil }, io.ErrShortWrite, "short"},
		"too long": {func(b []byte) (int, error) { return len(b) + 1, nil }, io.ErrShortWrite, "short"},
		"a panic":  {func(b []byte) (int, error) { panic(boom) }, boom, "rt: panic in rt.WriteTo.Write: boom"},
		"Goexit":   {func(b []byte) (int, error) { runtime.Goexit(); return 0, nil }, rt.ErrGoexit, "rt.WriteTo.Write"},
	} {
		t.Run(name, func(t *testing.T) {
			began, open := make(chan struct{}), make(chan struct{})
			calls := 0
			to := writerFunc(func(b []byte) (int, error) {
				calls++
				if calls == 2 {
					close(began)
					<-open
					return c.w(b)
				}
				return len(b), nil
			})
			var ok, failed []string
			r := runtimeOf(t, rt.Config{Workers: 2})
			var w *rt.Writer
			within(t, func() {
				require.NoError(t, r.Run(func(cctx **rt.Ctx) {
					w, _ = rt.WriteTo(*cctx, to, 100, func(cctx **rt.Ctx, b []byte, err error) {
						if err == nil {
							ok = append(ok, string(b))
							return
						}
						assert.ErrorIs(t, err, c.err)
						assert.ErrorContains(t, err, c.says)
						failed = append(failed, string(b))
					})
					go func() {
						for _, text := range []string{"one", "two", "three"} {
							assert.NoError(t, w.Write([]byte(text)))
						}
						<-began
						assert.NoError(t, w.Write([]byte("four")))
						close(open)
					}()
				}))
			})
			assert.Equal(t, []string{"one"}, ok)
			assert.Equal(t, []string{"two", "three", "four"}, failed)
			assert.Equal(t, 2, calls)
			assert.ErrorIs(t, w.Write(nil), c.err)
			assert.Zero(t, w.Close())
			r.Close()
			assert.Equal(t, rt.ErrClosed, w.Write(nil))
		})
	}
}

// What waits is bounded; there is room again as soon as an event begins. Close drops what has not begun.
func TestWriterIsBounded(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 2})
	turn := make(chan struct{})
	var calls atomic.Int64
	to := writerFunc(func(b []byte) (int, error) {
		calls.Add(1)
		<-turn
		return len(b), nil
	})
	var w *rt.Writer
	events := make(chan string, 10)
	end := make(chan error, 1)
	go func() {
		end <- r.Run(func(cctx **rt.Ctx) {
			w, _ = rt.WriteTo(*cctx, to, 10, func(cctx **rt.Ctx, b []byte, err error) {
				if err == nil && string(b) == "again" {
					assert.NoError(t, w.Write(make([]byte, 99)), "one may be of any length")
				}
				events <- string(b)
			})
			assert.NoError(t, w.Write(make([]byte, 11)))
			assert.Equal(t, rt.ErrWriterFull, w.Write(nil))
		})
	}()
	turn <- struct{}{}
	assert.Len(t, <-events, 11)
	within(t, func() { require.NoError(t, <-end, "a writer with nothing to do holds nothing") })

	go func() {
		end <- r.Run(func(cctx **rt.Ctx) {
			for range 5 {
				assert.NoError(t, w.Write([]byte("xx")))
			}
			assert.Equal(t, rt.ErrWriterFull, w.Write(nil), "an empty one counts as a byte")
		})
	}()
	for range 3 {
		turn <- struct{}{}
		assert.Equal(t, "xx", <-events)
	}
	assert.NoError(t, w.Write([]byte("12345")))
	assert.NoError(t, w.Write([]byte("6")))
	assert.Equal(t, rt.ErrWriterFull, w.Write([]byte("7")))
	for range 2 {
		turn <- struct{}{}
		assert.Equal(t, "xx", <-events)
	}
	for range 2 {
		turn <- struct{}{}
		<-events
	}
	within(t, func() { require.NoError(t, <-end) })
	assert.EqualValues(t, 8, calls.Load())

	require.NoError(t, w.Write([]byte("again")))
	turn <- struct{}{}
	assert.Equal(t, "again", <-events)
	within(t, func() {
		for calls.Load() < 10 { // the long one
			runtime.Gosched()
		}
	})
	assert.Equal(t, 1, w.Close())
	assert.Zero(t, w.Close())
	assert.Equal(t, rt.ErrSourceClosed, w.Write(nil))
	turn <- struct{}{}
	within(t, func() { require.NoError(t, r.Run(nothingToDo)) })
	assert.Empty(t, events)
	assert.EqualValues(t, 1, r.Stats().EventsDropped)
}

// Writers are written to and closed from several goroutines at once: each accepted write has its event or was dropped.
func TestCloseMeetsWrites(t *testing.T) {
	rounds := hammer.Rounds(200, 8_000)
	defer hammer.Watch(t, hammer.Limit)()
	for _, n := range []int{1, 2, 4} {
		r := runtimeOf(t, rt.Config{Workers: n})
		for round := range rounds {
			var w *rt.Writer
			var accepted, events atomic.Int64
			require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
				var err error
				w, err = rt.WriteTo(*cctx, io.Discard, 20, func(**rt.Ctx, []byte, error) { events.Add(1) })
				assert.NoError(t, err)
			}))
			done := make(chan struct{}, 2)
			for range 2 {
				go func() {
					defer func() { done <- struct{}{} }()
					for {
						switch err := w.Write([]byte("x")); err {
						case nil:
							accepted.Add(1)
						case rt.ErrWriterFull:
							runtime.Gosched()
						case rt.ErrSourceClosed:
							return
						default:
							t.Error(err)
							return
						}
					}
				}()
			}
			if round%2 == 0 {
				time.Sleep(time.Duration(round%200) * time.Microsecond / 4)
			}
			dropped := w.Close()
			<-done
			<-done
			require.NoError(t, r.Run(nothingToDo))
			require.EqualValues(t, accepted.Load(), events.Load()+int64(dropped))
		}
		assert.Zero(t, r.Stats().Sources)
	}
}
