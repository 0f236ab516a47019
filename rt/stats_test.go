package rt_test

import (
	"bytes"
	"reflect"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
)

func TestHistogramQuantiles(t *testing.T) {
	var h rt.Histogram
	assert.Zero(t, h.Count())
	assert.Zero(t, h.Quantile(0.5))
	assert.Zero(t, h.Max())
	h[0], h[1], h[4], h[10] = 50, 30, 19, 1 // 0, 1, 8 to 15, 512 to 1023
	assert.EqualValues(t, 100, h.Count())
	for _, c := range []struct {
		q    float64
		want uint64
	}{{0, 0}, {0.25, 0}, {0.49, 0}, {0.5, 1}, {0.79, 1}, {0.8, 15}, {0.98, 15}, {0.99, 1023}, {1, 1023}} {
		assert.Equal(t, c.want, h.Quantile(c.q), "quantile %v", c.q)
	}
	assert.EqualValues(t, 1023, h.Max())
}

// What is counted of each worker adds up, and fits together.
func TestStatsAddUp(t *testing.T) {
	runs := hammer.Rounds(20, 2_000)
	for _, n := range workerCounts {
		r := runtimeOf(t, rt.Config{Workers: n, Batch: 4, MailboxLimit: 8})
		messages := uint64(0)
		for range runs {
			within(t, func() {
				require.NoError(t, r.Run(func(cctx **rt.Ctx) {
					sink := spawn(*cctx)
					for range 20 {
						spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
							for range 10 {
								sink.do(*cctx, nothingToDo)
							}
						})
					}
				}))
			})
			messages += 1 + 20 + 200
		}
		s := noneMuted(t, r)
		assert.Equal(t, messages, s.Messages)
		assert.Len(t, s.PerWorker, n)
		sum := reflect.ValueOf(s.Counters)
		for i := range sum.NumField() {
			total := uint64(0)
			for _, c := range s.PerWorker {
				total += reflect.ValueOf(c).Field(i).Uint()
			}
			assert.Equal(t, sum.Field(i).Uint(), total, sum.Type().Field(i).Name)
		}
		assert.GreaterOrEqual(t, s.Injected, uint64(runs), "the roots")
		assert.LessOrEqual(t, s.StealsWon, s.Steals)
		assert.LessOrEqual(t, s.StealsWon, s.Stolen)
		assert.LessOrEqual(t, s.WokeInVain, s.Woken)
		assert.LessOrEqual(t, s.Woken, s.Wakes+s.WakesFromOutside)
		assert.LessOrEqual(t, s.Woken, s.Sleeps)
		assert.NotZero(t, s.WakesFromOutside)
		assert.NotZero(t, s.Mutes)
	}
}

func typeStats(t *testing.T, s rt.Stats, name string) rt.TypeStats {
	t.Helper()
	for i, x := range s.Types {
		if i > 0 {
			assert.Less(t, s.Types[i-1].Name, x.Name, "sorted")
		}
		if x.Name == name {
			return x
		}
	}
	require.Fail(t, "no samples of "+name)
	return rt.TypeStats{}
}

// An actor that has many messages and handles one a turn is seen with many depths; actors that take turns are seen to wait.
func TestSamplesOfATypesActors(t *testing.T) {
	const messages, turns = 6_000, 6_000
	r := runtimeOf(t, rt.Config{Workers: 1, Spares: -1, Batch: 1})
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		deep := new(scripted)
		rt.Spawn(*cctx, &deep.Actor, &tightType)
		for range messages {
			deep.do(*cctx, nothingToDo)
		}
		for range 3 {
			a := spawn(*cctx)
			var again func(left int) func(cctx **rt.Ctx)
			again = func(left int) func(cctx **rt.Ctx) {
				return func(cctx **rt.Ctx) {
					if left > 0 {
						a.do(*cctx, again(left-1))
					}
				}
			}
			a.do(*cctx, again(turns))
		}
	}))
	s := r.Stats()
	deep, shallow := typeStats(t, s, tightType.Name), typeStats(t, s, scriptedType.Name)
	assert.GreaterOrEqual(t, deep.Depth.Max(), uint64(1<<10-1))
	assert.EqualValues(t, 1, shallow.Depth.Max())
	samples := deep.Depth.Count() + shallow.Depth.Count()
	assert.Greater(t, samples, uint64((messages+3*turns)/512))
	assert.Greater(t, deep.Depth.Count(), samples/16, "not always the same actors")
	assert.Less(t, deep.Depth.Count(), samples*15/16)
	assert.Equal(t, shallow.Depth.Count(), shallow.Waiting.Count())
	assert.NotZero(t, shallow.Waiting.Max(), "the others' turns take time")

	text := s.String()
	for _, want := range []string{"Messages", "worker 0", "test.tight", "1 / ", "Injected"} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "Steals", "rows that are 0 are left out")
	t.Log("\n" + text)
}

// Waits are measured also of actors that change workers, and of those that come from outside.
func TestSamplesOfSharedActors(t *testing.T) {
	r := runtimeOf(t, rt.Config{Workers: 4})
	within(t, func() {
		for {
			require.NoError(t, r.Do(background, func(cctx **rt.Ctx) {
				for range 10 {
					spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) { spawn(*cctx).do(*cctx, nothingToDo) })
				}
				rt.Flush(*cctx)
				runtime.Gosched() // on one processor nobody else would get to steal
			}))
			waited := map[string]uint64{}
			s := r.Stats()
			for i := range s.Types {
				waited[s.Types[i].Name] = s.Types[i].Waiting.Count()
			}
			if waited["rt.Do"] > 20 && waited[scriptedType.Name] > 20 && s.Stolen > 0 {
				break
			}
		}
	})
}

// With Config.ProfileLabels a profile tells what each goroutine runs, also where a behaviour is parked.
func TestProfileLabels(t *testing.T) {
	profile := func() string {
		var b bytes.Buffer
		require.NoError(t, pprof.Lookup("goroutine").WriteTo(&b, 1))
		return b.String()
	}
	const label = `"actor":"test.scripted", "behaviour":"Call"`
	for _, on := range []bool{false, true} {
		r := runtimeOf(t, rt.Config{Workers: 2, ProfileLabels: on})
		var inside, parked string
		require.NoError(t, r.Run(func(cctx **rt.Ctx) {
			a, b, g := spawn(*cctx), spawn(*cctx), new(gate)
			for range 300 {
				a.do(*cctx, nothingToDo)
			}
			a.do(*cctx, func(**rt.Ctx) { inside = profile() })
			b.do(*cctx, func(cctx **rt.Ctx) { assert.NoError(t, rt.Await(cctx, g)) })
			b.do(*cctx, func(cctx **rt.Ctx) {
				spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) {
					parked = profile()
					g.unlock(*cctx)
				})
			})
		}))
		assert.Equal(t, on, strings.Contains(inside, label))
		assert.Equal(t, on, strings.Count(parked, label) >= 1)
		assert.NotContains(t, profile(), label, "nothing runs any more")
		r.Close()
	}
}
