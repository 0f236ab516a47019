// Command protoactor plays the workloads on github.com/asynkron/protoactor-go.
package main

import (
	"io"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/encorert/encorert/bench/peers/library"
)

func main() {
	library.Main(library.Library{Name: "protoactor", Start: start})
}

type system struct{ system *actor.ActorSystem }

func start() (library.System, error) {
	quiet := func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }
	return system{actor.NewActorSystem(actor.WithLoggerFactory(quiet))}, nil
}

func (s system) Spawn(receive library.Receive) (library.Ref, error) {
	props := actor.PropsFromProducer(func() actor.Actor { return &receiver{receive: receive} })
	return s.system.Root.Spawn(props), nil
}

func (s system) Send(to library.Ref, message any) { s.system.Root.Send(to.(*actor.PID), message) }

func (s system) Close() error {
	s.system.Shutdown()
	return nil
}

// receiver is an actor, and the context that its messages are handled with.
type receiver struct {
	receive library.Receive
	context actor.Context
}

func (r *receiver) Receive(c actor.Context) {
	r.context = c
	r.receive(r, c.Message())
}

func (r *receiver) Send(to library.Ref, message any) { r.context.Send(to.(*actor.PID), message) }
func (r *receiver) Respond(message any)              { r.context.Respond(message) }
func (r *receiver) StopSelf()                        { r.context.Stop(r.context.Self()) }
func (r *receiver) Ask(to library.Ref, message any) (any, error) {
	return r.context.RequestFuture(to.(*actor.PID), message, library.Patience).Result()
}
