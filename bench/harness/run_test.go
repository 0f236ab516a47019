package harness

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRunInterleavesAfterWarmUp(t *testing.T) {
	var steps []string
	r := Runner{Runs: 3, Warmup: 2, Timeout: time.Minute, Step: func(v string) { steps = append(steps, v) }}
	plan := fakePlan(Common{}, "steady", "slow")
	plan.Variants[1].Warmup = 3
	res, err := r.Run(t.Context(), plan)
	require.NoError(t, err)
	require.Equal(t, "steady steady slow slow slow steady slow steady slow steady slow", strings.Join(steps, " "))
	require.Len(t, steps, r.steps(plan))
	require.Equal(t, []string{"steady", "slow"}, res.Order)
	require.Equal(t, []float64{13, 14, 15}, res.Series["steady"].Samples(Millis))
	require.Equal(t, []float64{42, 45, 48}, res.Series["slow"].Samples(Millis))
	require.Equal(t, []float64{6, 8, 10}, res.Series["steady"].Values("collections"))
	require.Len(t, res.Series["slow"].Warm, 3)
	require.Empty(t, res.Missing)
}

func TestRunReadsMemoryOfEachProcess(t *testing.T) {
	if PeakRSSKiB() == 0 {
		return // unknown on this system, which reports as unknown
	}
	res, err := Runner{Runs: 1, Warmup: 1, Timeout: time.Minute}.Run(t.Context(), fakePlan(Common{}, "steady"))
	require.NoError(t, err)
	require.Greater(t, res.Series["steady"].PeakRSSKiB(), int64(1024))
	require.Positive(t, peakOfProcess(os.Getpid()))
}

func TestRunSetsEnvironment(t *testing.T) {
	t.Setenv("GOGC", "17")
	_, err := Runner{Runs: 1, Warmup: 1, Timeout: time.Minute}.Run(t.Context(), fakePlan(Common{}, "environment"))
	require.NoError(t, err)
}

func TestRunFailsWithItsChildren(t *testing.T) {
	for _, c := range []struct{ variant, want string }{
		{"miscounts", "variant miscounts counted 41 where the job has 42"},
		{"fails", "variant fails: reported: the tree is damaged"},
		{"dies", "its process ended in repetition 1: exit status 3\non stderr it said:\n    panic: no more memory"},
		{"dies-later", "its process ended in repetition 3: exit status 3"},
		{"garbage", `answered "warming up..."`},
		{"chatters", "wrote to stdout what no request asked for"},
	} {
		t.Run(c.variant, func(t *testing.T) {
			r := Runner{Runs: 3, Warmup: 1, Timeout: time.Minute}
			_, err := r.Run(t.Context(), fakePlan(Common{}, "steady", c.variant))
			require.ErrorContains(t, err, c.want)
			require.Equal(t, 1, Status(err))
		})
	}
}

func TestRunWrongCountIsTyped(t *testing.T) {
	plan := fakePlan(Common{}, "miscounts")
	plan.Variants[0].Optional = true // does not excuse it
	_, err := Runner{Runs: 1, Warmup: 1, Timeout: time.Minute}.Run(t.Context(), plan)
	var wrong *CountError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, CountError{Variant: "miscounts", Got: 41, Want: 42}, *wrong)
}

func TestRunOptionalVariantMayBeMissing(t *testing.T) {
	plan := fakePlan(Common{}, "dies", "steady")
	plan.Variants[0].Optional = true
	plan.Missing = map[string]string{"other": "not installed"}
	res, err := Runner{Runs: 1, Warmup: 1, Timeout: time.Minute}.Run(t.Context(), plan)
	require.NoError(t, err)
	require.Equal(t, []string{"steady"}, res.Order)
	require.Equal(t, "not installed", res.Missing["other"])
	require.Equal(t, "its process ended in repetition 1: exit status 3 (panic: no more memory)", res.Missing["dies"])
}

func TestRunProgramThatIsNotThere(t *testing.T) {
	plan := fakePlan(Common{}, "steady")
	plan.Variants[0].Launch = func(*Results) (Launch, error) { return Launch{Args: []string{"/no/such/program"}}, nil }
	_, err := Runner{Runs: 1, Warmup: 1, Timeout: time.Minute}.Run(t.Context(), plan)
	require.ErrorContains(t, err, "variant steady: starting it")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestRunTimesOut(t *testing.T) {
	start := time.Now()
	_, err := Runner{Runs: 1, Warmup: 1, Timeout: 50 * time.Millisecond}.Run(t.Context(), fakePlan(Common{}, "hangs"))
	require.ErrorIs(t, err, errTimeout)
	require.Less(t, time.Since(start), 5*time.Second, "the child is killed, not waited for")
}

func TestRunInterrupted(t *testing.T) {
	stdctx, cancel := context.WithCancel(t.Context())
	r := Runner{Runs: 1, Warmup: 1, Timeout: time.Minute, Step: func(v string) {
		if v == "hangs" {
			time.AfterFunc(50*time.Millisecond, cancel)
		}
	}}
	start := time.Now()
	_, err := r.Run(stdctx, fakePlan(Common{}, "steady", "hangs"))
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "interrupted")
	require.Less(t, time.Since(start), 5*time.Second)
}
