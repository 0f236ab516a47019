package gcbench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
)

// smallJob is the size of the flags in small.
var smallJob = Job{StretchDepth: 8, LongDepth: 7, Array: 1000, MinDepth: 2, MaxDepth: 6, Actors: 1}

func TestNodesOfTheClassicSize(t *testing.T) {
	require.EqualValues(t, 1, TreeSize(0))
	require.EqualValues(t, 524287, TreeSize(18))
	// As the original prints them: "Creating 33824 trees of depth 4" up to 8 of depth 16.
	require.EqualValues(t, 33824, Classic.Iterations(4))
	require.EqualValues(t, 8, Classic.Iterations(16))
	require.EqualValues(t, 15_333_862, Classic.Nodes())
	two := Classic
	two.Actors = 2
	require.EqualValues(t, 2*15_333_862, two.Nodes())
}

func TestValidate(t *testing.T) {
	require.NoError(t, Classic.Validate())
	for _, c := range []struct {
		change func(*Job)
		want   string
	}{
		{func(j *Job) { j.StretchDepth = -1 }, "--stretch-depth must be between 0 and 24, got -1"},
		{func(j *Job) { j.LongDepth = 25 }, "--long-depth"},
		{func(j *Job) { j.MinDepth = -2 }, "--min-depth"},
		{func(j *Job) { j.MaxDepth = 60 }, "--max-depth"},
		{func(j *Job) { j.MinDepth, j.MaxDepth = 8, 6 }, "--min-depth 8 is above --max-depth 6"},
		{func(j *Job) { j.Array = 0 }, "--array"},
		{func(j *Job) { j.Actors = 0 }, "--actors"},
	} {
		j := Classic
		c.change(&j)
		require.ErrorContains(t, j.Validate(), c.want)
	}
}

// repeats are the variants by name, for one process.
func repeats(t *testing.T, job Job) map[string]harness.Repeat {
	bump, err := repeatBump(job)
	require.NoError(t, err)
	return map[string]harness.Repeat{
		variantActors: repeatActors(params{Job: job, Workers: 2}, nil),
		variantGo:     repeatPlain(job),
		variantBump:   bump,
	}
}

func TestVariantsCountAllNodes(t *testing.T) {
	for _, actors := range []int{1, 3} {
		job := smallJob
		job.Actors = actors
		for name, repeat := range repeats(t, job) {
			for range 3 { // a later repetition must not see what an earlier one left
				rep, err := repeat()
				require.NoError(t, err, name)
				require.Equal(t, job.Nodes(), rep.Count, name)
				require.Positive(t, rep.Millis, name)
			}
		}
	}
}

func TestCheckFindsDamage(t *testing.T) {
	array := func() []float64 {
		a := make([]float64, smallJob.Array)
		for i := 1; i < len(a)/2; i++ {
			a[i] = 1 / float64(i)
		}
		return a
	}
	require.NoError(t, smallJob.checkArray(array()))
	require.ErrorContains(t, smallJob.checkArray(array()[1:]), "999 elements instead of 1000")
	damaged := array()
	damaged[999] = 1
	require.ErrorContains(t, smallJob.checkArray(damaged), "element 999 of the array is 1 instead of 0")

	p := &plain{job: smallJob}
	p.run()
	require.NoError(t, p.check())
	p.kept.left.right = nil
	var damage *CheckError
	require.ErrorAs(t, p.check(), &damage)

	b, err := newBump(smallJob)
	require.NoError(t, err)
	b.run()
	require.NoError(t, b.check())
	b.kept.right = nil
	require.ErrorAs(t, b.check(), &damage)
	b.run()
	require.Panics(t, func() {
		b.use(b.long)
		b.makeTree(smallJob.LongDepth + 5)
	}, "a region that is too small is noticed")
}

func TestChildRejectsItsParameters(t *testing.T) {
	for _, c := range []struct{ variant, params, want string }{
		{variantGo, `nonsense`, "reading parameters"},
		{variantGo, `{"actors":0}`, "must be"},
		{"nosuch", `{"array":1,"actors":1}`, `no variant "nosuch"`},
	} {
		_, err := child(c.variant, []byte(c.params), nil)
		require.ErrorContains(t, err, c.want)
	}
}
