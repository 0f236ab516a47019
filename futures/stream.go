package futures

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync/atomic"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/rt"
)

// ErrEnd is what Stream.Get and Next return behind the last value of a stream.
var ErrEnd = errors.New("futures: the stream has ended")

// ErrNoReader is what Yield.Yield returns when nobody reads the stream any more.
var ErrNoReader = errors.New("futures: nobody reads the stream any more")

// Stream is a place in a row of values that a producer yields one after the other: Encore's streams. It never changes, so it may be
// copied and sent, and several may read: each sees all values from its place on. The values behind it are kept as long as
// somebody may read them.
//
// The producer is at most so far ahead of the reader who is furthest on as Produce or NewStream was told; then it waits.
type Stream[T any] struct {
	at      *link[T]
	readers *readers[T]
}

// Yield is the producer's end of a stream. One actor uses it at a time.
type Yield[T any] struct{ end *producer[T] }

// link is a place: what is there, once it is.
type link[T any] struct {
	number uint64 // from 1
	item   Future[item[T]]
	flow   *flow
}

type item[T any] struct {
	value T
	next  *link[T] // nil: the stream has ended
}

// flow is what holds a producer back. It does not name the values.
type flow struct {
	// taken is the number of the furthest link that was read. Writers: readers. Readers: the producer.
	taken atomic.Uint64
	// over is set when nobody reads any more. Writers: readers, or the cleanup when they are gone. Readers: the producer.
	over atomic.Bool
	// room is what a producer waits for that is too far ahead. Writers: the producer sets it and then looks at taken and over
	// again; readers change those and then take it. So one of the two sees the other (all atomics here are sequentially
	// consistent), and by the swap only one answers.
	room atomic.Pointer[cell[struct{}]]
	rt   *rt.Runtime
}

// readers is what all places of a stream share and the producer does not have: when it is collected, nobody reads.
type readers[T any] struct{ flow *flow }

// producer is the state of the yielding end. Owner: the actor that yields.
type producer[T any] struct {
	flow  *flow
	next  Promise[item[T]]
	last  uint64
	ahead uint64
	ended bool
}

// NewStream makes a stream, whose producer may be ahead of its readers by so many values. A leaf.
//
// The producer must end the stream in every case (End), or its readers wait for ever: Produce sees to that by itself. T may be no
// heap object.
func NewStream[T any](ctx *rt.Ctx, ahead int) (Yield[T], Stream[T]) {
	ctx.CheckLeaf()
	if ahead < 1 {
		panic(fmt.Sprintf("futures: a stream with room for %d values", ahead))
	}
	if isObject[T]() {
		panic("futures: a stream of heap objects, which its values would have to be copied from and to")
	}
	f := &flow{rt: ctx.Runtime()}
	r := &readers[T]{f}
	runtime.AddCleanup(r, (*flow).abandon, f)
	p := &producer[T]{flow: f, ahead: uint64(ahead)}
	return Yield[T]{p}, Stream[T]{p.extend(ctx), r}
}

// Produce returns the stream of what fn yields. fn runs on an actor of its own: it may capture nothing that anybody changes, and no
// heap objects. The stream ends when fn returns, with fn's error, if it has one, or with that of its panic. A leaf.
func Produce[T any](ctx *rt.Ctx, ahead int, fn func(cctx **rt.Ctx, y Yield[T]) error) Stream[T] {
	if fn == nil {
		panic("futures: Produce with a nil function")
	}
	y, s := NewStream[T](ctx, ahead)
	done := detach(ctx, func(cctx **rt.Ctx) (struct{}, error) { return struct{}{}, fn(cctx, y) })
	ChainDetached(ctx, Settled(ctx, done), func(cctx **rt.Ctx, _ int) (struct{}, error) {
		_, err := done.Get(cctx) // it is there
		y.End(*cctx, err)
		return struct{}{}, nil
	})
	return s
}

// extend makes the next place.
func (p *producer[T]) extend(ctx *rt.Ctx) *link[T] {
	p.next = NewPromise[item[T]](ctx, nil)
	p.last++
	return &link[T]{number: p.last, item: p.next.Future(), flow: p.flow}
}

// Yield gives a value to those who read. If it is too far ahead of them the behaviour waits, as in Await: others of its actor run
// meanwhile, and the worker goes on. It returns ErrNoReader when nobody reads any more, and rt.ErrClosed when the runtime
// closes. It panics after End.
func (y Yield[T]) Yield(cctx **rt.Ctx, v T) error {
	p := y.end
	if p == nil || p.ended {
		panic("futures: Yield of a stream that has ended")
	}
	for !p.flow.over.Load() && p.last-p.flow.taken.Load() > p.ahead {
		room := NewPromise[struct{}](*cctx, nil)
		invariant.Point("futures.room")
		p.flow.room.Store(room.cell())
		if p.flow.over.Load() || p.last-p.flow.taken.Load() <= p.ahead {
			break // a reader that took room meanwhile answers what nobody waits for
		}
		if _, err := room.Future().Await(cctx); err != nil {
			return err
		}
	}
	if p.flow.over.Load() {
		return ErrNoReader
	}
	ctx := *cctx
	at := p.next
	next := p.extend(ctx)
	_ = at.Fulfil(ctx, item[T]{v, next}) // nobody else has it
	return nil
}

// End ends the stream; with an error, if err is not nil, that readers get instead of ErrEnd. A leaf. A second End does nothing.
func (y Yield[T]) End(ctx *rt.Ctx, err error) {
	p := y.end
	if p.ended {
		return
	}
	p.ended = true
	_ = p.next.Settle(ctx, item[T]{}, err) // nobody else has it
}

// Get waits for the value at this place, as Future.Get does, and returns it. Behind the last value it returns ErrEnd, or the
// error with which the stream has ended.
func (s Stream[T]) Get(cctx **rt.Ctx) (T, error) {
	v, err := s.look(cctx)
	if err != nil {
		return v.value, err
	}
	s.at.flow.take(*cctx, s.at.number)
	return v.value, nil
}

// Next returns the place behind this one, for which there need be no value yet. It waits for the value at this place, and counts
// as reading it. Errors as Get.
func (s Stream[T]) Next(cctx **rt.Ctx) (Stream[T], error) {
	v, err := s.look(cctx)
	if err != nil {
		return Stream[T]{}, err
	}
	s.at.flow.take(*cctx, s.at.number)
	return Stream[T]{v.next, s.readers}, nil
}

// EOS reports whether the stream has ended at this place. It waits until that is known, and takes nothing: a producer that waits
// for room goes on waiting. A stream that has ended with an error gives that.
func (s Stream[T]) EOS(cctx **rt.Ctx) (bool, error) {
	_, err := s.look(cctx)
	if err == ErrEnd {
		return true, nil
	}
	return err != nil, err
}

// Await waits, as Future.Await does, until the value at this place or the end is there: then Get, Next and EOS do not wait.
func (s Stream[T]) Await(cctx **rt.Ctx) error {
	v, err := s.at.item.Await(cctx)
	return v.end(err)
}

func (s Stream[T]) look(cctx **rt.Ctx) (item[T], error) {
	v, err := s.at.item.Get(cctx)
	return v, v.end(err)
}

func (v item[T]) end(err error) error {
	if err == nil && v.next == nil {
		return ErrEnd
	}
	return err
}

// All is for range over the values from this place on. The last pair has the error with which the stream has ended, if there is
// one. Leaving the loop early abandons nothing: call Abandon for that.
//
//	for v, err := range s.All(cctx) {
//		...
//	}
func (s Stream[T]) All(cctx **rt.Ctx) iter.Seq2[T, error] {
	//ctxcheck:ignore for loops of the behaviour that has the cell; each round may switch, and so counts as a call that takes it
	return func(yield func(T, error) bool) {
		for at := s; ; {
			v, err := at.look(cctx)
			if err == ErrEnd {
				return
			}
			if err == nil {
				at.at.flow.take(*cctx, at.at.number)
			}
			if !yield(v.value, err) || err != nil {
				return
			}
			at.at = v.next
		}
	}
}

// Abandon says that nobody reads the stream any more, on any of its places: the producer's next Yield returns ErrNoReader. A leaf.
// Where nobody calls it the same happens when Go's collector finds that no place can be reached.
func (s Stream[T]) Abandon(ctx *rt.Ctx) {
	s.at.flow.over.Store(true)
	s.at.flow.answer(ctx)
}

// take notes that a place was read.
func (f *flow) take(ctx *rt.Ctx, number uint64) {
	for {
		furthest := f.taken.Load()
		if number <= furthest {
			return
		}
		if f.taken.CompareAndSwap(furthest, number) {
			f.answer(ctx)
			return
		}
	}
}

// answer lets a producer go on that waits, to look again.
func (f *flow) answer(ctx *rt.Ctx) {
	if f.room.Load() == nil {
		return
	}
	if c := f.room.Swap(nil); c != nil {
		_ = Promise[struct{}]{c}.Fulfil(ctx, struct{}{}) // only one swaps it out
	}
}

// abandon is the cleanup of readers: on a goroutine of Go's.
func (f *flow) abandon() {
	f.over.Store(true)
	if f.room.Load() != nil {
		// Not here: it would hold up other cleanups. A runtime that is closed has no producer to tell.
		go func() {
			_ = f.rt.Do(context.Background(), func(cctx **rt.Ctx) { f.answer(*cctx) })
		}()
	}
}
