package rt

// The bits of worker.attention, all of which combine. Whoever wants something of a worker sets a bit with Or; the worker takes
// them all in one step at its next boundary and does what they say. Boundaries are: after a message, when a strand was
// parked or its behaviour broke off, and before it searches.
//
//	bit   | set by                                         | cleared by                       | what it says
//	------+------------------------------------------------+----------------------------------+-------------------------------
//	asked | the monitor, once a tick, if idle is not set   | the worker, at a boundary        | give a sign of life: clear this
//	stuck | the monitor, by one CompareAndSwap of a word    | the worker, at a boundary        | say that you are back
//	      | in which asked is set and idle is not          |                                  |
//	idle  | the worker, before it searches                 | the worker, when it has found    | nobody need worry: I search,
//	      |                                                | something                        | sleep, or am retired
//
// A further bit, pressure, is the worker's own: the running actor is to be looked after when its behaviour has ended, see watch
// and holdBack in pressure.go. It stays until another actor's turn.
//
// So a worker is stuck from a message that it began before it was asked until that message has ended; the word tells both
// sides the same.
const (
	attentionAsked uint32 = 1 << iota
	attentionStuck
	attentionIdle
	attentionPressure
)

// heed does what others have asked for. Called at a boundary where attention was not 0.
func (w *worker) heed() {
	if w.attention.Load()&^attentionPressure != 0 {
		w.answer(w.attention.And(attentionPressure)) // pairs with the Or of whoever asked: a bit that is set later stays for the next boundary
	}
}

// beginIdle says that the worker runs nothing.
func (w *worker) beginIdle() {
	if w.attention.Load() != attentionIdle {
		w.answer(w.attention.Swap(attentionIdle))
	}
}

// endIdle says that it is about to run something.
func (w *worker) endIdle() {
	if w.attention.Load()&attentionIdle != 0 {
		w.attention.And(^attentionIdle)
	}
}

// answer does what the bits ask for.
func (w *worker) answer(bits uint32) {
	if bits&attentionStuck != 0 {
		w.rt.monitor.back(w)
	}
	if bits&attentionAsked != 0 {
		w.flush()
		w.releaseAll()
		// The next message may take for ever: what is queued privately would wait behind it, and others are idle.
		for range w.private.Len() / 2 {
			if !w.rt.lot.Hungry() {
				break
			}
			w.share(w.private.Pop())
		}
	}
}
