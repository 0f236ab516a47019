package gang

import (
	"sync/atomic"

	"github.com/encorert/encorert/internal/invariant"
)

// The fields of the word. Invariant: claimed <= total; running <= claimed; the caller sleeps only while shares run or,
// if it takes no part, are unclaimed.
const (
	runningUnit = 1 << 0
	runningMask = 1<<10 - 1
	sleeps      = 1 << 10 // the caller
	claimedUnit = 1 << 11
	totalUnit   = 1 << 37
	maxShares   = 1<<26 - 1
)

// word is the counting of a round: doc.go has the transitions.
type word struct {
	// Writers: all participants. Readers: all.
	bits atomic.Uint64
}

func claimed(b uint64) uint64 { return b / claimedUnit & maxShares }
func total(b uint64) uint64   { return b / totalUnit }
func running(b uint64) uint64 { return b & runningMask }

func over(b uint64) bool { return claimed(b) == total(b) && running(b) == 0 }

// none is no share.
const none = -1

// open begins a round of n shares, the first of which the caller has claimed if it takes part. REQUIRES: the turn. The
// store publishes the job: pairs with the CompareAndSwap in claim. Nobody changes the word at the same time, for nothing runs
// and nothing can be claimed.
func (w *word) open(n int, takePart bool) {
	b := uint64(n) * totalUnit
	if takePart {
		b += claimedUnit + runningUnit
	}
	invariant.Point("gang.open")
	w.bits.Store(b)
	invariant.Point("gang.opened")
}

// claim takes a share; none if there is none. After it the round cannot end before finish. Pairs with itself: without the
// swap two participants would take the same share.
func (w *word) claim() int {
	for {
		b := w.bits.Load()
		if claimed(b) == total(b) {
			return none
		}
		invariant.Point("gang.claim")
		if w.bits.CompareAndSwap(b, b+claimedUnit+runningUnit) {
			return int(claimed(b))
		}
	}
}

// unclaimed reports whether claim has a chance.
func (w *word) unclaimed() bool {
	b := w.bits.Load()
	return claimed(b) != total(b)
}

// left returns how many shares are unclaimed, shares how many there are.
func (w *word) left() int {
	b := w.bits.Load()
	return int(total(b) - claimed(b))
}

func (w *word) shares() int { return int(total(w.bits.Load())) }

// add makes n more shares. wake: the caller slept, and the caller of add must send it the permit. REQUIRES: a share that
// runs. Pairs with claim: what the share wrote before is there for who claims.
func (w *word) add(n int) (ok, wake bool) {
	for {
		b := w.bits.Load()
		if n < 0 || uint64(n) > maxShares-total(b) {
			return false, false
		}
		invariant.Point("gang.add")
		if w.bits.CompareAndSwap(b, b&^sleeps+uint64(n)*totalUnit) {
			return true, b&sleeps != 0
		}
	}
}

// finish ends a share, and claims the next one in the same step if the participant goes on and there is one. wake: it was the
// last share, and the caller sleeps: the caller of finish must send it the permit. Pairs with the Load in await: what the share
// did is there for the caller. Without the swap the last two to finish could each see the other still running, and nobody
// would wake the caller.
func (w *word) finish(goesOn bool) (next int, wake bool) {
	for {
		b := w.bits.Load()
		after := b - runningUnit
		next = none
		switch {
		case over(after):
			after &^= sleeps
		case goesOn && claimed(b) != total(b):
			next = int(claimed(b))
			after += claimedUnit + runningUnit
		}
		invariant.Point("gang.finish")
		if w.bits.CompareAndSwap(b, after) {
			return next, b&sleeps != after&sleeps
		}
	}
}

// spins is how often the caller looks before it sleeps. A worker that has claimed a share of an empty job finishes it in
// the time of some 50 looks; falling asleep and being woken takes that of thousands (picked).
const spins = 200

// await waits while shares run that others have claimed, and reports whether the round has ended; if not there may be
// shares to claim.
func (w *word) await(permit <-chan struct{}) (ended bool) {
	for range spins {
		if b := w.bits.Load(); over(b) {
			return true
		}
	}
	for {
		b := w.bits.Load()
		if over(b) {
			return true
		}
		invariant.Point("gang.wait")
		// Pairs with the swaps in finish and add: the mark is seen by the one that ends the round, or its step is seen here.
		if w.bits.CompareAndSwap(b, b|sleeps) {
			<-permit
			return over(w.bits.Load())
		}
	}
}
