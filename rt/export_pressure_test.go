package rt

// PressureOf returns how often the actor has been relieved, and whether it is under pressure since then.
func PressureOf(a *Actor) (episode uint64, pressed bool) {
	episode = a.more.pressure.episode.Load()
	return episode, a.box.IsPressed()
}

// FeignMuted enters a among those who are muted, as if nobody had released it.
func FeignMuted(ctx *Ctx, a, on *Actor) {
	a.pressured()
	ctx.worker.muted.add(a, on)
}

// FeignReleased takes a out again.
func FeignReleased(a *Actor) { a.more.pressure.by.remove(a) }
