package futures_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

// element is what a test expects of an element: a value, or an error of that text.
type element struct {
	v   int
	err string
}

// grove makes collections at random, and lists of what is in them. What is to come is answered later, in any order.
type grove struct {
	*rand.Rand
	answers []func(ctx *rt.Ctx)
	next    int
}

func (g *grove) value() int { g.next++; return g.next % 50 }

func (g *grove) promise(ctx *rt.Ctx, v int, err error) futures.Future[int] {
	p := futures.NewPromise[int](ctx, nil)
	g.answers = append(g.answers, func(ctx *rt.Ctx) { _ = p.Settle(ctx, v, err) })
	return p.Future()
}

func (g *grove) tree(ctx *rt.Ctx, depth int) (futures.Par[int], []element) {
	kind := g.IntN(7)
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return futures.Par[int]{}, nil
	case 1:
		vs := make([]int, g.IntN(5))
		var es []element
		for i := range vs {
			vs[i] = g.value()
			es = append(es, element{v: vs[i]})
		}
		return futures.Each(vs), es
	case 2:
		v := g.value()
		return futures.Lift(g.promise(ctx, v, nil)), []element{{v: v}}
	case 3:
		err := fmt.Errorf("error %d", g.value())
		return futures.Lift(g.promise(ctx, 0, err)), []element{{err: err.Error()}}
	case 4:
		p := futures.NewPromise[futures.Par[int]](ctx, nil)
		q, es := g.tree(ctx, depth-1)
		g.answers = append(g.answers, func(ctx *rt.Ctx) { _ = p.Fulfil(ctx, q) })
		return futures.LiftPar(p.Future()), es
	default:
		p, es := g.tree(ctx, depth-1)
		q, fs := g.tree(ctx, depth-1)
		return futures.Merge(p, q), slices.Concat(es, fs)
	}
}

func (g *grove) answer(ctx *rt.Ctx) {
	g.Shuffle(len(g.answers), func(i, j int) { g.answers[i], g.answers[j] = g.answers[j], g.answers[i] })
	for _, f := range g.answers {
		f(ctx)
	}
	g.answers = nil
}

func elementsOf(t testing.TB, cctx **rt.Ctx, p futures.Par[int]) []element {
	rs, err := futures.Results(*cctx, p).Get(cctx)
	require.NoError(t, err)
	var es []element
	for _, r := range rs {
		e := element{v: r.Value}
		if r.Err != nil {
			e.err = r.Err.Error()
		}
		es = append(es, e)
	}
	return es
}

// mapped is what fn makes of the values of a list.
func mapped(es []element, fn func(v int) (int, error)) (out []element) {
	for _, e := range es {
		if e.err == "" {
			v, err := fn(e.v)
			if e = (element{v: v}); err != nil {
				e = element{err: err.Error()}
			}
		}
		out = append(out, e)
	}
	return out
}

var errThirteen = errors.New("thirteen")

func double(v int) (int, error) {
	if v%13 == 0 {
		return 0, errThirteen
	}
	return 2 * v, nil
}

func onActor[A, B any](fn func(v A) (B, error)) func(**rt.Ctx, A) (B, error) {
	return func(_ **rt.Ctx, v A) (B, error) { return fn(v) }
}

func odd(v int) (bool, error) { return v%2 == 1, nil }

func distinct(es []element, keep func(v int) bool) (out []element) {
	seen := map[int]bool{}
	for _, e := range es {
		if e.err != "" || keep(e.v) && !seen[e.v] {
			out = append(out, e)
			seen[e.v] = seen[e.v] || e.err == ""
		}
	}
	return out
}

// firstError is the first error of a list, or nil.
func firstError(es []element) string {
	for _, e := range es {
		if e.err != "" {
			return e.err
		}
	}
	return ""
}

// Every operation on random collections gives what the same gives on a list, whatever comes in which order.
func TestParAgreesWithLists(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	rounds := uint64(hammer.Rounds(150, 20_000))
	for seed := range rounds {
		require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
			g := &grove{Rand: rand.New(rand.NewPCG(seed, 1))}
			ctx := *cctx
			p, es := g.tree(ctx, 5)
			q, fs := g.tree(ctx, 4)
			doubled := futures.Map(ctx, p, onActor(double))
			odds := futures.Filter(ctx, p, onActor(odd))
			sums := futures.Zip(ctx, p, q, func(_ **rt.Ctx, x, y int) (int, error) { return x + 100*y, nil })
			pairs := futures.Join(ctx, futures.Merge(futures.Value(p), futures.Value(q)))
			once, union, both := futures.Distinct(ctx, p), futures.Union(ctx, p, q), futures.Intersection(ctx, p, q)
			groups := futures.GroupBy(ctx, p, onActor(func(v int) (int, error) { return v % 3, nil }))
			concat := func(_ **rt.Ctx, a string, v string) (string, error) { return a + v, nil }
			text := futures.Reduce(ctx, futures.Map(ctx, p, onActor(func(v int) (string, error) { return fmt.Sprint(v, ","), nil })), "", concat)
			folded := futures.Fold(ctx, p, "", func(_ **rt.Ctx, a string, v int) (string, error) { return a + fmt.Sprint(v, ","), nil })
			all, count, first := futures.Extract(ctx, p), futures.Count(ctx, p), futures.First(ctx, futures.Map(ctx, p, onActor(double)))
			g.answer(ctx)

			check := func(name string, want []element, got futures.Par[int]) {
				assert.Equal(t, want, elementsOf(t, cctx, got), "%s, seed %d", name, seed)
			}
			check("Map", mapped(es, double), doubled)
			check("Filter", slices.DeleteFunc(slices.Clone(es), func(e element) bool { return e.err == "" && e.v%2 == 0 }), odds)
			check("Join", slices.Concat(es, fs), pairs)
			check("Distinct", distinct(es, func(int) bool { return true }), once)
			check("Union", distinct(slices.Concat(es, fs), func(int) bool { return true }), union)
			var zipped []element
			for i := range min(len(es), len(fs)) {
				e := element{v: es[i].v + 100*fs[i].v}
				if es[i].err != "" {
					e = es[i]
				} else if fs[i].err != "" {
					e = fs[i]
				}
				zipped = append(zipped, e)
			}
			check("Zip", zipped, sums)
			if err := firstError(fs); err == "" {
				check("Intersection", distinct(es, func(v int) bool { return slices.Contains(fs, element{v: v}) }), both)
			} else {
				check("Intersection", []element{{err: err}}, both)
			}
			want, wantErr := "", firstError(es)
			var values []int
			keys := []int{}
			errs := 0
			for _, e := range es {
				if e.err != "" {
					errs++
					continue
				}
				want += fmt.Sprint(e.v, ",")
				values = append(values, e.v)
				if !slices.Contains(keys, e.v%3) {
					keys = append(keys, e.v%3)
				}
			}
			for name, f := range map[string]futures.Future[string]{"Reduce": text, "Fold": folded} {
				got, err := f.Get(cctx)
				if wantErr == "" {
					assert.NoError(t, err, name)
					assert.Equal(t, want, got, "%s, seed %d", name, seed)
				} else {
					assert.EqualError(t, err, wantErr, "%s, seed %d", name, seed)
				}
			}
			got, err := all.Get(cctx)
			if wantErr == "" {
				assert.NoError(t, err)
				assert.Equal(t, values, got)
			} else {
				assert.EqualError(t, err, wantErr)
			}
			n, err := count.Get(cctx)
			assert.NoError(t, err)
			assert.Equal(t, len(es), n)
			grouped, err := futures.Results(*cctx, groups).Get(cctx)
			assert.NoError(t, err)
			assert.Len(t, grouped, len(keys)+errs)
			for i, k := range keys {
				assert.Equal(t, k, grouped[i].Value.Key)
				assert.Equal(t, slices.DeleteFunc(slices.Clone(values), func(v int) bool { return v%3 != k }), grouped[i].Value.Values)
			}
			v, err := first.Get(cctx)
			if ds := mapped(es, double); slices.ContainsFunc(ds, func(e element) bool { return e.err == "" }) {
				assert.NoError(t, err)
				assert.Contains(t, ds, element{v: v})
			} else if len(es) == 0 {
				assert.ErrorIs(t, err, futures.ErrEmpty)
			} else {
				var failed *futures.AllFailedError
				assert.ErrorAs(t, err, &failed)
			}
		}))
	}
}

// A collection may be as deep as memory allows, on either side, and no stack grows with it.
func TestDeepPar(t *testing.T) {
	n := hammer.Rounds(100_000, 10_000_000)
	if hammer.Race {
		n /= 10
	}
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		for _, right := range []bool{false, true} {
			for _, futuresOnly := range []bool{false, true} {
				if futuresOnly && n > 1_000_000 {
					n = 1_000_000
				}
				var p futures.Par[int]
				f := futures.NewPromise[int](*cctx, nil)
				require.NoError(t, f.Fulfil(*cctx, 1))
				for range n {
					q := futures.Value(1)
					if futuresOnly {
						q = futures.Lift(f.Future())
					}
					if right {
						p = futures.Merge(q, p)
					} else {
						p = futures.Merge(p, q)
					}
				}
				sum, err := futures.Fold(*cctx, p, 0, func(_ **rt.Ctx, a, v int) (int, error) { return a + v, nil }).Get(cctx)
				assert.NoError(t, err)
				assert.Equal(t, n, sum)
				if !futuresOnly {
					sum, err = futures.Reduce(*cctx, futures.Map(*cctx, p, onActor(double)), 0, func(_ **rt.Ctx, a, v int) (int, error) { return a + v, nil }).Get(cctx)
					assert.NoError(t, err)
					assert.Equal(t, 2*n, sum)
				}
			}
		}
	}))
}

// A panic is the error of its element, and of no other.
func TestPanicInPar(t *testing.T) {
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		p := futures.Map(*cctx, futures.Each([]int{1, 2, 3}), func(_ **rt.Ctx, v int) (int, error) {
			if v == 2 {
				panic("on purpose")
			}
			return v, nil
		})
		es := elementsOf(t, cctx, p)
		require.Len(t, es, 3)
		assert.Equal(t, element{v: 1}, es[0])
		assert.Contains(t, es[1].err, "on purpose")
		assert.Equal(t, element{v: 3}, es[2])
		var panicked *rt.PanicError
		_, err := futures.Extract(*cctx, p).Get(cctx)
		if assert.ErrorAs(t, err, &panicked) {
			assert.Contains(t, string(panicked.Stack), "TestPanicInPar")
		}
	}))
}

// Prune takes the first value that is there, and nobody goes on for the others.
func TestPruneCancelsTheLosers(t *testing.T) {
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		ctx := *cctx
		ps, fs := several(ctx, 3)
		called := 0
		slow := futures.Chain(ctx, fs[1], func(**rt.Ctx, int) (int, error) { called++; return 0, nil })
		p := futures.Merge(futures.Lift(fs[0]), futures.Lift(slow), futures.Lift(fs[2]))
		won := futures.Prune(ctx, p, onActor(func(v int) (string, error) { return fmt.Sprint("won: ", v), nil }))
		require.NoError(t, ps[2].Fulfil(ctx, 7))
		got, err := futures.Extract(ctx, won).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, []string{"won: 7"}, got)
		_, err = fs[0].Get(cctx)
		assert.ErrorIs(t, err, futures.ErrCanceled)
		_, err = slow.Get(cctx)
		assert.ErrorIs(t, err, futures.ErrCanceled)
		require.NoError(t, ps[1].Fulfil(*cctx, 1))
		assert.NoError(t, futures.Suspend(cctx))
		assert.Zero(t, called, "a function whose answer nobody wants any more")
	}))
}

func TestParOfHeapObjects(t *testing.T) {
	for _, f := range []func(){
		func() { futures.Value[*cons](nil) }, func() { futures.Each[*cons](nil) },
	} {
		assert.PanicsWithValue(t, "futures: a parallel collection of heap objects, which no function could be given beside their actor", f)
	}
	require.NoError(t, run(t, rt.Config{}, func(cctx **rt.Ctx) {
		assert.PanicsWithValue(t, "futures: Map with a nil function", func() { futures.Map[int, int](*cctx, futures.Par[int]{}, nil) })
	}))
}

// The same under many seeds: what comes of a pipeline does not depend on who runs when.
func TestSeedsOfPar(t *testing.T) {
	seeds(t, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			ctx := *cctx
			ps, fs := several(ctx, 3)
			p := futures.Merge(futures.Lift(fs[2]), futures.Value(5), futures.Lift(fs[0]), futures.Lift(fs[1]))
			words := futures.Map(ctx, futures.Filter(ctx, p, onActor(odd)), onActor(func(v int) (string, error) { return fmt.Sprint(v, ","), nil }))
			text := futures.Reduce(ctx, words, "", func(_ **rt.Ctx, a, b string) (string, error) { return a + b, nil })
			for i, q := range ps {
				require.NoError(t, q.Fulfil(*cctx, i+1))
				assert.NoError(t, futures.Suspend(cctx))
			}
			got, err := text.Get(cctx)
			assert.NoError(t, err)
			assert.Equal(t, "3,5,1,", got)
		}))
	})
}
