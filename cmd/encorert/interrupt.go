package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// endSignal is the signal that ended a command early.
type endSignal struct{ os.Signal }

func (s endSignal) Error() string {
	if s.Signal == syscall.SIGTERM {
		return "terminated"
	}
	return "interrupted"
}

// untilSignal ends a context with an endSignal as its cause. (signal.NotifyContext tells the signal only as
// text, and it has to be passed on.)
func untilSignal(parent context.Context) (stdctx context.Context, stop func()) {
	stdctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			cancel(endSignal{s})
		case <-stdctx.Done():
		}
	}()
	return stdctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// commandUntil is a process that gets the signal that ends stdctx, so that it can end its own children.
func commandUntil(stdctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(stdctx, name, args...)
	cmd.Cancel = func() error {
		if runtime.GOOS == "windows" { // has no signals
			return cmd.Process.Kill()
		}
		return cmd.Process.Signal(causeOf(stdctx).Signal)
	}
	cmd.WaitDelay = 15 * time.Second // picked; the benchmark program gives each of its children 5
	return cmd
}

// causeOf is the signal that ended stdctx. One that its parent noticed first was an interrupt: main waits for
// no other.
func causeOf(stdctx context.Context) endSignal {
	if s, ok := errors.AsType[endSignal](context.Cause(stdctx)); ok {
		return s
	}
	return endSignal{os.Interrupt}
}

// endedEarly reports whether a signal is why err came. A terminal sends an interrupt to all processes at once,
// so a child may have died of it before this process has noticed its own.
func endedEarly(stdctx context.Context, err error) (why endSignal, ended bool) {
	if err == nil {
		return endSignal{}, false
	}
	if stdctx.Err() != nil {
		return causeOf(stdctx), true
	}
	died, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return endSignal{}, false
	}
	status, ok := died.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGINT {
		return endSignal{}, false
	}
	return endSignal{os.Interrupt}, true
}
