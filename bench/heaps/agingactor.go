package heaps

import (
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

//encore:object
type entry struct {
	next *entry
	n    uint64
}

// queue does aging.
//
//encore:actor
type queue struct {
	length, passes int
	done           futures.Promise[uint64]
	first, last    *entry
	n, sum         uint64
}

//encore:new
func (q *queue) init(cctx **rt.Ctx, length, passes int) { q.length, q.passes = length, passes }

// Start makes the first entry.
//
//encore:behaviour
func (q *queue) Start(cctx **rt.Ctx, done futures.Promise[uint64]) {
	ctx := *cctx
	q.done = done
	q.first = newEntry(ctx, nil, 0)
	q.last, q.n = q.first, 1
	q.Self(ctx).Fill(ctx)
}

// Fill adds entries until the queue is as long as it is to be.
//
//encore:behaviour
func (q *queue) Fill(cctx **rt.Ctx) {
	ctx := *cctx
	for range piece {
		if q.n >= uint64(q.length) {
			q.Self(ctx).Pass(ctx)
			return
		}
		q.add(ctx)
	}
	q.Self(ctx).Fill(ctx)
}

// Pass adds and takes the next entries.
//
//encore:behaviour
func (q *queue) Pass(cctx **rt.Ctx) {
	ctx := *cctx
	for range piece {
		if q.passes == 0 {
			// The promise is fulfilled here and nowhere else: no error is possible.
			_ = q.done.Fulfil(ctx, q.sum)
			return
		}
		q.passes--
		q.add(ctx)
		q.sum = weigh(q.sum, q.first.n)
		q.first = q.first.next
	}
	q.Self(ctx).Pass(ctx)
}

func (q *queue) add(ctx *rt.Ctx) {
	e := newEntry(ctx, nil, q.n)
	q.last.setNext(ctx, e)
	q.last = e
	q.n++
}
