package rt

// Close stops the workers, each after the batch that it runs, unwinds parked behaviours (their deferred functions run,
// waits return ErrClosed, sends go nowhere) and gives all heaps back. It returns nil when that is done; so do further calls. It
// waits for behaviours that are stuck: Stuck says which.
//
// It may be called at any time from anywhere. From inside a behaviour, of this runtime or another, it only begins, and returns
// at once: the behaviour ends first (if it waits for something, it is unwound there), and a call from outside waits for
// the rest. A behaviour must not wait for a goroutine that calls Close.
func (rt *Runtime) Close() error {
	rt.closing.Do(func() {
		rt.stop(nil)
		go rt.finish()
	})
	if !inside() {
		<-rt.closed
	}
	return nil
}

// finish is what Close has begun.
func (rt *Runtime) finish() {
	<-rt.ended
	rt.closeSources()
	rt.unwinding.Store(true)
	rt.unwindAll()
	rt.gang.Close()
	rt.space.Close()
	close(rt.closed)
}

// unwindAll ends every strand: those in pools return from their loop, parked ones unwind.
func (rt *Runtime) unwindAll() {
	closing := newWorker(rt, len(rt.everyWorker())) // a context for deferred functions; what it schedules never runs
	for {
		rt.mu.Lock()
		if len(rt.strands) == 0 {
			rt.mu.Unlock()
			return
		}
		s := rt.strands[len(rt.strands)-1]
		rt.mu.Unlock()
		ended := make(chan struct{})
		go func() {
			defer close(ended) // reached by Goexit as well
			defer rt.forget(s)
			s.unwind(&closing.ctx)
		}()
		<-ended
	}
}
