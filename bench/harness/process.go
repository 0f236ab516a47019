package harness

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ChildError says that a variant's process failed: it could not be started, ended, ran out of time, or
// said what the protocol does not have.
type ChildError struct {
	Variant string
	Stderr  string // start and end of what the process wrote there
	Err     error
}

func (e *ChildError) Error() string {
	text := fmt.Sprintf("variant %s: %v", e.Variant, e.Err)
	if e.Stderr != "" {
		text += "\non stderr it said:\n    " + strings.ReplaceAll(e.Stderr, "\n", "\n    ")
	}
	return text
}

func (e *ChildError) Unwrap() error { return e.Err }

// reason is the failure in one line.
func (e *ChildError) reason() string {
	first, _, _ := strings.Cut(e.Stderr, "\n")
	if first == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("%v (%s)", e.Err, first)
}

// CountError says that a repetition did not do the work it was to do.
type CountError struct {
	Variant   string
	Got, Want int64
}

func (e *CountError) Error() string {
	return fmt.Sprintf("variant %s counted %d where the job has %d: it did not do the work, its time means nothing", e.Variant, e.Got, e.Want)
}

var (
	errTimeout = errors.New("no answer in time")
	errGarbage = errors.New("wrote to stdout what no request asked for")
)

// process is a variant's running child, seen from the parent. One goroutine uses it.
type process struct {
	variant string
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stderr  *tail
	cancel  context.CancelFunc
	// lines carries the child's answers from the goroutine that reads stdout, which closes it at the end
	// of stdout, having set readErr.
	lines   chan []byte
	readErr error
	reps    int
}

// patience is how long a child may take to end after its stdin was closed or it was killed; picked.
const patience = 5 * time.Second

// start starts a variant's process. It is killed when stdctx ends.
func start(stdctx context.Context, variant string, l Launch) (*process, error) {
	if len(l.Args) == 0 {
		return nil, &ChildError{Variant: variant, Err: errors.New("no command to run")}
	}
	stdctx, cancel := context.WithCancel(stdctx)
	p := &process{variant: variant, stderr: &tail{}, cancel: cancel, lines: make(chan []byte)}
	p.cmd = exec.CommandContext(stdctx, l.Args[0], l.Args[1:]...)
	p.cmd.Env = append(os.Environ(), l.Env...)
	p.cmd.Stderr = p.stderr
	p.cmd.WaitDelay = patience
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, &ChildError{Variant: variant, Err: err}
	}
	p.stdin = stdin
	// A pipe of our own and not StdoutPipe, which Wait may close under the reader.
	out, in, err := os.Pipe()
	if err != nil {
		cancel()
		return nil, &ChildError{Variant: variant, Err: err}
	}
	p.cmd.Stdout = in
	err = p.cmd.Start()
	in.Close() // the child has its own copy
	if err != nil {
		out.Close()
		cancel()
		return nil, &ChildError{Variant: variant, Err: fmt.Errorf("starting it: %w", err)}
	}
	go p.read(stdctx, out)
	return p, nil
}

// read passes stdout on, line by line.
func (p *process) read(stdctx context.Context, out *os.File) {
	defer close(p.lines)
	defer out.Close()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		select {
		case p.lines <- bytes.Clone(lines.Bytes()):
		case <-stdctx.Done():
			p.readErr = stdctx.Err()
			return
		}
	}
	p.readErr = lines.Err()
}

// repeat asks for one repetition and waits for the answer, at most timeout, passing notes on. After an error
// the process is gone: the caller must not use p again.
func (p *process) repeat(stdctx context.Context, timeout time.Duration, note func(text string)) (Repetition, error) {
	p.reps++
	clock := time.NewTimer(timeout)
	defer clock.Stop()
	// A write of some bytes does not block: the pipe is empty, because each request is answered first.
	line, err := json.Marshal(request{Rep: p.reps})
	if err != nil {
		return Repetition{}, err
	}
	_, writeErr := p.stdin.Write(append(line, '\n'))
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				return Repetition{}, p.died(errors.Join(p.readErr, ignoreBrokenPipe(writeErr)))
			}
			rep, text, err := parseAnswer(line)
			if err != nil {
				return Repetition{}, p.kill(err)
			}
			if text != "" {
				note(text)
				continue
			}
			if rep.RSSKiB == 0 {
				rep.RSSKiB = peakOfProcess(p.cmd.Process.Pid)
			}
			return rep, nil
		case <-clock.C:
			return Repetition{}, p.kill(fmt.Errorf("%w: repetition %d took over %v", errTimeout, p.reps, timeout))
		case <-stdctx.Done():
			return Repetition{}, p.kill(context.Cause(stdctx))
		}
	}
}

// ignoreBrokenPipe drops the error of a write to a process that has ended: its status says more.
func ignoreBrokenPipe(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// died reports a process whose stdout has ended without an answer.
func (p *process) died(also error) error {
	defer p.cancel()
	p.stdin.Close()
	defer time.AfterFunc(patience, p.cancel).Stop()
	err := p.cmd.Wait()
	if err == nil {
		err = errors.New("status 0")
	}
	return &ChildError{Variant: p.variant, Stderr: p.stderr.String(),
		Err: errors.Join(fmt.Errorf("its process ended in repetition %d: %w", p.reps, err), also)}
}

// kill ends the process and returns why as a *ChildError.
func (p *process) kill(why error) error {
	p.cancel()
	_ = p.cmd.Wait() // it was killed: its status says nothing new
	return &ChildError{Variant: p.variant, Stderr: p.stderr.String(), Err: why}
}

// stop closes stdin and waits for the process to end by itself; it is killed if it takes longer than patience.
func (p *process) stop() error {
	defer p.cancel()
	p.stdin.Close()
	defer time.AfterFunc(patience, p.cancel).Stop()
	line, more := <-p.lines
	if more {
		return p.kill(fmt.Errorf("%w: %q", errGarbage, clip(line)))
	}
	if err := p.cmd.Wait(); err != nil {
		return &ChildError{Variant: p.variant, Stderr: p.stderr.String(), Err: fmt.Errorf("ending: %w", err)}
	}
	return nil
}

// tail keeps the start and the end of what is written to it, keep bytes each: a Go panic says at its start
// what was wrong, other programs at their end.
type tail struct {
	mu      sync.Mutex // exec's copier writes while the parent may read
	head    []byte
	end     []byte
	skipped bool
}

// keep is picked; it holds a panic's text and its first stack.
const keep = 2 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if room := keep - len(t.head); room > 0 {
		room = min(room, len(b))
		t.head = append(t.head, b[:room]...)
		b = b[room:]
	}
	t.end = append(t.end, b...)
	if extra := len(t.end) - keep; extra > 0 {
		t.end = append(t.end[:0], t.end[extra:]...)
		t.skipped = true
	}
	return n, nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.head)
	if t.skipped {
		text += "\n[...]\n"
	}
	return strings.TrimSpace(text + string(t.end))
}
