package rt

// batchEnd says why a batch ended.
type batchEnd uint8

const (
	batchBroken  batchEnd = iota // panic, Goexit or unwinding: what a deferred guard finds when nobody set another
	batchSpent                   // the actor has had its turn
	batchDrained                 // the mailbox is empty
	batchHandoff                 // the next message resumes another strand of the actor
	batchMuted                   // the actor has sent to one that is overloaded, see pressure.go
)

// run lets the actor, which the caller owns, handle a batch of messages. It returns the strand to go on with if the
// actor's next step is on that one; ownership of the actor goes with it.
func (s *strand) run(a *Actor) (target *strand) {
	w := s.cell.worker
	w.adopt(a)
	if a.more != nil || w.attention.Load() != 0 {
		w.watch(a)
	}
	if w.probed == a {
		w.sampleProbed()
	}
	if t := a.resume; t != nil {
		a.resume = nil
		if w.rt.lot.Hungry() {
			w.feed()
		}
		return w.handTo(a, t)
	}
	if a.more != nil && w.attend(a) {
		w.mute(a)
		return nil
	}
	s.actor = a
	s.cell.enter(a)
	budget := w.rt.cfg.Batch
	end := batchBroken
	for end == batchBroken {
		if w.labels == nil {
			end, target = s.batch(a, &budget)
		} else {
			end, target = s.labelledBatch(a, &budget)
		}
		if w.rt.stopping.Load() {
			break // perhaps with this panic
		}
	}
	ctx := s.cell // the batch may have ended on another worker
	ctx.leave(a)
	s.actor = nil
	if end == batchHandoff {
		return ctx.worker.handTo(a, target)
	}
	if end == batchMuted {
		ctx.worker.mute(a)
		return nil
	}
	ctx.worker.yieldActor(a) // where the runtime stops, nobody takes it up again
	return nil
}

// batch handles messages until the budget is spent or one of them breaks off.
func (s *strand) batch(a *Actor, budget *int) (end batchEnd, target *strand) {
	defer s.guard(&end)
	for *budget > 0 {
		*budget-- // first: a message that panics is spent as well
		w := s.cell.worker
		// Before a message, which may take long; not after the last: what runs next is no surplus. And before the message is
		// taken, since to let others have actors may bring messages, and so overwrite its slot.
		if w.rt.lot.Hungry() && !a.box.Drained() {
			w.feed()
		}
		m := a.box.Pop()
		if m == nil {
			if m = a.box.Next(w.nodes); m == nil {
				return batchDrained, nil
			}
		}
		if m.B == &resumption {
			target = (*strand)(m.P0)
			m.P0 = nil
			return batchHandoff, target
		}
		s.current = m.B
		if m.B.Fail != nil {
			s.reply = m.P1
		}
		m.B.Run(&s.cell, a, m) // m must not be used again
		s.current, s.reply = nil, nil
		w = s.cell.worker // perhaps another
		w.count.messages++
		if h := a.heap; h != nil && h.Due() {
			s.collect()
		}
		if w.attention.Load() != 0 {
			w.heed()
			if w.attend(a) {
				return batchMuted, nil
			}
		}
	}
	return batchSpent, nil
}

// resumption marks the message by which an awaiting or suspended strand goes on; P0 is the strand. It is never run.
var resumption = Behaviour{Name: "resume", noLoad: true}

// handTo gives an owned actor to its strand t, which is to go on: here, or in the mode that always migrates on another
// worker. Returns the strand for this worker to resume.
func (w *worker) handTo(a *Actor, t *strand) *strand {
	if w.rt.cfg.AlwaysMigrate && t.left == w.id {
		a.resume = t
		w.flush()
		w.giveUp(a)
		if w.rt.pin(a, w.rt.another(w).id) {
			w.count.wakes++
		}
		return nil
	}
	w.count.resumes++
	if t.left != w.id {
		w.count.migrations++
	}
	return t
}
