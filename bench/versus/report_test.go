package versus

import (
	"testing"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/harness/harnesstest"
)

func TestReportGoldens(t *testing.T) {
	reps := func(millis ...float64) (out []harness.Repetition) {
		for _, ms := range millis {
			out = append(out, harness.Repetition{Millis: ms, Count: 1_000_000, RSSKiB: 12 << 10})
		}
		return out
	}
	res := harnesstest.Results([]string{Actors, Chan, Mutex}, map[string][]harness.Repetition{
		Actors: reps(10, 11, 12), Chan: reps(40, 43, 41), Mutex: reps(20, 21, 23),
	})
	for name, form := range map[string]Form{"nanos": Nanos, "rate": Rate} {
		common := harness.Common{Workers: 2, Runs: 3, Flags: map[string]float64{"pingers": 25}}
		r := newReport("fake", "25 pingers x 1 ping", "ping", form, common, res)
		r.Machine = harnesstest.Machine
		harnesstest.Goldens(t, name, r)
	}
}
