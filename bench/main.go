// Command bench is the program that `encorert bench` builds and runs: the benchmarks of this module with
// their peers. It is a program of its own so that the encorert command builds when generated code does not.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/encorert/encorert/bench/answers"
	"github.com/encorert/encorert/bench/contend"
	"github.com/encorert/encorert/bench/dispatch"
	"github.com/encorert/encorert/bench/forkjoin"
	"github.com/encorert/encorert/bench/gcbench"
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/heaps"
	"github.com/encorert/encorert/bench/messages"
	"github.com/encorert/encorert/bench/promises"
	"github.com/encorert/encorert/bench/sleep"
	"github.com/encorert/encorert/bench/spawn"
	"github.com/encorert/encorert/bench/spread"
	"github.com/encorert/encorert/bench/tasks"
	"github.com/encorert/encorert/bench/ubench"
)

func main() {
	stdctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	workloads := []harness.Workload{
		gcbench.Workload(), heaps.BinaryTrees(), heaps.Mutate(), heaps.Aging(), heaps.Churn(), heaps.Actors(),
		ubench.Workload(), messages.PingPong(), messages.Ring(), messages.FanIn(),
		contend.Workload(), spread.Workload(), sleep.Idle(), sleep.Wake(), tasks.Workload(), forkjoin.Workload(), dispatch.Workload(), answers.Workload(), spawn.Workload(),
	}
	program := harness.Program(workloads...)
	program.Commands = append(program.Commands, promises.Command(workloads...))
	program.Reader, program.Writer, program.ErrWriter = os.Stdin, os.Stdout, os.Stderr
	err := program.Run(stdctx, os.Args)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "encorert bench:", err)
	}
	os.Exit(harness.Status(err))
}
