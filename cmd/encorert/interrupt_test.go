package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// script writes a shell script that says that it runs by making the file started.
func script(t *testing.T, name, text string) (path, started string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	started = filepath.Join(t.TempDir(), "started")
	text = "#!/bin/sh\n" + strings.ReplaceAll(text, "STARTED", ": > '"+started+"'")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	return path, started
}

// signalOnce sends this process a signal as soon as the file started is there.
func signalOnce(started string, s os.Signal) {
	go func() {
		for ; ; time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(started); err == nil {
				break
			}
		}
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Signal(s)
		}
	}()
}

func TestBenchInterruptedWhileBuilding(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // has no signals to pass on
	}
	for _, c := range []struct {
		signal os.Signal
		want   string
	}{
		{os.Interrupt, "encorert bench: interrupted\n"},
		{syscall.SIGTERM, "encorert bench: terminated\n"},
	} {
		goCommand, started := script(t, "go", "STARTED\nexec sleep 60\n")
		t.Setenv("PATH", filepath.Dir(goCommand)+string(filepath.ListSeparator)+os.Getenv("PATH"))
		signalOnce(started, c.signal)
		_, said, err := runBench(t, "list")
		require.Equal(t, programStatus(1), err)
		require.Equal(t, c.want, said)
	}
}

// A child that a terminal's interrupt has killed before this process has noticed its own.
func TestBenchBuildDiesOfAnInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	goCommand, _ := script(t, "go", "kill -INT $$\n")
	t.Setenv("PATH", filepath.Dir(goCommand)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	_, said, err := runBench(t, "list")
	require.Equal(t, programStatus(1), err)
	require.Equal(t, "encorert bench: interrupted\n", said)
}

func TestBenchPassesSignalsOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	goCommand, err := exec.LookPath("go")
	require.NoError(t, err)
	source, err := findBench(t.Context(), goCommand, t.TempDir())
	require.NoError(t, err)
	program := filepath.Join(t.TempDir(), "bench")
	require.NoError(t, source.build(t.Context(), program))
	for _, c := range []struct {
		signal os.Signal
		want   string
	}{
		{os.Interrupt, "encorert bench: gcbench: interrupted: interrupt signal received\n"},
		{syscall.SIGTERM, "encorert bench: gcbench: interrupted: terminated signal received\n"},
	} {
		peer, started := script(t, "peer", "STARTED\nexec sleep 60\n")
		signalOnce(started, c.signal)
		stdctx, stop := untilSignal(t.Context())
		var out, said bytes.Buffer
		err := benchRun{in: strings.NewReader(""), out: &out, err: &said}.runProgram(stdctx, program,
			[]string{"gcbench", "--variants=mine", "--peer=mine=" + peer})
		stop()
		require.Equal(t, programStatus(1), err)
		require.Equal(t, c.want, said.String())
		require.Empty(t, out.String())
	}
}

func TestEndedEarly(t *testing.T) {
	stdctx, cancel := context.WithCancelCause(t.Context())
	_, ended := endedEarly(stdctx, fmt.Errorf("broken"))
	require.False(t, ended)
	cancel(fmt.Errorf("main has noticed it first"))
	_, ended = endedEarly(stdctx, nil)
	require.False(t, ended, "done in spite of it")
	why, ended := endedEarly(stdctx, fmt.Errorf("broken"))
	require.True(t, ended)
	require.EqualError(t, why, "interrupted")
}
