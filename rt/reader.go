package rt

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"unsafe"
)

// Reader is an event source that reads. It holds the run open until it is closed.
type Reader struct {
	source
	from io.Reader
	f    func(cctx **Ctx, r *Reader, b []byte, err error)
	buf  []byte // Owner: the goroutine that reads; from tell until handled, the behaviour

	block []byte // what was read; guarded by mu
	err   error  // why there is no more; guarded by mu
	due   bool   // block or err has not been handed on; implies open; guarded by mu

	handled chan struct{} // of one place: the behaviour has done with buf
	closed  chan struct{}
}

var (
	readerType  = ActorType{Name: "rt.ReadFrom"}
	readerEvent = Behaviour{Name: "block", Run: runReader}
)

// emptyReads is how often a reader may return nothing and no error in a row, as in package bufio.
const emptyReads = 100

// ReadFrom reads blocks of up to size bytes from r, on a goroutine of its own, and has f run with each, as a behaviour. f is given the Reader,
// since it may run before ReadFrom has returned.
// The next block is read only after f has returned: what f cannot keep up with waits in r. The bytes belong to f until it
// returns, also while it waits; what is to be kept must be copied.
//
// The last event has an error and no bytes: io.EOF, or what else r returned, or a *PanicError if it panicked. The source
// is closed then. r is not closed. A leaf. The error of ReadFrom says what argument is wrong, or why the runtime has
// stopped. f names actors by the handles it captures; it must not capture objects of an actor's heap.
func ReadFrom(ctx *Ctx, r io.Reader, size int, f func(cctx **Ctx, r *Reader, b []byte, err error)) (*Reader, error) {
	switch err := ctx.outside(); {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, errNoFunction
	case r == nil:
		return nil, errors.New("rt: the reader is nil")
	case size <= 0:
		return nil, fmt.Errorf("rt: the size of a block is %d, want more than 0", size)
	}
	s := &Reader{
		from: r, f: f, buf: make([]byte, size),
		handled: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	s.init(ctx, &readerType, &readerEvent, s)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(); err != nil {
		return nil, err
	}
	go s.readAll()
	return s, nil
}

func (s *Reader) readAll() {
	var err error
	defer func() { // also after a Goexit in Read
		if err != nil {
			s.offer(nil, err)
		}
	}()
	for err == nil {
		n := s.read(&err)
		if n > 0 && !s.offer(s.buf[:n], nil) {
			err = nil
			return
		}
	}
}

// read returns some bytes, or sets err, or both.
func (s *Reader) read(err *error) (n int) {
	for range emptyReads {
		guarded(err, &readerType, "Read", func() (err error) {
			n, err = s.from.Read(s.buf)
			return err
		})
		if n < 0 || n > len(s.buf) {
			*err = fmt.Errorf("rt: the reader returned %d of at most %d bytes", n, len(s.buf))
			return 0
		}
		if n > 0 || *err != nil {
			return n
		}
	}
	*err = io.ErrNoProgress
	return 0
}

// guarded sets err to what f, which is not ours, returns or panics with; after a Goexit too, but then the caller's
// deferred functions come next.
func guarded(err *error, typ *ActorType, name string, f func() error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover()
		if value == nil {
			value = ErrGoexit
		}
		*err = &PanicError{Actor: typ.Name, Behaviour: name, Value: value, Stack: debug.Stack()}
	}()
	*err = f()
	returned = true
}

// offer has an event run and, if it is not the last, waits until it has. It reports whether to go on.
func (s *Reader) offer(block []byte, last error) bool {
	s.mu.Lock()
	if !s.open {
		s.mu.Unlock()
		s.actor.rt.sources.dropped.Add(1)
		return false
	}
	s.block, s.err, s.due = block, last, true
	first := s.tell()
	s.mu.Unlock()
	if first {
		s.post()
	}
	if last != nil {
		return false
	}
	select {
	case <-s.handled: // pairs with the send in runReader: f has done with the bytes
		return true
	case <-s.closed:
		return false
	}
}

func runReader(cctx **Ctx, a *Actor, _ *Message) {
	s := (*Reader)(unsafe.Pointer(a))
	s.mu.Lock()
	s.told = false
	block, err, due := s.block, s.err, s.due
	s.block, s.due = nil, false
	if due && err != nil {
		s.end()
	}
	s.mu.Unlock()
	switch {
	case !due:
	case err != nil:
		s.actor.rt.release() // the running behaviour keeps the run open
		s.f(cctx, s, nil, err)
	default:
		defer func() { s.handled <- struct{}{} }() // also after a panic
		s.f(cctx, s, block, nil)
	}
}

// Close ends the source: once it has returned, no event begins that had not begun. It reports how many it has so
// dropped (Stats counts them). One that has begun goes on. From anywhere; calls after the first do nothing and return 0.
//
// It neither waits for a Read that is under way, nor ends it: that takes whatever ends it for this kind of r, most often
// closing r, after Close. The goroutine ends when Read returns, and what that has read is dropped.
func (s *Reader) Close() int {
	s.mu.Lock()
	if !s.open {
		s.mu.Unlock()
		return 0
	}
	n := 0
	if s.due {
		n = 1
	}
	s.block, s.due = nil, false
	close(s.closed)
	s.end()
	s.mu.Unlock()
	s.actor.rt.dropped(n)
	return n
}
