package rttest_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
	"github.com/encorert/encorert/rt"
	"github.com/encorert/encorert/rt/rttest"
)

// caller is an actor whose messages are functions.
type caller struct{ rt.Actor }

var (
	callerType = rt.ActorType{Name: "test.caller"}
	callNow    = rt.Behaviour{Name: "Call", Run: func(cctx **rt.Ctx, _ *rt.Actor, m *rt.Message) {
		f := *(*func(cctx **rt.Ctx))(m.P0)
		m.P0 = nil
		f(cctx)
	}}
)

func spawn(ctx *rt.Ctx) *caller {
	a := new(caller)
	rt.Spawn(ctx, &a.Actor, &callerType)
	return a
}

func (a *caller) do(ctx *rt.Ctx, f func(cctx **rt.Ctx)) {
	rt.Send(ctx, &a.Actor, rt.Message{B: &callNow, P0: unsafe.Pointer(&f)})
}

// never is a wait that nobody ends.
type never struct{}

func (never) Describe() string       { return "never" }
func (never) Commit(*rt.Waiter) bool { return true }

// outer is a test that notes how it fails.
type outer struct {
	testing.TB
	name   string
	failed string
	logs   []string
}

func (o *outer) Helper()      {}
func (o *outer) Name() string { return o.name }
func (o *outer) Logf(format string, args ...any) {
	o.logs = append(o.logs, fmt.Sprintf(format, args...))
}
func (o *outer) Fatalf(format string, args ...any) {
	o.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// seeds is Seeds of a test that may fail, and returns how it did.
func seeds(t *testing.T, n int, cfg rt.Config, scenario func(t testing.TB, r *rt.Runtime)) *outer {
	o := &outer{TB: t, name: "TestOuter/case"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		rttest.Seeds(o, n, cfg, scenario)
	}()
	<-done
	return o
}

// lostUpdate lets two actors add to a counter that a third keeps, by asking for it and then setting it: who sets last
// may not have seen what the other has set.
func lostUpdate(t testing.TB, r *rt.Runtime) {
	count := 0
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		keeper := spawn(ctx)
		for range 2 {
			adder := spawn(ctx)
			adder.do(ctx, func(cctx **rt.Ctx) {
				keeper.do(*cctx, func(cctx **rt.Ctx) {
					seen := count
					adder.do(*cctx, func(cctx **rt.Ctx) {
						keeper.do(*cctx, func(**rt.Ctx) { count = seen + 1 })
					})
				})
			})
		}
	}))
	assert.Equal(t, 2, count, "an update is lost")
}

// A fault that needs one order of messages among several is found within few seeds, by each number of workers, and its
// seed finds it again.
func TestSeedsFindALostUpdate(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	for workers := 1; workers <= 4; workers++ {
		o := seeds(t, 50, rt.Config{Workers: workers}, lostUpdate)
		require.Contains(t, o.failed, "an update is lost", "%d workers", workers)
		require.Contains(t, o.failed, "it fails each time (signature 0x")
		require.Contains(t, o.failed, `go test`)
		require.Contains(t, o.failed, `-run '^TestOuter$/^case$' .`)
		var seed string
		for _, word := range strings.Fields(o.failed) {
			if s, ok := strings.CutPrefix(word, rttest.SeedVariable+"="); ok {
				seed = s
			}
		}
		require.NotEmpty(t, seed, o.failed)
		t.Run("replay", func(t *testing.T) {
			t.Setenv(rttest.SeedVariable, seed)
			again := seeds(t, 1, rt.Config{Workers: workers}, lostUpdate)
			assert.Contains(t, again.failed, "an update is lost")
			log := strings.Join(again.logs, "\n")
			assert.Contains(t, log, "test.caller#2.Call")
			_, signature, _ := strings.Cut(o.failed, "(signature ")
			signature, _, _ = strings.Cut(signature, ")")
			assert.Contains(t, log, "seed "+seed+" has signature "+signature)
		})
	}
}

func TestSeedsSaysWhatIsWrong(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	defer rttest.HangAfter(500 * time.Millisecond)()
	tries := 0
	for name, c := range map[string]struct {
		scenario func(t testing.TB, r *rt.Runtime)
		want     []string
	}{
		"error in a behaviour": {func(t testing.TB, r *rt.Runtime) {
			assert.NoError(t, r.Run(func(cctx **rt.Ctx) {
				spawn(*cctx).do(*cctx, func(**rt.Ctx) { t.Errorf("no %d", 1) })
			}))
		}, []string{"seeds_test.go:", "no 1", "fails each time"}},
		"fatal in a behaviour": {func(t testing.TB, r *rt.Runtime) {
			_ = r.Run(func(cctx **rt.Ctx) {
				spawn(*cctx).do(*cctx, func(**rt.Ctx) { t.Fatal("fatal") })
			})
		}, []string{"fatal"}},
		"fatal in the scenario": {func(t testing.TB, r *rt.Runtime) {
			t.Cleanup(func() { t.Log("cleaned") })
			t.Fatalf("fatal")
		}, []string{"fatal\n"}},
		"panic in a behaviour": {func(t testing.TB, r *rt.Runtime) {
			_ = r.Run(func(cctx **rt.Ctx) { spawn(*cctx).do(*cctx, func(**rt.Ctx) { panic("boom") }) })
		}, []string{"rt: panic in test.caller.Call: boom", "seeds_test.go"}},
		"panic in the scenario": {func(t testing.TB, r *rt.Runtime) { panic("boom") },
			[]string{"the scenario panics: boom", "seeds_test.go"}},
		"hang": {func(t testing.TB, r *rt.Runtime) {
			_ = r.Do(context.Background(), func(cctx **rt.Ctx) { _ = rt.Block(cctx, never{}) })
		}, []string{"it hangs", "rt.Do.do blocks on never"}},
		"another way each time": {func(t testing.TB, r *rt.Runtime) {
			tries++
			_ = r.Run(func(cctx **rt.Ctx) {
				for range tries {
					spawn(*cctx).do(*cctx, func(**rt.Ctx) {})
				}
			})
			t.Fail()
		}, []string{"went another way"}},
		"another end": {func(t testing.TB, r *rt.Runtime) {
			if tries++; tries%2 == 0 {
				t.Fail()
			}
		}, []string{"did not fail"}},
	} {
		t.Run(name, func(t *testing.T) {
			tries = 0
			o := seeds(t, 3, rt.Config{}, c.scenario)
			for _, want := range c.want {
				assert.Contains(t, o.failed, want)
			}
		})
	}
}

func TestSeedsThatHold(t *testing.T) {
	used, cleaned := map[uint64]bool{}, 0
	o := seeds(t, 20, rt.Config{Seed: 100}, func(t testing.TB, r *rt.Runtime) {
		t.Cleanup(func() {
			cleaned++
			assert.ErrorIs(t, r.Err(), rt.ErrClosed)
		})
		require.NoError(t, r.Run(func(cctx **rt.Ctx) { spawn(*cctx).do(*cctx, func(**rt.Ctx) {}) }))
		used[r.Signature()] = true
		t.Skip("enough")
	})
	assert.Empty(t, o.failed)
	assert.Equal(t, 20, cleaned)
	assert.NotEmpty(t, used)
}

func TestVariables(t *testing.T) {
	n := 0
	count := func(testing.TB, *rt.Runtime) { n++ }
	t.Setenv(rttest.SeedsVariable, "7")
	assert.Empty(t, seeds(t, 3, rt.Config{}, count).failed)
	assert.Equal(t, 7, n)
	t.Setenv(rttest.SeedVariable, "0x10")
	assert.Empty(t, seeds(t, 3, rt.Config{}, count).failed)
	assert.Equal(t, 8, n, "one only")
	for _, wrong := range []string{"0", "-1", "seven"} {
		t.Setenv(rttest.SeedVariable, wrong)
		assert.Contains(t, seeds(t, 3, rt.Config{}, count).failed, rttest.SeedVariable)
	}
}

func TestIdleReportsWhoWaits(t *testing.T) {
	for _, seed := range []uint64{0, 1} {
		r, err := rt.New(rt.Config{Seed: seed})
		require.NoError(t, err)
		assert.Empty(t, rttest.Idle(t, r))
		require.NoError(t, r.Do(context.Background(), func(cctx **rt.Ctx) {
			spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) { _ = rt.Await(cctx, never{}) })
		}))
		assert.Equal(t, []rt.BlockedWait{{Actor: "test.caller", Behaviour: "Call", For: "never"}}, rttest.Idle(t, r))
		require.NoError(t, r.Close())
	}
}

// In every mode the same seed gives the same order.
func TestModes(t *testing.T) {
	defer hammer.Watch(t, hammer.Limit)()
	var names []string
	rttest.Modes(t, rt.Config{Workers: 1}, func(t *testing.T, cfg rt.Config) {
		names = append(names, t.Name())
		for seed := range uint64(20) {
			var signatures []uint64
			for range 2 {
				cfg.Seed = seed
				rttest.Seeds(t, 1, cfg, func(t testing.TB, r *rt.Runtime) {
					require.NoError(t, r.Run(func(cctx **rt.Ctx) {
						for range 4 {
							spawn(*cctx).do(*cctx, func(cctx **rt.Ctx) { assert.NoError(t, rt.Suspend(cctx)) })
						}
					}))
					signatures = append(signatures, r.Signature())
				})
			}
			require.Equal(t, signatures[0], signatures[1])
		}
	})
	assert.Equal(t, []string{"TestModes/ordinary", "TestModes/migrate", "TestModes/collect", "TestModes/both"}, names)
}
