package rt

// Posts reports how many workers are awake, announced asleep and retired, and how many there are.
func (rt *Runtime) Posts() (awake, sleeping, retired, all int) { return rt.lot.Posts() }

// AllWorkers reports how many workers were ever made.
func (rt *Runtime) AllWorkers() int { return len(rt.everyWorker()) }

// InjectSilently is Inject by who has not yet woken anybody.
func (rt *Runtime) InjectSilently(f func(cctx **Ctx)) (done <-chan error) {
	r := readyRoot(f)
	rt.inject.Push(&r.Actor)
	return r.done
}
