package futures

import (
	"sync/atomic"
	"unsafe"

	"github.com/encorert/encorert/rt"
)

// The owner of a cell says who is to answer it:
//
//	nil                    nobody knows, or it is answered
//	an *rt.Actor           this actor
//	a *header, tagged by 1 whoever answers that other cell, to which this one was forwarded
//
// All but the maker's are atomic, since others look while it changes.

const forwardedTag = 1

// forwardedTo returns the cell that h was forwarded to, or else the actor that is to answer; one of them is nil, or both.
func (h *header) forwardedTo() (*header, *rt.Actor) {
	p := atomic.LoadPointer(&h.owner)
	if uintptr(p)&forwardedTag == 0 {
		return nil, (*rt.Actor)(p)
	}
	return (*header)(unsafe.Add(p, -forwardedTag)), nil // made by passedOn
}

// passedOn says that whoever answers to will answer h.
func (h *header) passedOn(to *header) {
	atomic.StorePointer(&h.owner, unsafe.Add(unsafe.Pointer(to), forwardedTag))
	if h.answered() { // somebody has, and may have cleared it before: a future that is kept must not keep to
		atomic.StorePointer(&h.owner, nil)
	}
}

// maxForwards is through how many forwarded cells reports look. Rows can be longer, and closed. Picked.
const maxForwards = 1000

// answerer returns the actor that is to answer, or nil when that is not known, or no longer.
func (h *header) answerer() *rt.Actor {
	for range maxForwards {
		to, actor := h.forwardedTo()
		if to == nil {
			return actor
		}
		h = to
	}
	return nil
}

// Describe is for package rt: what a report says of this future (interface rt.Wait).
func (h *header) Describe() string {
	to, owner := h.forwardedTo()
	if to == nil {
		return h.describe(owner)
	}
	for range maxForwards {
		next, owner := to.forwardedTo()
		if next == nil {
			return h.describe(nil) + ", forwarded to " + to.describe(owner)
		}
		to = next
	}
	return h.describe(nil) + ", forwarded again and again"
}

func (h *header) describe(owner *rt.Actor) string {
	switch {
	case owner == nil && h.behaviour == nil:
		return "a future that no actor is named for"
	case owner == nil:
		return "the future of " + h.behaviour.Name
	case h.behaviour == nil:
		return "a future of " + owner.String()
	default:
		return "the future of " + owner.String() + "." + h.behaviour.Name
	}
}
