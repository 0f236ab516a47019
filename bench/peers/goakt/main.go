// Command goakt plays the workloads on github.com/tochemey/goakt/v4.
package main

import (
	"context"
	"strconv"
	"sync/atomic"

	"github.com/tochemey/goakt/v4/actor"

	"github.com/encorert/encorert/bench/peers/library"
)

func main() {
	library.Main(library.Library{Name: "goakt", Start: start})
}

type system struct {
	system actor.ActorSystem
	names  *atomic.Int64
}

var stdctx = context.Background()

func start() (library.System, error) {
	s, err := actor.NewActorSystem("bench", actor.WithLoggingDisabled())
	if err != nil {
		return nil, err
	}
	return system{s, &atomic.Int64{}}, s.Start(stdctx)
}

func (s system) Spawn(receive library.Receive) (library.Ref, error) {
	name := "actor" + strconv.FormatInt(s.names.Add(1), 10)
	return s.system.Spawn(stdctx, name, &receiver{receive: receive}, actor.WithLongLived())
}

// Send drops the error of a receiver that is not there: the workloads notice what is lost.
func (s system) Send(to library.Ref, message any) { _ = actor.Tell(stdctx, to.(*actor.PID), message) }

func (s system) Close() error { return s.system.Stop(stdctx) }

// receiver is an actor, and the context that its messages are handled with.
type receiver struct {
	receive library.Receive
	context *actor.ReceiveContext
}

func (r *receiver) PreStart(*actor.Context) error { return nil }
func (r *receiver) PostStop(*actor.Context) error { return nil }

func (r *receiver) Receive(c *actor.ReceiveContext) {
	r.context = c
	r.receive(r, c.Message())
}

func (r *receiver) Send(to library.Ref, message any) { r.context.Tell(to.(*actor.PID), message) }
func (r *receiver) Respond(message any)              { r.context.Response(message) }
func (r *receiver) StopSelf()                        { r.context.Shutdown() }

// Ask is by way of the actor's PID and not of its context, which swallows the error.
func (r *receiver) Ask(to library.Ref, message any) (any, error) {
	return r.context.Self().Ask(stdctx, to.(*actor.PID), message, library.Patience)
}
