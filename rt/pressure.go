package rt

import (
	"sync"
	"sync/atomic"

	"github.com/encorert/encorert/internal/invariant"
)

// This file is back-pressure: an actor with more messages than its limit is overloaded, and who sends to it is muted
// when the sending behaviour has ended: it handles no message until the receiver has worked off half. Nothing is dropped.
//
// The bit of pressure in the mailbox's home word (mailbox.Pressed) says "hold back". It is set while an actor is overloaded,
// and while it is muted, so that pressure reaches those who feed a muted actor. The bit stays after a release until the
// actor's next turn, which clears it, or keeps it if too much has piled up.
//
//	state      | bit | who has it           | to         | by
//	-----------+-----+----------------------+------------+-------------------------------------------------------------
//	free       | 0   | a queue, its worker, | overloaded | its owner: one message too many
//	           |     | or nobody (idle)     | muted      | its owner, after a behaviour that sent to one with the bit
//	overloaded | 1   | a queue, its worker  | free       | its owner: at most half its limit (or one) waits, or it blocks
//	muted      | 1   | the list of its      | overloaded | who took the list: the receiver's owner when it clears
//	           |     | receiver             |            | the receiver's bit, or a muter that found it cleared
//
// Nobody stays muted (a Dekker pair; all atomics here are sequentially consistent). Who mutes S on R pushes S onto R's list
// and then looks at R's bit. R's owner clears the bit and then takes the list. If the look found the bit, the clearing came
// after the look and so after the push, and the taking after that finds S. If it did not find it, the muter takes the
// list itself. A list is taken by one swap, so that each actor in it is scheduled by exactly one taker.
//
// Muted actors do not wait for each other in a cycle. Only an actor without the bit is muted, and the receiver's bit, which
// the muter finds when the behaviour has ended and again after the push, must have been set all the time between: that is
// an episode, and R's owner counts them. (A look that accepts a later episode lets two actors mute each other: each has
// been overloaded and has recovered, and each takes the other's mute for the old overload.) So let a1 be muted on a2, a2
// on a3, and so on to an on a1, at one time. The bit of a(i+1) has been set from before ai's own bit was set until now. But
// a(i+1) was muted while it had no bit, and has one since then. So a(i+1) was muted before ai, for each i round the
// cycle, which cannot be. At the end of every chain there is an actor that is overloaded and in a queue or running, or
// one that has just been released. TestModelOfMuting tries every order.
//
// Such an actor handles messages until it has few. If it cannot, since it blocks (Block, Get, Mutex, Blocking), its bit is
// cleared and those who are muted on it go on: it may wait for one of them. While it blocks nobody owns the local part, so
// the bit is not set again. Await and Suspend leave the mailbox open: it goes on working off. If a behaviour never
// returns, Runtime.Muted names it.

// pressure is what few actors need: those with a limit, and those that have sent to one with the bit. It is made before the
// actor's bit is first set and never exchanged, so whoever has seen the bit may follow Actor.more to it.
type pressure struct {
	// noted are the actors with the bit to which this one has sent since it was last asked to hold back. Owner: the actor's.
	noted []note
	// episode counts how often the bit was cleared. Writers: the owner, after it cleared the bit and before it takes the
	// list. Readers: senders, and after that muters, each time after the bit: once before the actor's own bit is set and once
	// after the push. If the receiver's bit was cleared between these two looks, the last read finds the count changed,
	// unless it comes before the count; but then the bit is still clear, which the last look at it has found.
	episode atomic.Uint64
	// muted is a stack of the actors that are muted on this one, linked by next. Writers: muters push, by compare-and-swap;
	// takers take all by a swap, so that a node cannot come back under a push.
	muted atomic.Pointer[Actor]

	// The rest is about this actor when it is muted. Owner: the muter until it has pushed the actor, then the taker.
	held bool // it has been muted, and has had no turn since
	next *Actor
	by   *mutedList
	// guarded by by.mu
	on         *Actor
	listedNext *Actor
	listedPrev *Actor
}

// note is an actor that had the bit, and in which episode.
type note struct {
	to      *Actor
	episode uint64
}

// holds reports whether the bit has been set all the time since the note was made.
func (n note) holds() bool {
	return n.to.box.IsPressed() && n.to.more.pressure.episode.Load() == n.episode
}

// mostNotes bounds how many receivers one actor holds back for at once. What exceeds it is noted with the next message.
const mostNotes = 16

// pressured gives the actor what it needs for back-pressure. REQUIRES: the caller owns a.
func (a *Actor) pressured() *pressure {
	x := a.extend()
	if x.pressure == nil {
		x.pressure = new(pressure)
	}
	return x.pressure
}

// pressing reports whether the worker has to look after each behaviour of the actor: it has a limit or has noted something.
func (a *Actor) pressing() bool {
	x := a.more
	return x != nil && x.pressure != nil && (a.box.Limit() != 0 || len(x.pressure.noted) != 0 || a.box.IsPressed())
}

// holdBack notes that the running actor has sent to one with the bit.
func (ctx *Ctx) holdBack(to *Actor) {
	a := ctx.self
	if a == to || a == nil {
		return
	}
	n := note{to: to, episode: to.more.pressure.episode.Load()}
	p := a.pressured()
	for i := range p.noted {
		if p.noted[i].to == to {
			p.noted[i] = n
			return
		}
	}
	if len(p.noted) < mostNotes {
		p.noted = append(p.noted, n)
	}
	w := ctx.worker
	if w.attention.Load()&attentionPressure == 0 {
		w.attention.Or(attentionPressure)
	}
}

// attend is for an owned actor before its turn, after each of its behaviours and at the end of its turn. It sees to the
// actor's own bit, and reports whether the actor is to be muted, on the last one that it has noted; the other notes wait
// until it is released.
func (w *worker) attend(a *Actor) (mute bool) {
	if !a.pressing() {
		return false
	}
	w.relieve(a)
	p := a.more.pressure
	pressed := a.box.IsPressed()
	for k := len(p.noted); k > 0; k = len(p.noted) {
		if !pressed && p.noted[k-1].holds() {
			return true
		}
		p.takeNote()
	}
	return false
}

// takeNote takes the last note.
func (p *pressure) takeNote() note {
	k := len(p.noted) - 1
	n := p.noted[k]
	p.noted[k] = note{} // the receiver must not be kept alive
	p.noted = p.noted[:k]
	return n
}

// watch makes the worker attend to the actor whose turn begins after each of its behaviours, where that is needed.
func (w *worker) watch(a *Actor) {
	was := w.attention.Load()&attentionPressure != 0
	switch is := a.pressing(); {
	case is && !was:
		w.attention.Or(attentionPressure)
	case !is && was:
		w.attention.And(^attentionPressure)
	}
}

// relieve sets or clears the bit of an owned actor by what waits in its mailbox.
func (w *worker) relieve(a *Actor) {
	limit := a.box.Limit()
	released := a.more.pressure.held
	a.more.pressure.held = false
	if limit == 0 {
		if released {
			w.ease(a, &w.count.unmutedDrained)
		}
		return
	}
	waiting := a.box.Waiting(w.nodes)
	switch {
	case waiting > limit:
		if !a.box.IsPressed() {
			a.box.Press()
		}
	case waiting <= max(1, limit/2) || released: // one that was muted need not have been overloaded
		if a.box.IsPressed() {
			w.ease(a, &w.count.unmutedDrained)
		}
	}
}

// ease clears the bit of an owned actor and lets those go on that are muted on it.
func (w *worker) ease(a *Actor, reason *uint64) {
	a.box.Ease()
	invariant.Point("rt.ease")
	a.more.pressure.episode.Add(1)
	w.unmute(a, reason)
}

// unmute takes the list of those that are muted on a, and schedules each, in the order in which they were muted.
func (w *worker) unmute(a *Actor, reason *uint64) {
	p := a.more.pressure
	if p.muted.Load() == nil { // pairs with the CompareAndSwap in mute, as the Swap does: a later push finds the bit cleared
		return
	}
	var oldest *Actor
	for s := p.muted.Swap(nil); s != nil; {
		q := s.more.pressure
		next := q.next
		q.next = oldest
		oldest, s = s, next
	}
	for s := oldest; s != nil; {
		q := s.more.pressure
		next := q.next
		q.next = nil
		q.by.remove(s)
		*reason++
		w.enqueue(s) // s must not be touched again
		s = next
	}
}

// mute holds back an owned actor for which attend has said so. The caller must not touch a again.
func (w *worker) mute(a *Actor) {
	w.count.mutes++
	w.flush()
	p := a.more.pressure
	on := p.takeNote()
	p.held = true
	invariant.Point("rt.mute")
	a.box.Press()
	w.giveUp(a) // whoever takes the list owns it next
	invariant.Point("rt.mutePush")
	w.muted.add(a, on.to)
	list := &on.to.more.pressure.muted
	for {
		p.next = list.Load()
		if list.CompareAndSwap(p.next, a) { // pairs with the Swap in unmute
			break
		}
	}
	invariant.Point("rt.muteLook")
	if !on.holds() { // after the push
		w.unmute(on.to, &w.count.unmutedAtOnce)
	}
}

// mutedList holds the actors that one worker has muted and nobody has released yet, for reports.
type mutedList struct {
	mu    sync.Mutex
	first *Actor // linked by listedNext and listedPrev; guarded by mu
}

func (l *mutedList) add(a, on *Actor) {
	p := a.more.pressure
	l.mu.Lock()
	defer l.mu.Unlock()
	p.by, p.on = l, on
	p.listedNext = l.first
	if l.first != nil {
		l.first.more.pressure.listedPrev = a
	}
	l.first = a
}

func (l *mutedList) remove(a *Actor) {
	p := a.more.pressure
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.listedPrev != nil {
		p.listedPrev.more.pressure.listedNext = p.listedNext
	} else {
		l.first = p.listedNext
	}
	if p.listedNext != nil {
		p.listedNext.more.pressure.listedPrev = p.listedPrev
	}
	p.listedNext, p.listedPrev, p.on = nil, nil, nil
}

// MutedActor is an actor that handles no message because it has sent to an actor that has too many.
type MutedActor struct {
	Actor string // its type
	On    string // type of the actor for which it is held back
}

func (m MutedActor) String() string { return m.Actor + " is muted on " + m.On }

// Muted says who is muted now, and for whom. From any goroutine at any time; what it returns may have changed already. It
// is for the case that somebody stays muted: then the receiver, or the one that the receiver is muted on itself, is in a
// behaviour that does not return.
func (rt *Runtime) Muted() []MutedActor {
	var all []MutedActor
	for _, w := range rt.everyWorker() {
		w.muted.mu.Lock()
		for a := w.muted.first; a != nil; a = a.more.pressure.listedNext {
			all = append(all, MutedActor{Actor: a.typ.Name, On: a.more.pressure.on.typ.Name})
		}
		w.muted.mu.Unlock()
	}
	return all
}
