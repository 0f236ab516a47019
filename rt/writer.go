package rt

import (
	"errors"
	"fmt"
	"io"
	"unsafe"
)

// ErrWriterFull is what Writer.Write returns while too much waits to be written.
var ErrWriterFull = errors.New("rt: too much waits to be written")

// Writer writes, in order, what behaviours or goroutines outside give it, and has an event for each write. It holds the
// run open while it has something to write or an event to come, and not in between.
type Writer struct {
	source
	to    io.Writer
	f     func(cctx **Ctx, b []byte, err error)
	limit int

	queue   fifo[[]byte]  // not begun to be written; guarded by mu
	written fifo[written] // events that have not begun; guarded by mu
	bytes   int           // of writes whose events have not begun; guarded by mu
	writes  int           // likewise; open while there are some; guarded by mu
	writing bool          // a goroutine does; guarded by mu
	err     error         // why nothing more can be written; guarded by mu
}

type written struct {
	b   []byte
	err error
}

var (
	writerType  = ActorType{Name: "rt.WriteTo"}
	writerEvent = Behaviour{Name: "written", Run: runWriter}
)

// WriteTo makes a Writer to w. For each Write, f runs as a behaviour: with the bytes that were given, which are the
// caller's again, and nil if all of them were written. After the first error nothing more is written: what waits has
// events with the same error, and further Writes return it.
//
// At most limit bytes wait at once, counted from Write until their event begins; but one write, of any length, always
// may. A leaf. The error says what argument is wrong, or why the runtime has stopped. w is never closed. f names actors by
// the handles it captures; it must not capture objects of an actor's heap.
func WriteTo(ctx *Ctx, w io.Writer, limit int, f func(cctx **Ctx, b []byte, err error)) (*Writer, error) {
	switch err := ctx.outside(); {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, errNoFunction
	case w == nil:
		return nil, errors.New("rt: the writer is nil")
	case limit <= 0:
		return nil, fmt.Errorf("rt: the limit of a Writer is %d bytes, want more than 0", limit)
	}
	s := &Writer{to: w, f: f, limit: limit}
	s.init(ctx, &writerType, &writerEvent, s)
	return s, nil
}

// Write has b written, after all that was given before, and never waits. From anywhere. The caller must leave b alone
// until its event. It returns ErrWriterFull when more than the limit would wait, and there is room again when the next
// event begins; ErrSourceClosed after Close; the error of a write that has failed; or why the runtime has stopped. There
// is no event for b then. A behaviour that has sent something before calls Flush in between, if the event must not
// overtake that.
func (s *Writer) Write(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	rt := s.actor.rt
	switch size := max(len(b), 1); {
	case rt.Err() != nil:
		return rt.Err()
	case s.err != nil:
		return s.err
	case s.writes > 0 && s.bytes+size > s.limit:
		return ErrWriterFull
	case !s.open:
		if err := s.begin(); err != nil {
			return err
		}
		fallthrough
	default:
		s.bytes += size
		s.writes++
	}
	s.queue.push(b)
	if !s.writing {
		s.writing = true
		go s.writeAll()
	}
	return nil
}

// writeAll writes until nothing waits.
func (s *Writer) writeAll() {
	for {
		s.mu.Lock()
		if s.err != nil || s.queue.len() == 0 {
			s.writing = false
			s.mu.Unlock()
			return
		}
		b := s.queue.pop()
		s.mu.Unlock()
		s.write(b)
	}
}

func (s *Writer) write(b []byte) {
	var err error
	defer func() { s.wrote(b, err) }() // also after a Goexit in Write
	guarded(&err, &writerType, "Write", func() error {
		n, err := s.to.Write(b)
		if err == nil && n != len(b) {
			err = io.ErrShortWrite
		}
		return err
	})
}

// wrote has an event run for a write, and after an error for all that wait.
func (s *Writer) wrote(b []byte, err error) {
	s.mu.Lock()
	if s.err != nil { // closed meanwhile
		s.mu.Unlock()
		return
	}
	s.written.push(written{b, err})
	if err != nil {
		s.err = err
		for s.queue.len() > 0 {
			s.written.push(written{s.queue.pop(), err})
		}
	}
	first := s.tell()
	s.mu.Unlock()
	if first {
		s.post()
	}
}

func runWriter(cctx **Ctx, a *Actor, _ *Message) {
	s := (*Writer)(unsafe.Pointer(a))
	s.mu.Lock()
	due := s.written.len() > 0
	w := s.written.pop()
	s.told = s.written.len() > 0
	more := s.told
	idle := false
	if due {
		s.bytes -= max(len(w.b), 1)
		s.writes--
		if idle = s.writes == 0; idle {
			s.end()
		}
	}
	s.mu.Unlock()
	if more {
		s.again(*cctx)
	}
	if idle {
		s.actor.rt.release() // the running behaviour keeps the run open
	}
	if due {
		s.f(cctx, w.b, w.err)
	}
}

// Close ends the Writer: once it has returned, no event begins that had not begun, and no write but the one that may be
// under way. It reports how many writes have no event so (Stats counts them). From anywhere; calls after the first return
// 0. To write all that waits first, close in the event of the last.
func (s *Writer) Close() int {
	s.mu.Lock()
	if s.err == nil {
		s.err = ErrSourceClosed
	}
	if !s.open {
		s.mu.Unlock()
		return 0
	}
	n := s.writes
	s.queue.drop()
	s.written.drop()
	s.bytes, s.writes = 0, 0
	s.end()
	s.mu.Unlock()
	s.actor.rt.dropped(n)
	return n
}
