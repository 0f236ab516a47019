// Package library runs the workloads on actor libraries: what the workloads need of a library is a small interface, so
// that they are written once. An adapter costs a call through a function value for each message, some 2 of the 300 to
// 2000 ns that these libraries take.
//
// Messages are pointers that are passed on, not made anew for each send: that is the kindest way to libraries whose
// messages are values of type any.
package library

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/encorert/encorert/bench/harness"
)

// Ref names an actor: a library's *PID.
type Ref any

// Context is what an actor may do while it handles a message. It is good until the message has been handled.
type Context interface {
	Send(to Ref, message any)
	Respond(message any)
	Ask(to Ref, message any) (any, error) // waits
	StopSelf()
}

// Receive handles an actor's messages, the library's own ones included.
type Receive func(c Context, message any)

// System is a running library. Its methods are called from outside of actors.
type System interface {
	Spawn(receive Receive) (Ref, error)
	Send(to Ref, message any)
	Close() error
}

// Library is an actor library.
type Library struct {
	Name  string
	Start func() (System, error)
}

// Patience is how long an Ask waits: far longer than it takes on a busy machine, so that none fails.
const Patience = 30 * time.Second

// Main is the main function of a library's program, which plays that variant of all workloads.
func Main(l Library) {
	program := harness.Program(
		harness.Workload{Name: "ubench", Child: harness.Players[pingParams]{l.Name: l.ubench}.Child},
		harness.Workload{Name: "pingpong", Child: harness.Players[ringParams]{l.Name: l.ring}.Child},
		harness.Workload{Name: "ring", Child: harness.Players[ringParams]{l.Name: l.ring}.Child},
		harness.Workload{Name: "ask", Child: harness.Players[Count]{l.Name: l.ask}.Child},
		harness.Workload{Name: "spawn", Child: harness.Players[Count]{l.Name: l.spawn}.Child},
	)
	program.Reader, program.Writer, program.ErrWriter = os.Stdin, os.Stdout, os.Stderr
	err := program.Run(context.Background(), os.Args)
	if err != nil {
		fmt.Fprintln(os.Stderr, l.Name+":", err)
	}
	os.Exit(harness.Status(err))
}

// repeat runs each repetition on a system of its own.
func (l Library) repeat(job func(System) (harness.Repetition, error)) harness.Repeat {
	return func() (harness.Repetition, error) {
		s, err := l.Start()
		if err != nil {
			return harness.Repetition{}, fmt.Errorf("starting %s: %w", l.Name, err)
		}
		rep, err := job(s)
		if closed := s.Close(); err == nil {
			err = closed
		}
		return rep, err
	}
}

// spawnAll starts n actors.
func spawnAll(s System, n int, receive func(i int) Receive) ([]Ref, error) {
	refs := make([]Ref, n)
	for i := range refs {
		ref, err := s.Spawn(receive(i))
		if err != nil {
			return nil, err
		}
		refs[i] = ref
	}
	return refs, nil
}

func repetition(count int64, took time.Duration) harness.Repetition {
	return harness.Repetition{Millis: took.Seconds() * 1000, Count: count}
}
