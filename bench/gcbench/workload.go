package gcbench

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
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

--gc-trace prints a line for each collection of encorert's heaps on stderr after the repetition, and --plot draws the last
repetition: live and held bytes, allocated bytes, pauses. Both note every collection while it is timed, some 0.2 us each.

--peers adds what is found on this machine: java-serial, java-parallel, java-g1 and java-zgc (needs java and
javac), each with Java's default heap and, as ...-same-memory, with a heap of encorert's peak resident
memory; and c-libgc (needs cc and Boehm's libgc with its header). What is missing is said. Java is warmed up
at least 40 times with its default heap, which grows that long, and 10 times with encorert's memory; --warmup
raises that, it does not lower it.

--peer name=command adds any other program; the command is split at blanks. It gets as further arguments
  stretch depth, long-lived depth, doubles in the array, min depth, max depth, number of jobs at once
and then reads lines from stdin until its end. Each line asks for one repetition, which the program answers
with one line on stdout, such as
  {"ms":48.1,"count":15333862}
or {"error":"what went wrong"}. count is the number of nodes constructed. Nothing else may go to stdout.
Memory is read of the process that the command starts, not of its children.

--json prints, with times as medians of the counted repetitions:
  workload, workers, runs, flags, nodes,        what was run; nodes are those of one repetition, flags are all that are numbers
  actors,
  stretch_depth, long_depth, array, min_depth, max_depth
  ms                                            encorert
  plain_go_ms, plain_go_memlimit_ms, bump_ms    go, go-memlimit, bump
  speedup_vs_go                                 plain_go_ms / ms, higher is better
  ratio_vs_bump                                 ms / bump_ms, lower is better, 1 is the limit
  one_actor_ms, scaling                         with --actors above 1: encorert-one-actor, ms / one_actor_ms
  rss_mb                                        peak resident memory of encorert's process, MiB
  collections                                   in one repetition, of all actors together
  pause_p95_us, max_pause_us                    of a repetition's pauses, median over the repetitions
  peers                                         with --peers or --peer: ms by name
  ratio_vs_java                                 ms over that of Java's fastest collector with the same memory
  variants                                      by name: median_ms, min_ms, max_ms, spread_pct, rss_mb, and
                                                slower, the paired difference to the first one (mean_ms, low_ms, high_ms)
  unit, samples                                 "ms", and by variant those of each counted repetition
  missing                                       by variant: why it did not run
  machine                                       cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
A field whose variant did not run is left out, and so is what the system does not tell.`

func flags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "actors", Value: Classic.Actors, Usage: "jobs at once: `K` actors, or goroutines, or threads"},
		&cli.IntFlag{Name: "stretch-depth", Value: Classic.StretchDepth, Usage: "depth of the tree built first and dropped"},
		&cli.IntFlag{Name: "long-depth", Value: Classic.LongDepth, Usage: "depth of the tree that is kept"},
		&cli.IntFlag{Name: "array", Value: Classic.Array, Usage: "doubles in the array that is kept"},
		&cli.IntFlag{Name: "min-depth", Value: Classic.MinDepth, Usage: "least depth of short-lived trees"},
		&cli.IntFlag{Name: "max-depth", Value: Classic.MaxDepth, Usage: "greatest depth of short-lived trees"},
		&cli.BoolFlag{Name: "gc-trace", Usage: "print a line for each collection of encorert's heaps on stderr"},
		&cli.StringFlag{Name: "plot", Usage: "draw live and allocated bytes and pauses of encorert's last repetition to `file`, as SVG"},
		&cli.BoolFlag{Name: "peers", Usage: "run Java and C with libgc as well, where they are found"},
		&cli.StringSliceFlag{Name: "peer", Usage: "another program, as `name=command`; repeatable"},
	}
}

// params is what a child of this workload gets.
type params struct {
	Job
	Workers int    `json:"workers"`
	GCTrace bool   `json:"gc_trace,omitempty"` // say a line for each collection
	Plot    string `json:"plot,omitempty"`     // draw each repetition's timeline to this file
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
	p := params{Job: job, Workers: common.Workers, GCTrace: cmd.Bool("gc-trace"), Plot: cmd.String("plot")}
	if p.Plot != "" {
		if err := writable(p.Plot); err != nil {
			return nil, fmt.Errorf("--plot: %w", err)
		}
	}
	known, users := cmd.Bool("peers"), cmd.StringSlice("peer")
	plan := &harness.Plan{
		Notes:   p.GCTrace,
		Missing: map[string]string{},
		Report: func(res *harness.Results) (harness.Report, error) {
			return newReport(job, common, res, known || len(users) > 0), nil
		},
	}
	addVariants(plan, p)
	if known {
		addPeers(plan, job, common.Workers)
	}
	for _, peer := range users {
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

// addVariants plans those that this program plays itself.
func addVariants(plan *harness.Plan, watched params) {
	job, workers := watched.Job, watched.Workers
	p := params{Job: job, Workers: workers}
	add := func(v harness.Variant) { plan.Variants = append(plan.Variants, v) }
	add(harness.Variant{Name: variantActors, Count: job.Nodes(), Launch: harness.Self(name, variantActors, workers, watched)})
	if job.Actors > 1 {
		one := p
		one.Actors = 1
		add(harness.Variant{Name: variantOneActor, Count: one.Nodes(), Launch: harness.Self(name, variantActors, workers, one)})
	}
	add(harness.Variant{Name: variantGo, Count: job.Nodes(), Launch: harness.Self(name, variantGo, workers, p)})
	if memoryIsKnown() {
		add(harness.Variant{
			Name: variantMemlimit, Count: job.Nodes(), Needs: variantActors,
			Launch: func(warm *harness.Results) (harness.Launch, error) {
				limit := fmt.Sprintf("GOMEMLIMIT=%dKiB", warm.Series[variantActors].PeakRSSKiB())
				return harness.Self(name, variantGo, workers, p, "GOGC=off", limit)(warm)
			},
		})
	} else {
		plan.Missing[variantMemlimit] = memoryUnknown
	}
	add(harness.Variant{Name: variantBump, Count: job.Nodes(), Launch: harness.Self(name, variantBump, workers, p)})
}

// writable tells why a file cannot be written, before all is measured.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// memoryUnknown is why a variant that is to get encorert's memory cannot run.
const memoryUnknown = "needs the peak resident memory of encorert's process, which is unknown on " + runtime.GOOS

func memoryIsKnown() bool { return harness.PeakRSSKiB() != 0 }

// child plays a variant.
func child(variant string, text json.RawMessage, say func(string)) (harness.Repeat, error) {
	var p params
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("reading parameters: %w", err)
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	switch variant {
	case variantActors:
		return repeatActors(p, say), nil
	case variantGo:
		return repeatPlain(p.Job), nil
	case variantBump:
		return repeatBump(p.Job)
	}
	return nil, fmt.Errorf("no variant %q, there are: %s", variant, strings.Join([]string{variantActors, variantGo, variantBump}, ", "))
}
