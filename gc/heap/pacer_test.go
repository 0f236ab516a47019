package heap

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// mutator is a program as the pacer sees it.
type mutator struct {
	step     uintptr // bytes handed out between two safepoints
	survives uint    // percent of them that live at the next collection
	live     uint    // the most bytes of old objects that are live: older ones die
}

// simulated is what a simulation counted.
type simulated struct {
	minor, full    int
	allocated      uint // bytes
	marked         uint // bytes visited by all collections: of a minor one the survivors, of a full one what is live
	marksInFull    uint
	promoted       uint // grew old
	largestNursery uintptr
	mostOld        uintptr
	trigger        uintptr
}

// simulate lets a program hand out total bytes under a pacer. There is no heap: only counters.
func simulate(with pace, m mutator, total uint) (out simulated) {
	p, live := with.start(), uint(0)
	for out.allocated < total {
		p.allocated += m.step
		out.allocated += uint(m.step)
		if !p.Due() {
			continue
		}
		out.largestNursery = max(out.largestNursery, p.allocated)
		full := p.fullDue(with)
		survived := uint(uint64(p.allocated) * uint64(m.survives) / 100)
		out.promoted += survived
		live = min(live+survived, m.live)
		if full {
			survived = live
			out.full++
			out.marksInFull += survived
		} else {
			out.minor++
		}
		out.marked += survived
		p = p.after(with, uintptr(survived), full)
		out.mostOld = max(out.mostOld, p.old)
	}
	out.trigger = p.trigger
	return out
}

const mib = 1 << 20

// TestPacerSimulation: programs of many kinds under the pacer, by counters alone.
func TestPacerSimulation(t *testing.T) {
	normal := pace{nursery: DefaultNursery}
	for _, c := range []struct {
		name  string
		with  pace
		m     mutator
		total uint
		check func(t *testing.T, s simulated)
	}{
		{"all dies young", normal, mutator{4 << 10, 0, 0}, 1000 * mib, func(t *testing.T, s simulated) {
			require.Zero(t, s.full, "nothing is old")
			require.EqualValues(t, DefaultNursery, s.trigger)
			require.InDelta(t, 500, s.minor, 10)
		}},
		{"a small actor", normal, mutator{64, 50, 1000}, 30 << 10, func(t *testing.T, s simulated) {
			require.Zero(t, s.minor+s.full, "it never pays")
			require.EqualValues(t, firstTrigger, s.trigger)
		}},
		{"a large live heap, little garbage", normal, mutator{4 << 10, 2, 512 * mib}, 4000 * mib, func(t *testing.T, s simulated) {
			require.Less(t, s.full, 12, "as many as it can double")
			require.Less(t, s.marksInFull, 4*s.promoted)
		}},
		{"everything survives", normal, mutator{4 << 10, 100, math.MaxInt}, 1024 * mib, func(t *testing.T, s simulated) {
			require.LessOrEqual(t, s.full, 8, "one for each doubling from 8 MiB")
			require.LessOrEqual(t, s.marksInFull, 3*s.promoted)
		}},
		{"a queue: all survives once and dies old", normal, mutator{4 << 10, 100, 16 * mib}, 4000 * mib, func(t *testing.T, s simulated) {
			require.LessOrEqual(t, s.mostOld, uintptr(2*16*mib+2*DefaultNursery), "garbage is at most as much as what lives")
			require.Less(t, s.marked, 3*s.allocated)
		}},
		{"a large heap in which nothing dies young", normal, mutator{4 << 10, 90, 64 * mib}, 4000 * mib, func(t *testing.T, s simulated) {
			require.InDelta(t, s.full, s.minor, 40, "a minor collection for each full one, and those in which the heap grew")
			require.Less(t, s.marked, 5*s.allocated/4)
			require.LessOrEqual(t, s.mostOld, uintptr(2*64*mib+2*DefaultNursery))
		}},
		{"a large heap in which most dies young", normal, mutator{4 << 10, 10, 64 * mib}, 4000 * mib, func(t *testing.T, s simulated) {
			require.Greater(t, s.minor, 100*s.full)
			require.EqualValues(t, DefaultNursery, s.trigger)
		}},
		{"two safepoints far apart", normal, mutator{40 * mib, 1, mib}, 4000 * mib, func(t *testing.T, s simulated) {
			require.Equal(t, 100, s.minor+s.full)
			require.EqualValues(t, DefaultNursery, s.trigger, "busy at once")
		}},
		{"memory is short", pace{nursery: DefaultNursery, pressed: true}, mutator{4 << 10, 50, mib}, 100 * mib, func(t *testing.T, s simulated) {
			require.LessOrEqual(t, s.largestNursery, uintptr(firstTrigger+4<<10))
			require.EqualValues(t, firstTrigger, s.trigger)
			require.LessOrEqual(t, s.mostOld, uintptr(mib+mib/8+2*firstTrigger), "old garbage is not waited for")
		}},
		{"every safepoint collects", pace{nursery: DefaultNursery, always: true}, mutator{1 << 10, 1, mib}, mib, func(t *testing.T, s simulated) {
			require.Equal(t, 1024, s.minor+s.full)
		}},
		{"a tiny nursery", pace{nursery: 8 << 10}, mutator{1 << 10, 10, mib}, 10 * mib, func(t *testing.T, s simulated) {
			require.EqualValues(t, 8<<10, s.trigger)
			require.EqualValues(t, 8<<10, s.largestNursery)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := simulate(c.with, c.m, c.total)
			require.Equal(t, s, simulate(c.with, c.m, c.total), "the same counters, the same decisions")
			c.check(t, s)
		})
	}
}

// TestPacerBounds holds for any program: garbage among what is old is bounded by what lives, full collections are paid for
// by what has grown old since, and nurseries by what is configured.
func TestPacerBounds(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		with := pace{nursery: uintptr(64<<10) << r.IntN(6)}
		m := mutator{step: uintptr(64) << r.IntN(12), survives: uint(r.IntN(101)), live: uint(mib) << r.IntN(7) / uint(1+r.IntN(4))}
		live := uintptr(m.live)
		s := simulate(with, m, 400*mib)
		said := fmt.Sprintf("seed %d: %+v", seed, s)
		require.LessOrEqual(t, s.largestNursery, max(with.nursery, live)+m.step, said)
		require.LessOrEqual(t, s.mostOld, max(2*live, 4*with.nursery)+with.nursery+m.step, said)
		require.LessOrEqual(t, s.marksInFull, 2*s.promoted+uint(live), said)
	}
}
