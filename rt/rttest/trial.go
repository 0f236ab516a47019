package rttest

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/encorert/encorert/rt"
)

// trial is the testing.TB of a scenario under one seed: what fails there must not fail the test yet, since the report
// comes with the seed.
type trial struct {
	testing.TB
	signature uint64
	hangs     bool
	again     bool // its signature will be compared, whether it fails or not

	mu       sync.Mutex
	failed   bool     // guarded by mu
	skipped  bool     // guarded by mu
	lines    []string // guarded by mu
	cleanups []func() // guarded by mu
}

// hangAfter is how long the runtime must have stood still, with a scenario that has not returned, before that counts as a
// hang: real time, and far more than a loaded machine keeps a goroutine waiting. Writers: tests of this package.
var hangAfter = 3 * time.Second

const (
	// endlessAfter is the limit for one seed that goes on and on.
	endlessAfter = 100 * time.Second
	lookEvery    = 50 * time.Millisecond
)

// run runs a scenario under one seed.
func (tr *trial) run(cfg rt.Config, seed uint64, scenario func(t testing.TB, r *rt.Runtime)) *trial {
	t := tr.TB
	t.Helper()
	cfg.Seed = seed
	r, err := rt.New(cfg)
	if err != nil {
		t.Fatalf("rttest: %v", err)
	}
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		defer tr.caught()
		scenario(tr, r)
	}()
	if !tr.watch(r, returned) {
		tr.hangs = true
		return tr // and leave it alone: what is stuck cannot be closed
	}
	if p, ok := errors.AsType[*rt.PanicError](r.Err()); ok && !tr.Failed() && !tr.Skipped() {
		tr.Errorf("%v\n%s", p, p.Stack)
	}
	if (tr.Failed() || tr.again) && !tr.hangs {
		settle(r)
	}
	tr.signature = r.Signature()
	_ = r.Close() // nil
	tr.cleanUp()
	return tr
}

// settle lets what a scenario has begun come to its end, so that its signature can be compared with another.
func settle(r *rt.Runtime) {
	end := make(chan struct{})
	go func() {
		defer close(end)
		_ = r.Run(func(**rt.Ctx) {}) // what it says is not asked for
	}()
	select {
	case <-end:
	case <-time.After(hangAfter): // something holds the run open
	}
}

// caught makes a failure of a panic of the scenario.
func (t *trial) caught() {
	if value := recover(); value != nil {
		t.fail(fmt.Sprintf("the scenario panics: %v\n%s", value, debug.Stack()))
	}
}

// watch waits for the scenario, and reports whether the runtime may be closed.
func (t *trial) watch(r *rt.Runtime, returned <-chan struct{}) bool {
	look := time.NewTimer(lookEvery)
	defer look.Stop()
	begin := time.Now()
	moved, signature := begin, r.Signature()
	for {
		select {
		case <-returned:
			return true
		case <-look.C:
		}
		now := time.Now()
		if s := r.Signature(); s != signature {
			moved, signature = now, s
		}
		switch {
		case now.Sub(moved) > hangAfter:
			return t.hang(r, returned)
		case now.Sub(begin) > endlessAfter:
			t.fail(fmt.Sprintf("it goes on and on: not at its end after %v\n%s", endlessAfter, stacks()))
			return false
		}
		look.Reset(lookEvery)
	}
}

// hang reports a scenario that has not returned although nothing moves.
func (t *trial) hang(r *rt.Runtime, returned <-chan struct{}) bool {
	end := make(chan error, 1)
	go func() { end <- r.Run(func(**rt.Ctx) {}) }() // which tells who waits
	select {
	case err := <-end:
		if err == nil {
			err = errors.New("no behaviour waits for anything")
		}
		t.hangs = true
		t.fail(fmt.Sprintf("it hangs: nothing moves, and the scenario has not returned: %v", err))
	case <-returned: // late
		return true
	case <-time.After(hangAfter):
		t.fail("it hangs: a behaviour or the scenario keeps everybody waiting\n" + stacks())
		return false
	}
	_ = r.Close() // nil; it ends what the scenario waits for, if that is of the runtime
	select {
	case <-returned:
	case <-time.After(hangAfter):
	}
	return true
}

func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

func (t *trial) fail(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = true
	t.lines = append(t.lines, line)
}

// note adds a line with the place of the caller's caller.
func (t *trial) note(text string) {
	if _, file, line, ok := runtime.Caller(2); ok {
		text = fmt.Sprintf("%s:%d: %s", filepath.Base(file), line, text)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, strings.TrimRight(text, "\n"))
}

func (t *trial) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}

func (t *trial) cleanUp() {
	for {
		t.mu.Lock()
		n := len(t.cleanups)
		if n == 0 {
			t.mu.Unlock()
			return
		}
		f := t.cleanups[n-1]
		t.cleanups = slices.Delete(t.cleanups, n-1, n)
		t.mu.Unlock()
		f()
	}
}

// What follows is testing.TB.

func (t *trial) Helper() {}

func (t *trial) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

func (t *trial) Fail() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = true
}

func (t *trial) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

func (t *trial) FailNow() {
	t.Fail()
	runtime.Goexit()
}

func (t *trial) SkipNow() {
	t.mu.Lock()
	t.skipped = true
	t.mu.Unlock()
	runtime.Goexit()
}

func (t *trial) Skipped() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.skipped
}

func (t *trial) Log(args ...any)                 { t.note(fmt.Sprintln(args...)) }
func (t *trial) Logf(format string, args ...any) { t.note(fmt.Sprintf(format, args...)) }

func (t *trial) Error(args ...any)                 { t.note(fmt.Sprintln(args...)); t.Fail() }
func (t *trial) Errorf(format string, args ...any) { t.note(fmt.Sprintf(format, args...)); t.Fail() }

func (t *trial) Fatal(args ...any)                 { t.note(fmt.Sprintln(args...)); t.FailNow() }
func (t *trial) Fatalf(format string, args ...any) { t.note(fmt.Sprintf(format, args...)); t.FailNow() }

func (t *trial) Skip(args ...any)                 { t.note(fmt.Sprintln(args...)); t.SkipNow() }
func (t *trial) Skipf(format string, args ...any) { t.note(fmt.Sprintf(format, args...)); t.SkipNow() }
