package rttest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/encorert/encorert/rt"
)

const (
	// SeedVariable names the environment variable that makes Seeds run one seed only, and log its turns.
	SeedVariable = "ENCORERT_SEED"
	// SeedsVariable names the one that says how many seeds to run instead of what the test says: for a night.
	SeedsVariable = "ENCORERT_SEEDS"
)

// Seeds calls scenario n times, each with a new systematic runtime (rt.Config.Seed), with the seeds that follow
// cfg.Seed: 1 to n where that is 0. It stops at the first that fails, says which, and fails t at once. A scenario fails
//
//   - by its t, as any test does, also from inside a behaviour
//   - when it panics, or a behaviour does whose panic ends the run
//   - when nothing moves any more and it has not returned; the report then names the behaviours that wait
//
// A seed that fails is tried once more, and the report says when it does not fail in the same way: then the scenario
// breaks the rules of this package. t of a scenario is not the test's: it belongs to one seed, as do its Cleanup
// functions, which are called after the runtime was closed; Skip ends that seed only, and well, also after a panic that
// the scenario has expected. What still runs when the scenario
// returns is cut off: let it end with Run, or with Idle.
func Seeds(t testing.TB, n int, cfg rt.Config, scenario func(t testing.TB, r *rt.Runtime)) {
	t.Helper()
	seed, one := number(t, SeedVariable)
	if one {
		cfg.OnTurn = func(turn rt.Turn) {
			t.Logf("worker %d: %s#%d.%s", turn.Worker, turn.Actor, turn.Number, turn.Behaviour)
		}
		alone := (&trial{TB: t, again: true}).run(cfg, seed, scenario)
		t.Logf("seed %d has signature %#x", seed, alone.signature)
		if alone.Failed() {
			t.Fatalf("seed %d fails:\n%s", seed, alone.text())
		}
		return
	}
	if many, given := number(t, SeedsVariable); given {
		n = int(many)
	}
	for i := range uint64(n) {
		seed := cfg.Seed + 1 + i
		first := (&trial{TB: t}).run(cfg, seed, scenario)
		if !first.Failed() {
			continue
		}
		t.Fatalf("seed %d fails (number %d of %d):\n%s\n%s\nto run it again: %s", seed, i+1, n,
			first.text(), first.oneMore(cfg, seed, scenario), command(t, seed))
	}
}

// oneMore runs a seed that has failed once more and says how that went.
func (first *trial) oneMore(cfg rt.Config, seed uint64, scenario func(t testing.TB, r *rt.Runtime)) string {
	if first.hangs {
		return "it was not tried once more, since that takes long"
	}
	second := (&trial{TB: first.TB, again: true}).run(cfg, seed, scenario)
	switch {
	case first.signature != second.signature:
		return fmt.Sprintf("NB: a second time it went another way (signatures %#x and %#x): the scenario has choices of its own, "+
			"such as goroutines, maps or time", first.signature, second.signature)
	case !second.Failed():
		return "NB: a second time it went the same way and did not fail: the scenario keeps something from one run to the next"
	}
	return fmt.Sprintf("it fails each time (signature %#x)", first.signature)
}

// command is how to run one seed of this test.
func command(t testing.TB, seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s=%d ", SeedVariable, seed)
	if modes := os.Getenv(rt.ModesVariable); modes != "" {
		fmt.Fprintf(&b, "%s=%s ", rt.ModesVariable, modes)
	}
	b.WriteString("go test")
	if tags := buildTags; tags != "" {
		b.WriteString(" " + tags)
	}
	parts := strings.Split(t.Name(), "/")
	for i, p := range parts {
		parts[i] = "^" + p + "$"
	}
	fmt.Fprintf(&b, " -run '%s' .", strings.Join(parts, "/"))
	return b.String()
}

// number reads an environment variable.
func number(t testing.TB, variable string) (x uint64, given bool) {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return 0, false
	}
	x, err := strconv.ParseUint(text, 0, 64)
	if err != nil || x == 0 {
		t.Fatalf("rttest: %s is %q, want a positive number", variable, text)
	}
	return x, true
}
