package rttest

import (
	"errors"
	"testing"

	"github.com/encorert/encorert/rt"
)

// Idle waits until nothing can run any more and nothing holds the run open, and returns the behaviours that wait for
// what can never come. It fails t if the runtime has stopped. On a goroutine outside of the runtime; as every call from
// outside it is a turn of a systematic runtime.
func Idle(t testing.TB, r *rt.Runtime) []rt.BlockedWait {
	t.Helper()
	err := r.Run(func(**rt.Ctx) {})
	if blocked, ok := errors.AsType[*rt.BlockedError](err); ok {
		return blocked.Waits
	}
	if err != nil {
		t.Fatalf("rttest: Idle: %v", err)
	}
	return nil
}

// Migrating returns cfg with every behaviour that has waited going on on another worker.
func Migrating(cfg rt.Config) rt.Config {
	cfg.Workers = max(cfg.Workers, 2)
	cfg.AlwaysMigrate = true
	return cfg
}

// Collecting returns cfg with a collection at every chance, after which the whole heap is checked, and with freed
// memory overwritten: a heap pointer that nobody marks does not live long.
func Collecting(cfg rt.Config) rt.Config {
	cfg.CollectAlways, cfg.Verify, cfg.Poison = true, true, true
	return cfg
}

// Modes runs a test as it is and in each of the modes that make rare things happen always, and in all of them together.
func Modes(t *testing.T, cfg rt.Config, test func(t *testing.T, cfg rt.Config)) {
	t.Helper()
	for _, mode := range []struct {
		name string
		cfg  rt.Config
	}{
		{"ordinary", cfg},
		{"migrate", Migrating(cfg)},
		{"collect", Collecting(cfg)},
		{"both", Migrating(Collecting(cfg))},
	} {
		t.Run(mode.name, func(t *testing.T) { test(t, mode.cfg) })
	}
}
