// Command peers runs encorert's workloads on other actor libraries for Go, beside encorert in the same rounds. It is
// a module of its own, so that encorert depends on none of them. Run it in its folder:
//
//	go run .                          all workloads, one table (two to three minutes)
//	go run . --json                   the same as one JSON object, samples included
//	go run . ubench --pingers 25      one workload with its own flags, as `encorert bench ubench`
//	go run . list
//
// Every library is a program of its own, which is built first: two of them cannot be in one program, since both
// register protocol buffers of the same names. A library that cannot be built is reported as missing.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/messages"
	"github.com/encorert/encorert/bench/peers/own"
	"github.com/encorert/encorert/bench/ubench"
)

func main() {
	stdctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	b := &builder{}
	program := harness.Program(workloads(b)...)
	program.Reader, program.Writer, program.ErrWriter = os.Stdin, os.Stdout, os.Stderr
	addAll(program, workloads(b))
	err := program.Run(stdctx, os.Args)
	stop()
	b.close()
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
	}
	os.Exit(harness.Status(err))
}

func workloads(b *builder) []harness.Workload {
	list := []harness.Workload{ubench.Workload(), messages.PingPong(), messages.Ring(), own.Ask(), own.Spawn()}
	for i, w := range list {
		list[i] = withLibraries(w, b)
	}
	return list
}
