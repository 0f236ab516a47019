package rt

import "slices"

// RestMost bounds the actors that rest at one worker.
const RestMost = restMost

// Resting reports how many actors rest at the worker.
func Resting(ctx *Ctx) int { return len(ctx.worker.resting) }

// RestsHere reports whether a rests at the worker.
func RestsHere(ctx *Ctx, a *Actor) bool { return slices.Contains(ctx.worker.resting, a) }
