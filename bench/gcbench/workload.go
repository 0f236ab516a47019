package gcbench

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
)

const name = "gcbench"

// Names of the variants.
const (
	variantActors   = "encorert"
	variantOneActor = "encorert-one-actor"
	variantGo       = "go"
	variantMemlimit = "go-memlimit"
	variantBump     = "bump"
)

// Workload is GCBench for the benchmark program.
func Workload() harness.Workload {
	return harness.Workload{
		Name:        name,
		Summary:     "GCBench (Boehm, Ellis, Kovac): binary trees on the actors' heap, beside Go's heap and a bump allocator",
		Description: description,
		Flags:       flags,
		Plan:        planOf,
		Child:       child,
	}
}

const description = `GCBench builds and drops binary trees of several depths while a tree and an array live on.

Variants:
  encorert            actors whose behaviours build one batch of trees each, on their own traced heaps
  encorert-one-actor  the same with one actor, when --actors is above 1
  go                  goroutines on Go's heap, GOGC=100
  go-memlimit         the same with GOGC=off and GOMEMLIMIT at encorert's peak resident memory
  bump                a bump allocator outside Go's heap, reset for each tree, nothing collected: the limit
With --actors K, all variants run K jobs at once (K actors, K goroutines, K threads).

Every variant counts its nodes where it constructs them; a wrong count fails the run, and so does a
long-lived tree or array that is found damaged at the end.

--peers adds what is found on this machine: java-serial, java-parallel, java-g1 and java-zgc (needs java and
javac), each with Java's default heap and, as ...-same-memory, with a heap of encorert's peak resident
memory; and c-libgc (needs cc and Boehm's libgc with its header). What is missing is said.

--peer name=command adds any other program; the command is split at blanks. It gets as further arguments
  stretch depth, long-lived depth, doubles in the array, min depth, max depth, number of jobs at once
and then reads lines from stdin until its end. Each line asks for one repetition, which the program answers
with one line on stdout, such as
  {"ms":48.1,"count":15333862}
or {"error":"what went wrong"}. count is the number of nodes constructed. Nothing else may go to stdout.`

func flags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "actors", Value: Classic.Actors, Usage: "jobs at once: `K` actors, or goroutines, or threads"},
		&cli.IntFlag{Name: "stretch-depth", Value: Classic.StretchDepth, Usage: "depth of the tree built first and dropped"},
		&cli.IntFlag{Name: "long-depth", Value: Classic.LongDepth, Usage: "depth of the tree that is kept"},
		&cli.IntFlag{Name: "array", Value: Classic.Array, Usage: "doubles in the array that is kept"},
		&cli.IntFlag{Name: "min-depth", Value: Classic.MinDepth, Usage: "least depth of short-lived trees"},
		&cli.IntFlag{Name: "max-depth", Value: Classic.MaxDepth, Usage: "greatest depth of short-lived trees"},
		&cli.BoolFlag{Name: "peers", Usage: "run Java and C with libgc as well, where they are found"},
		&cli.StringSliceFlag{Name: "peer", Usage: "another program, as `name=command`; repeatable"},
	}
}

// params is what a child of this workload gets.
type params struct {
	Job
	Workers int `json:"workers"`
}

func planOf(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
	job := Job{
		StretchDepth: cmd.Int("stretch-depth"),
		LongDepth:    cmd.Int("long-depth"),
		Array:        cmd.Int("array"),
		MinDepth:     cmd.Int("min-depth"),
		MaxDepth:     cmd.Int("max-depth"),
		Actors:       cmd.Int("actors"),
	}
	if err := job.Validate(); err != nil {
		return nil, err
	}
	plan := &harness.Plan{
		Variants: variants(job, common.Workers),
		Missing:  map[string]string{},
		Report: func(res *harness.Results) (harness.Report, error) {
			return newReport(job, common, res), nil
		},
	}
	if cmd.Bool("peers") {
		addPeers(plan, job, common.Workers)
	}
	for _, peer := range cmd.StringSlice("peer") {
		v, err := userPeer(peer, job)
		if err != nil {
			return nil, err
		}
		for _, other := range plan.Variants {
			if other.Name == v.Name {
				return nil, fmt.Errorf("--peer %q: the name is taken", peer)
			}
		}
		plan.Variants = append(plan.Variants, v)
	}
	return plan, nil
}

// variants are those that this program plays itself.
func variants(job Job, workers int) []harness.Variant {
	p := params{Job: job, Workers: workers}
	list := []harness.Variant{
		{Name: variantActors, Count: job.Nodes(), Launch: harness.Self(name, variantActors, workers, p)},
	}
	if job.Actors > 1 {
		one := p
		one.Actors = 1
		list = append(list, harness.Variant{
			Name: variantOneActor, Count: one.Nodes(), Launch: harness.Self(name, variantActors, workers, one),
		})
	}
	return append(list,
		harness.Variant{Name: variantGo, Count: job.Nodes(), Launch: harness.Self(name, variantGo, workers, p)},
		harness.Variant{
			Name: variantMemlimit, Count: job.Nodes(), Needs: variantActors, Optional: true,
			Launch: func(warm *harness.Results) (harness.Launch, error) {
				memory := warm.Series[variantActors].PeakRSSKiB()
				if memory == 0 {
					return harness.Launch{}, errNoMemory
				}
				return harness.Self(name, variantGo, workers, p, "GOGC=off", fmt.Sprintf("GOMEMLIMIT=%dKiB", memory))(warm)
			},
		},
		harness.Variant{Name: variantBump, Count: job.Nodes(), Launch: harness.Self(name, variantBump, workers, p)},
	)
}

// child plays a variant.
func child(variant string, text json.RawMessage) (harness.Repeat, error) {
	var p params
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("reading parameters: %w", err)
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	switch variant {
	case variantActors:
		return repeatActors(p.Job, p.Workers), nil
	case variantGo:
		return repeatPlain(p.Job), nil
	case variantBump:
		return repeatBump(p.Job)
	}
	return nil, fmt.Errorf("no variant %q, there are: %s", variant, strings.Join([]string{variantActors, variantGo, variantBump}, ", "))
}
