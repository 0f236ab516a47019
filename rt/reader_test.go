package rt_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// readerFunc makes a reader of a function.
type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// Whatever a reader does, its bytes come in order, then its error as the last event, and then the run ends.
func TestReadFrom(t *testing.T) {
	boom := errors.New("boom")
	text := strings.Repeat("0123456789", 50)
	for name, c := range map[string]struct {
		r    io.Reader
		want string
		err  error
		says string
	}{
		"text":               {strings.NewReader(text), text, io.EOF, "EOF"},
		"one byte at a time": {iotest.OneByteReader(strings.NewReader(text)), text, io.EOF, "EOF"},
		"the last bytes come with the error": {
			iotest.DataErrReader(strings.NewReader(text)), text, io.EOF, "EOF",
		},
		"an error":    {io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(boom)), "abc", boom, "boom"},
		"no bytes":    {strings.NewReader(""), "", io.EOF, "EOF"},
		"a time-out":  {iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("abc"))), "a", iotest.ErrTimeout, "timeout"},
		"no progress": {readerFunc(func([]byte) (int, error) { return 0, nil }), "", io.ErrNoProgress, "no data or error"},
		"a panic": {
			readerFunc(func([]byte) (int, error) { panic(boom) }), "", boom, "rt: panic in rt.ReadFrom.Read: boom",
		},
		"Goexit": {
			readerFunc(func([]byte) (int, error) { runtime.Goexit(); return 0, nil }), "", rt.ErrGoexit, "rt.ReadFrom.Read",
		},
		"too many bytes": {readerFunc(func(b []byte) (int, error) { return len(b) + 1, nil }), "", nil, "returned 8 of at most 7"},
		"negative bytes": {readerFunc(func(b []byte) (int, error) { return -1, nil }), "", nil, "returned -1 of"},
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			var last error
			require.NoError(t, run(t, rt.Config{Workers: 2}, func(cctx **rt.Ctx) {
				_, err := rt.ReadFrom(*cctx, c.r, 7, func(cctx **rt.Ctx, _ *rt.Reader, b []byte, err error) {
					assert.NoError(t, last, "an event after the last")
					assert.Equal(t, err == nil, len(b) > 0)
					got.Write(b)
					last = err
				})
				assert.NoError(t, err)
			}))
			assert.Equal(t, c.want, got.String())
			assert.ErrorContains(t, last, c.says)
			if c.err != nil {
				assert.ErrorIs(t, last, c.err)
			}
		})
	}
}

// The next block is read after the behaviour has returned, and not before, also if it waits or panics: its bytes stay.
func TestReaderWaitsForTheBehaviour(t *testing.T) {
	var handling atomic.Bool
	reads := 0
	from := readerFunc(func(b []byte) (int, error) {
		if handling.Load() {
			t.Error("it reads on while the block is handled")
		}
		if reads++; reads > 40 {
			return 0, io.EOF
		}
		return copy(b, bytes.Repeat([]byte{byte(reads)}, len(b))), nil
	})
	events, panics := 0, 0
	err := run(t, rt.Config{Workers: 2, OnPanic: func(*rt.PanicError) { panics++ }}, func(cctx **rt.Ctx) {
		rt.ReadFrom(*cctx, from, 10, func(cctx **rt.Ctx, _ *rt.Reader, b []byte, err error) {
			if err != nil {
				return
			}
			handling.Store(true)
			defer handling.Store(false)
			events++
			switch events % 4 {
			case 0:
				panic("boom")
			case 1:
				g := new(gate)
				spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) { g.unlock(*cctx) })
				assert.NoError(t, rt.Await(cctx, g))
			case 2:
				assert.NoError(t, rt.Suspend(cctx))
			}
			assert.Equal(t, bytes.Repeat([]byte{byte(events)}, 10), b)
		})
	})
	require.NoError(t, err)
	assert.Equal(t, 40, events)
	assert.Equal(t, 10, panics)
}

// A reader is closed while it sits in Read: the run ends at once, and what Read returns later is dropped.
func TestCloseDuringARead(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 1})
	from, to := io.Pipe()
	var events []string
	var reader *rt.Reader
	end := make(chan error, 1)
	go func() {
		end <- r.Run(func(cctx **rt.Ctx) {
			reader, _ = rt.ReadFrom(*cctx, from, 10, func(cctx **rt.Ctx, _ *rt.Reader, b []byte, err error) {
				events = append(events, string(b))
			})
		})
	}()
	to.Write([]byte("first"))
	within(t, func() {
		for r.Stats().Messages < 2 {
			runtime.Gosched()
		}
	})
	asleep(t, r)
	assert.Zero(t, reader.Close(), "nothing had come")
	assert.Zero(t, reader.Close())
	within(t, func() { require.NoError(t, <-end) })
	to.Write([]byte("second"))
	within(t, func() {
		for r.Stats().EventsDropped < 1 {
			runtime.Gosched()
		}
	})
	require.NoError(t, r.Run(nothingToDo))
	assert.Equal(t, []string{"first"}, events)
}

// Files are closed and opened again while their readers' events are in flight. The system gives the same number to the
// next: no byte reaches the reader of another.
func TestReadersOfReusedDescriptors(t *testing.T) {
	rounds := hammer.Rounds(400, 40_000)
	defer hammer.Watch(t, hammer.Limit)()
	numbers := map[uintptr]int{}
	for _, n := range []int{1, 2} {
		r := runtimeOf(t, rt.Config{Workers: n})
		var right, last atomic.Int64
		for round := range rounds {
			from, to, err := os.Pipe()
			require.NoError(t, err)
			numbers[from.Fd()]++
			mine := byte(round)
			began := make(chan struct{}, 1)
			var closed atomic.Bool
			var after atomic.Int64
			var reader *rt.Reader
			require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
				reader, err = rt.ReadFrom(*cctx, from, 2, func(_ **rt.Ctx, _ *rt.Reader, b []byte, err error) {
					if closed.Load() {
						after.Add(1)
					}
					if err != nil {
						last.Add(1)
						return
					}
					for _, x := range b {
						if x != mine {
							t.Errorf("a byte of %d came to the reader of %d", x, mine)
						}
						right.Add(1)
					}
					select {
					case began <- struct{}{}:
					default:
					}
				})
			}))
			require.NoError(t, err)
			_, err = to.Write(bytes.Repeat([]byte{mine}, 20))
			require.NoError(t, err)
			if round%3 == 0 {
				<-began
			}
			if round%2 == 0 { // the file first
				from.Close()
				reader.Close()
			} else {
				reader.Close()
				from.Close()
			}
			closed.Store(true)
			to.Close()
			if round%7 == 0 {
				require.NoError(t, r.Run(nothingToDo))
				require.LessOrEqual(t, after.Load(), int64(1), "only what had begun goes on")
			}
		}
		require.NoError(t, r.Run(nothingToDo))
		assert.NotZero(t, right.Load())
		assert.Zero(t, r.Stats().Sources)
	}
	most := 0
	for _, uses := range numbers {
		most = max(most, uses)
	}
	assert.Greater(t, most, 1, "no number was used again: nothing was tested")
}
