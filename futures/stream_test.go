package futures_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
	"github.com/encorert/encorert/rt/rttest"
)

// count yields 0 to n-1.
func count(n int) func(cctx **rt.Ctx, y futures.Yield[int]) error {
	return func(cctx **rt.Ctx, y futures.Yield[int]) error {
		for i := range n {
			if err := y.Yield(cctx, i); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestStreamIsReadInOrder(t *testing.T) {
	rttest.Modes(t, rt.Config{}, func(t *testing.T, cfg rt.Config) {
		for _, ahead := range []int{1, 3, 1000} {
			require.NoError(t, run(t, cfg, func(cctx **rt.Ctx) {
				const n = 100
				s := futures.Produce(*cctx, ahead, count(n))
				at := s
				for i := range n {
					over, err := at.EOS(cctx)
					assert.NoError(t, err)
					assert.False(t, over)
					if i%3 == 0 {
						assert.NoError(t, at.Await(cctx))
					}
					v, err := at.Get(cctx)
					assert.NoError(t, err)
					assert.Equal(t, i, v)
					at, err = at.Next(cctx)
					assert.NoError(t, err)
				}
				over, err := at.EOS(cctx)
				assert.NoError(t, err)
				assert.True(t, over)
				_, err = at.Get(cctx)
				assert.Equal(t, futures.ErrEnd, err)
				_, err = at.Next(cctx)
				assert.Equal(t, futures.ErrEnd, err)
				assert.Equal(t, futures.ErrEnd, at.Await(cctx))
				sum := 0 // and once more, by range
				for v, err := range s.All(cctx) {
					assert.NoError(t, err)
					sum += v
				}
				assert.Equal(t, n*(n-1)/2, sum)
			}))
		}
	})
}

// The producer is never further ahead of the furthest reader than it may be, and each of several readers sees all values.
func TestProducerIsHeldBack(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	n := hammer.Rounds(2_000, 200_000)
	for _, ahead := range []int{1, 2, 10} {
		require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
			var furthest, most atomic.Int64
			s := futures.Produce(*cctx, ahead, func(cctx **rt.Ctx, y futures.Yield[int]) error {
				for i := range n {
					if err := y.Yield(cctx, i); err != nil {
						return err
					}
					most.Store(max(most.Load(), int64(i+1)-furthest.Load()))
				}
				return nil
			})
			sums := futures.Map(*cctx, futures.Each([]int{0, 1, 2}), func(cctx **rt.Ctx, _ int) (int, error) {
				sum := 0
				for v, err := range s.All(cctx) {
					if err != nil {
						return 0, err
					}
					sum += v
					for seen := furthest.Load(); seen < int64(v+1) && !furthest.CompareAndSwap(seen, int64(v+1)); seen = furthest.Load() {
					}
				}
				return sum, nil
			})
			got, err := futures.Extract(*cctx, sums).Get(cctx)
			assert.NoError(t, err)
			assert.Equal(t, []int{n * (n - 1) / 2, n * (n - 1) / 2, n * (n - 1) / 2}, got)
			assert.LessOrEqual(t, most.Load(), int64(ahead+1), "one of them a reader has taken and not yet counted")
		}))
	}
}

func TestStreamThatFails(t *testing.T) {
	boom := errors.New("boom")
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		for _, panics := range []bool{false, true} {
			s := futures.Produce(*cctx, 5, func(cctx **rt.Ctx, y futures.Yield[string]) error {
				assert.NoError(t, y.Yield(cctx, "one"))
				if panics {
					panic(boom)
				}
				return boom
			})
			var values []string
			var failure error
			for v, err := range s.All(cctx) {
				if err != nil {
					failure = err
					break
				}
				values = append(values, v)
			}
			assert.Equal(t, []string{"one"}, values)
			if panicked := (*rt.PanicError)(nil); panics && assert.ErrorAs(t, failure, &panicked) {
				assert.Equal(t, boom, panicked.Value)
			} else {
				assert.Equal(t, boom, failure)
			}
		}
		y, s := futures.NewStream[int](*cctx, 1)
		y.End(*cctx, nil)
		y.End(*cctx, boom)
		over, err := s.EOS(cctx)
		assert.NoError(t, err)
		assert.True(t, over, "the first end counts")
		assert.Panics(t, func() { _ = y.Yield(cctx, 1) })
		assert.PanicsWithValue(t, "futures: a stream with room for 0 values", func() { futures.NewStream[int](*cctx, 0) })
		assert.Panics(t, func() { futures.NewStream[*cons](*cctx, 1) })
	}))
}

// The producer of a stream that nobody reads any more ends: when it is told so, or when the collector finds it.
func TestAbandonedStreamEndsItsProducer(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for _, told := range []bool{true, false} {
		r := runtimeOf(t, rt.Config{})
		hold := r.Hold()
		ended := make(chan error, 1)
		require.NoError(t, r.Do(t.Context(), func(cctx **rt.Ctx) {
			s := futures.Produce(*cctx, 2, func(cctx **rt.Ctx, y futures.Yield[int]) error {
				for i := 0; ; i++ {
					if err := y.Yield(cctx, i); err != nil {
						ended <- err
						return nil
					}
				}
			})
			for range 10 {
				next, err := s.Next(cctx)
				assert.NoError(t, err)
				s = next
			}
			if told {
				s.Abandon(*cctx)
			}
		}))
		for waiting := true; waiting; {
			select {
			case err := <-ended:
				assert.Equal(t, futures.ErrNoReader, err)
				waiting = false
			default:
				runtime.GC()
			}
		}
		hold.Release()
	}
}

func TestSeedsOfStreams(t *testing.T) {
	seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			s := futures.Produce(*cctx, 1, count(4))
			twice := futures.Map(*cctx, futures.Each([]int{0, 1}), func(cctx **rt.Ctx, _ int) (sum int, err error) {
				for v, err := range s.All(cctx) {
					if err != nil {
						return 0, err
					}
					sum = 10*sum + v
				}
				return sum, nil
			})
			got, err := futures.Extract(*cctx, twice).Get(cctx)
			assert.NoError(t, err)
			assert.Equal(t, []int{123, 123}, got)
		}))
	})
}

// A producer waits for room when its last reader abandons the stream: whoever comes first, it hears of it.
func TestSeedsOfAbandonedStreams(t *testing.T) {
	seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
		var ended error
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			s := futures.Produce(*cctx, 1, func(cctx **rt.Ctx, y futures.Yield[int]) error {
				for i := 0; ; i++ {
					if ended = y.Yield(cctx, i); ended != nil {
						return nil
					}
				}
			})
			_, err := s.Get(cctx)
			assert.NoError(t, err)
			s.Abandon(*cctx)
		}))
		assert.Equal(t, futures.ErrNoReader, ended)
	})
}
