// Command hollywood plays the workloads on github.com/anthdm/hollywood.
package main

import (
	"github.com/anthdm/hollywood/actor"

	"github.com/encorert/encorert/bench/peers/library"
)

func main() {
	library.Main(library.Library{Name: "hollywood", Start: start})
}

type system struct{ engine *actor.Engine }

func start() (library.System, error) {
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	return system{engine}, err
}

func (s system) Spawn(receive library.Receive) (library.Ref, error) {
	return s.engine.Spawn(func() actor.Receiver { return &receiver{receive: receive} }, "actor"), nil
}

func (s system) Send(to library.Ref, message any) { s.engine.Send(to.(*actor.PID), message) }

func (s system) Close() error { return nil } // an engine has no end

// receiver is an actor, and the context that its messages are handled with.
type receiver struct {
	receive library.Receive
	context *actor.Context
}

func (r *receiver) Receive(c *actor.Context) {
	r.context = c
	r.receive(r, c.Message())
}

func (r *receiver) Send(to library.Ref, message any) { r.context.Send(to.(*actor.PID), message) }
func (r *receiver) Respond(message any)              { r.context.Respond(message) }
func (r *receiver) StopSelf()                        { r.context.Engine().Stop(r.context.PID()) }
func (r *receiver) Ask(to library.Ref, message any) (any, error) {
	return r.context.Request(to.(*actor.PID), message, library.Patience).Result()
}
